import type { ClientAddresses, Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { ActivityLog } from '../../activity/activity-log.js';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { AccountMails } from '../../mail/account-mails.js';
import type { AuditLog } from '../audit.js';
import { accountDataRoutes } from './account-data-routes.js';
import type { AccountRemovals } from './account-removals.js';
import { accountRoutes } from './account-routes.js';
import { PasswordChange } from './password-change.js';
import { PasswordRecovery } from './password-recovery.js';
import { passwordResetRoutes } from './password-reset-routes.js';
import { verificationRoutes } from './verification-routes.js';
import type { Cookies } from '../auth/cookies.js';
import { DeviceCookie } from '../auth/device-cookie.js';
import { PasswordConfirmation } from '../auth/password-confirmation.js';
import { passkeyRoutes } from '../passkeys/passkey-routes.js';
import { PasskeySignIn } from '../passkeys/passkey-sign-in.js';
import { RelyingParties } from '../passkeys/relying-parties.js';
import { WebAuthn } from '../passkeys/webauthn.js';
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
  activity: ActivityLog;
  removals: AccountRemovals;
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
  activity,
  removals,
  log,
  signUp,
  oidc,
}: AccountsWiringOptions): ConsoleRoute[] {
  const devices = new DeviceCookie(cookies, store);
  const signInLimiter = new SignInRateLimiter(store.attempts, addresses, devices);
  const relyingParties = new RelyingParties(baseUrl);
  const ways = { signUp, oidcName: oidc?.name ?? null, mail: mails !== null };
  const sessionIssuer = new SessionIssuer({ store, sessionAuth, cookies, devices, links, baseUrl, relyingParties, ...ways, log });
  const confirmation = new PasswordConfirmation(store, signInLimiter);
  const webAuthn = new WebAuthn(store.challenges);
  const passkeySignIn = new PasskeySignIn({ store, relyingParties, webAuthn, sessionIssuer, signInLimiter, log });
  const passwordChange = new PasswordChange({ store, devices, log });
  const mailRoutes = (sent: AccountMails): ConsoleRoute[] => {
    const recovery = new PasswordRecovery({ store, passwordChange, sessionIssuer, mails: sent });
    return [
      ...passwordResetRoutes({ store, mails: sent, recovery, signInLimiter, addresses, audits }),
      ...verificationRoutes({ store, sessionAuth, recovery, mails: sent, signInLimiter }),
    ];
  };
  const own = [
    ...sessionRoutes({ store, sessionIssuer, signInLimiter, passkeySignIn }),
    ...sessionListRoutes(store),
    ...accountDataRoutes({ store, activity, removals, sessionIssuer, confirmation }),
    ...passkeyRoutes({ store, relyingParties, webAuthn, confirmation, devices, audits, log }),
    ...accountRoutes({ store, sessionIssuer, signInLimiter, confirmation, passwordChange, signUp, mails, log }),
    ...(mails === null ? [] : mailRoutes(mails)),
  ];
  if (oidc === null) return own;
  const provider = new Oidc(oidc, store.oidcSignIns);
  return [...own, ...oidcRoutes({ store, oidc: provider, sessionIssuer, signInLimiter, cookies, baseUrl, signUp, audits, log })];
}
