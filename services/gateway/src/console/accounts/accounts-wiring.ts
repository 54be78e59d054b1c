import type { ClientAddresses, Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { AccountMails } from '../../mail/account-mails.js';
import type { AuditLog } from '../audit.js';
import { accountRoutes } from './account-routes.js';
import { PasswordChange } from './password-change.js';
import { passwordResetRoutes } from './password-reset-routes.js';
import { verificationRoutes } from './verification-routes.js';
import type { Cookies } from '../auth/cookies.js';
import { DeviceCookie } from '../auth/device-cookie.js';
import { SessionIssuer, type SignUp } from '../auth/session-issuer.js';
import { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import type { LinkAddress } from '../robots/link-address.js';
import { oidcRoutes } from '../auth/oidc-routes.js';
import { Oidc, type OidcSettings } from '../auth/oidc.js';
import type { ConsoleRoute } from '../route.js';
import { sessionListRoutes } from '../auth/session-list-routes.js';
import { sessionRoutes } from '../auth/session-routes.js';
import type { SessionAuth } from '../auth/session-auth.js';

export interface AccountSettings {
  signUp: SignUp;
  /** OpenID Connect provider, with the name on its button; null: sign-in by password only. */
  oidc: (OidcSettings & { name: string }) | null;
}

export interface AccountsWiringOptions extends AccountSettings {
  store: Store;
  sessionAuth: SessionAuth;
  cookies: Cookies;
  links: LinkAddress;
  baseUrl: BaseUrl;
  /** Null: no e-mail is sent. */
  mails: AccountMails | null;
  addresses: ClientAddresses;
  audits: AuditLog;
  log: Logger;
}

export function wireAccounts({
  store,
  sessionAuth,
  cookies,
  links,
  baseUrl,
  mails,
  addresses,
  audits,
  log,
  signUp,
  oidc,
}: AccountsWiringOptions): ConsoleRoute[] {
  const devices = new DeviceCookie(cookies, store);
  const signInLimiter = new SignInRateLimiter(store.attempts, addresses, devices);
  const passwordChange = new PasswordChange({ store, devices, log });
  const ways = { signUp, oidcName: oidc?.name ?? null, mail: mails !== null };
  const sessionIssuer = new SessionIssuer({ store, sessionAuth, cookies, devices, links, baseUrl, ...ways, log });
  const mailRoutes = (sent: AccountMails): ConsoleRoute[] => [
    ...passwordResetRoutes({ store, mails: sent, passwordChange, sessionIssuer, signInLimiter, addresses, audits }),
    ...verificationRoutes({ store, mails: sent, signInLimiter }),
  ];
  const own = [
    ...sessionRoutes({ store, sessionIssuer, signInLimiter }),
    ...sessionListRoutes(store),
    ...accountRoutes({ store, sessionIssuer, signInLimiter, passwordChange, signUp, mails, log }),
    ...(mails === null ? [] : mailRoutes(mails)),
  ];
  if (oidc === null) return own;
  const provider = new Oidc(oidc, store.oidcSignIns);
  return [...own, ...oidcRoutes({ store, oidc: provider, sessionIssuer, signInLimiter, cookies, baseUrl, signUp, audits, log })];
}
