/** How people come in and go, wired: sessions, accounts, passwords, the provider. */
import type { ClientAddresses, Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { AuditLog } from '../audit.js';
import { accountRoutes } from './account-routes.js';
import type { Cookies } from '../auth/cookies.js';
import { DeviceCookie } from '../auth/device-cookie.js';
import { Entrance, type SignUp } from '../auth/session-issuer.js';
import { Guesses } from '../auth/sign-in-rate-limiter.js';
import type { LinkAddress } from '../robots/link-address.js';
import { oidcRoutes } from '../auth/oidc-routes.js';
import { Oidc, type OidcSettings } from '../auth/oidc.js';
import type { Route } from '../route.js';
import { sessionRoutes } from '../auth/session-routes.js';
import type { Visitors } from '../auth/session-auth.js';

/** What the operator says about who may come in. */
export interface PeopleSettings {
  signUp: SignUp;
  /** Null where people sign in here alone. `name` is the button's. */
  oidc: (OidcSettings & { name: string }) | null;
}

export interface PeopleOptions extends PeopleSettings {
  store: Store;
  visitors: Visitors;
  cookies: Cookies;
  links: LinkAddress;
  baseUrl: BaseUrl;
  addresses: ClientAddresses;
  audits: AuditLog;
  log: Logger;
}

export function peopleRoutes({ store, visitors, cookies, links, baseUrl, addresses, audits, log, signUp, oidc }: PeopleOptions): Route[] {
  const devices = new DeviceCookie(cookies, store);
  const guesses = new Guesses(store.attempts, addresses, devices);
  const entrance = new Entrance({ store, visitors, cookies, devices, links, baseUrl, signUp, oidcName: oidc?.name ?? null, log });
  const own = [...sessionRoutes({ store, entrance, guesses }), ...accountRoutes({ store, entrance, guesses, devices, signUp, log })];
  if (oidc === null) return own;
  const provider = new Oidc(oidc, store.oidcSignIns);
  return [...own, ...oidcRoutes({ store, oidc: provider, entrance, guesses, cookies, baseUrl, signUp, audits, log })];
}
