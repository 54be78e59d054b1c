import type { Logger, ClientAddresses } from '@perch/runtime';
import { ApiError, ConsoleError, type ConsoleSession, type RecoveryAnswer } from '@perch/schema';
import { inDoubt, type Store, type Account } from '@perch/store';
import type { AccountMails } from '../../mail/account-mails.js';
import { PasswordConfirmation, type PasswordField } from '../auth/password-confirmation.js';
import { SessionIssuer, type InstallSettings, type SignUp } from '../auth/session-issuer.js';
import { Form, invalidField, type ConsoleRequest, type ConsoleRoute, type SessionRequest, type OpenRoute } from '../route.js';
import { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';
import { requireUncommon, PasswordChange } from './password-change.js';
import type { ActivityLog } from '../../activity/activity-log.js';
import { streamPieces } from '../../http/streamed-body.js';
import type { AccountRemovals } from './account-removals.js';
import type { AuditLog } from '../audit.js';
import { PasswordRecovery } from './password-recovery.js';
import { MailFailed } from '../../mail/mail-delivery.js';
import type { SessionAuth } from '../auth/session-auth.js';
import type { BaseUrl } from '../../discovery/discovery.js';
import type { Cookies } from '../auth/cookies.js';
import { DeviceCookie } from '../auth/device-cookie.js';
import { passkeyRoutes, PasskeySignIn } from '../passkeys/passkey-routes.js';
import { RelyingParties } from '../passkeys/relying-parties.js';
import { WebAuthn } from '../passkeys/webauthn.js';
import type { LinkAddress } from '../robots/link-address.js';
import { oidcRoutes, Oidc, type OidcSettings } from '../auth/oidc-routes.js';
import { sessionListRoutes, sessionRoutes } from '../auth/session-routes.js';

export interface AccountRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'invitations'>;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  confirmation: PasswordConfirmation;
  passwordChange: PasswordChange;
  signUp: SignUp;
  /** Null: no e-mail is sent. */
  mails: AccountMails | null;
  log: Logger;
}

export function accountRoutes(options: AccountRoutesOptions): ConsoleRoute[] {
  const { store, sessionIssuer, signInLimiter, confirmation, passwordChange, signUp, mails, log } = options;

  /** Consumes the invitation, if one is required, and runs the work. A refused request restores the invitation; one with unknown outcome does not. */
  async function withInvitation<T>(invitation: string | null, work: () => Promise<T>): Promise<T> {
    if (signUp === 'closed') throw new ConsoleError('sign_up_closed', 'Sign-up is closed. Ask the operator of this service for an account.');
    if (signUp === 'open') return work();
    if (invitation === null)
      throw new ConsoleError('sign_up_closed', 'Sign-up requires an invitation. Ask the operator of this service for one.', { field: 'invitation' });
    const lifeMs = await store.invitations.lifeMs(invitation);
    const taken = await store.invitations.take(invitation);
    if (lifeMs === null || taken === null)
      throw new ConsoleError('sign_up_closed', 'Sign-up requires an invitation, and this one has been used or has expired. Ask for a new one.', {
        field: 'invitation',
      });
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError || error instanceof ConsoleError)
        await store.invitations
          .giveBack(invitation, taken, lifeMs)
          .catch((err: unknown) => log.warn({ err }, 'the invitation of a refused sign-up could not be restored'));
      throw error;
    }
  }

  async function create(email: string, password: string): Promise<string> {
    const hash = await store.passwords.hash(password);
    try {
      return (await store.accounts.create({ email, password: hash })).account;
    } catch (error) {
      if (error instanceof ApiError && error.field === 'email') throw taken();
      throw error;
    }
  }

  async function changePassword({ exchange, session, body }: SessionRequest): Promise<object> {
    const form = new Form(await body(), ['current', 'password']);
    const password = form.newPassword('password');
    const { email, hash } = await confirmation.require(session, form);
    await requireUncommon(password, email);
    const changed = {
      account: session.account,
      reason: 'password_changed' as const,
      keptSession: session.keyHash,
      from: hash,
      hash: await store.passwords.hash(password),
    };
    if ((await passwordChange.replace(exchange, changed)) === null)
      throw new ConsoleError('conflict', 'The password was changed elsewhere in the meantime. Try again with the new one.', { field: 'current' });
    return inDoubt(() => sessionIssuer.describe(exchange));
  }

  async function signUpWithPassword({ exchange, body }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['email', 'password', 'invitation']);
    const email = form.email('email');
    const password = form.newPassword('password');
    const invitation = form.has('invitation') ? form.text('invitation', 'The invitation is incomplete.') : null;
    await signInLimiter.countAnonymous('signUp', exchange);
    await requireUncommon(password, email);
    const account = await withInvitation(invitation, () => create(email, password));
    mails?.verifyLater({ id: account, email });
    return inDoubt(() => sessionIssuer.signIn(exchange, account));
  }

  return [
    { for: 'anyone', method: 'POST', path: 'accounts', cost: 0, label: 'console_accounts', audit: 'sign_up', handle: signUpWithPassword },
    { for: 'session', method: 'PUT', path: 'password', cost: 1, label: 'console_password', audit: 'password_change', handle: changePassword },
  ];
}

function taken(): ConsoleError {
  return new ConsoleError('conflict', 'An account with this e-mail address exists already. Sign in, or use another address.', { field: 'email' });
}

/** Routes for the account as a whole: download all of its data, and delete it. */
interface AccountDataRoutesOptions {
  store: Pick<Store, 'accounts' | 'accountExport' | 'attempts' | 'clock' | 'passwords'>;
  activity: Pick<ActivityLog, 'settle'>;
  removals: Pick<AccountRemovals, 'begin'>;
  sessionIssuer: SessionIssuer;
  confirmation: PasswordConfirmation;
}

const passwordField: PasswordField = { name: 'password', missing: 'Enter your password.', wrong: 'This is not your password.' };
const contentType = 'application/json; charset=utf-8';

function accountDataRoutes({ store, activity, removals, sessionIssuer, confirmation }: AccountDataRoutesOptions): ConsoleRoute[] {
  async function ownAccount(id: string): Promise<Account> {
    const account = await store.accounts.get(id);
    if (account === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    return account;
  }

  /** Answers with the document of `perch account export`, piece by piece. An error after the first piece breaks the response off. */
  async function download({ exchange, session }: SessionRequest): Promise<null> {
    const account = await ownAccount(session.account);
    const day = new Date(store.clock.now()).toISOString().slice(0, 10);
    exchange.setHeader('content-disposition', `attachment; filename="perch-account-${day}.json"`);
    if (exchange.request.method === 'HEAD') {
      exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
      return null;
    }
    await countExport(account.id);
    await activity.settle(account.id);
    await streamPieces(exchange, contentType, store.accountExport.write(account));
    return null;
  }

  async function countExport(account: string): Promise<void> {
    const waitS = await store.attempts.count('export', account);
    if (waitS === null) return;
    const minutes = Math.ceil(waitS / 60);
    throw new ConsoleError('too_many_attempts', `Too many downloads. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`, {
      retryAfterS: waitS,
    });
  }

  async function remove({ exchange, session, body }: SessionRequest): Promise<ConsoleSession> {
    const form = new Form(await body(), ['email', 'password']);
    const typed = form.email('email');
    const [account, hash] = await Promise.all([ownAccount(session.account), store.passwords.of(session.account)]);
    if (!isSameAddress(typed, account.email)) throw invalidField('email', 'This is not the e-mail address of this account.');
    if (hash !== null) await confirmation.check(session, account.email, form, passwordField);
    await removals.begin(account.id, account.email);
    return sessionIssuer.signOut(exchange);
  }

  return [
    {
      for: 'session',
      method: 'GET',
      path: 'account/export',
      cost: 1,
      label: 'console_account_export',
      audit: 'account_export',
      handle: download,
    },
    {
      for: 'session',
      method: 'POST',
      path: 'account/removal',
      cost: 1,
      label: 'console_account_removal',
      audit: 'account_remove',
      handle: remove,
    },
  ];
}

function isSameAddress(typed: string, own: string): boolean {
  const folded = (address: string): string => address.trim().normalize('NFC').toLowerCase();
  return folded(typed) === folded(own);
}

/** The first answer is the same, and takes as long, whether or not the address has an account: it is looked up, and the e-mail sent, afterwards. */
interface PasswordResetRoutesOptions {
  store: Pick<Store, 'passwords' | 'passwordResets'>;
  mails: AccountMails;
  recovery: PasswordRecovery;
  signInLimiter: SignInRateLimiter;
  addresses: ClientAddresses;
  audits: AuditLog;
}

function passwordResetRoutes(options: PasswordResetRoutesOptions): OpenRoute[] {
  const { store, mails, recovery, signInLimiter, addresses, audits } = options;
  const label = 'console_password_resets';

  async function request({ exchange, body }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['email']);
    const email = form.email('email');
    await signInLimiter.countReset(exchange, email);
    const network = addresses.networkOf(exchange.request);
    mails.resetPassword(email, (account) => audits.noteChange(account, 'password_reset_request', network));
    return { ok: true };
  }

  /** Tells whether a link still works, before a password is typed. Consumes nothing. */
  async function find({ body }: ConsoleRequest): Promise<object> {
    const token = new Form(await body(), ['token']).text('token', 'The link is incomplete.');
    if ((await store.passwordResets.find(token)) === null) throw usedLink();
    return { ok: true };
  }

  async function reset({ exchange, body }: ConsoleRequest): Promise<RecoveryAnswer> {
    const form = new Form(await body(), ['token', 'password']);
    const token = form.text('token', 'The link is incomplete.');
    const password = form.newPassword('password');
    const found = await store.passwordResets.find(token);
    if (found === null) throw usedLink();
    // A refused password does not consume the token.
    await requireUncommon(password, found.email);
    const hash = await store.passwords.hash(password);
    const taken = await store.passwordResets.take(token);
    if (taken === null) throw usedLink();
    const { account, email, password: replaces } = taken;
    return (await inDoubt(() => recovery.recover(exchange, { account, email, replaces, hash }))) ?? throwing(usedLink());
  }

  return [
    { for: 'anyone', method: 'POST', path: 'password-resets', cost: 0, label, audit: 'password_reset_request', handle: request },
    { for: 'anyone', method: 'POST', path: 'password-resets/find', cost: 0, label, handle: find },
    { for: 'anyone', method: 'PUT', path: 'password-resets', cost: 0, label, audit: 'password_reset', handle: reset },
  ];
}

function throwing(error: Error): never {
  throw error;
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, within an hour, and only until the password changes. Ask for a new e-mail.',
  );
}

/** The link of a verification e-mail proves the address, and nothing about who made the account. In a browser that is signed in to the account, whoever
 * made it has the address, and keeps all. In any other browser, the link verifies nothing by itself: it sets a new password, as a first recovery. */
interface VerificationRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'emailVerifications'>;
  sessionAuth: Pick<SessionAuth, 'find'>;
  recovery: PasswordRecovery;
  mails: AccountMails;
  signInLimiter: SignInRateLimiter;
}

function verificationRoutes({ store, sessionAuth, recovery, mails, signInLimiter }: VerificationRoutesOptions): ConsoleRoute[] {
  const label = 'console_verifications';

  async function send({ session }: SessionRequest): Promise<object> {
    const [account, verifiedAt] = await Promise.all([store.accounts.get(session.account), store.accounts.verifiedAt(session.account)]);
    if (account === null) throw new ConsoleError('signed_out', 'This account no longer exists.');
    if (verifiedAt !== null) throw new ConsoleError('conflict', 'Your e-mail address is verified already.');
    await signInLimiter.countVerification(account.id);
    try {
      await mails.verify(account);
    } catch (error) {
      if (!(error instanceof MailFailed)) throw error;
      throw new ConsoleError('mail_failed', 'The e-mail could not be sent; try again later.', { retryAfterS: 60, cause: error });
    }
    return { ok: true };
  }

  async function verify({ exchange, body, auditNote }: ConsoleRequest): Promise<object> {
    const form = new Form(await body(), ['token', 'password']);
    const token = form.text('token', 'The link is incomplete.');
    const password = form.has('password') ? form.newPassword('password') : null;
    const id = await store.emailVerifications.find(token);
    const account = id === null ? null : await store.accounts.get(id);
    if (account === null) throw usedVerificationLink();
    auditNote.account = account.id;
    if (password !== null) {
      auditNote.kind = 'password_reset';
      return recover(exchange, token, account, password);
    }
    const isProven = await store.accounts.isProven(account.id);
    if (!isProven && (await sessionAuth.find(exchange))?.account !== account.id) throw openedElsewhere();
    if ((await store.emailVerifications.take(token)) === null) throw usedVerificationLink();
    if (!(await inDoubt(() => store.accounts.verify(account.id)))) throw usedVerificationLink();
    if (!isProven) mails.verified(account);
    return { ok: true };
  }

  async function recover(exchange: ConsoleRequest['exchange'], token: string, { id, email }: Account, password: string): Promise<ConsoleSession> {
    // Later, only a link that is asked for sets a password; it works for an hour.
    if (await store.accounts.isProven(id)) throw usedVerificationLink();
    await requireUncommon(password, email);
    const hash = await store.passwords.hash(password);
    if ((await store.emailVerifications.take(token)) === null) throw usedVerificationLink();
    const recovered = await inDoubt(() => recovery.recover(exchange, { account: id, email, replaces: null, hash }));
    if (recovered === null) throw usedVerificationLink();
    return recovered;
  }

  return [
    { for: 'session', method: 'POST', path: 'verifications', cost: 1, label, audit: 'verification_send', handle: send },
    { for: 'anyone', method: 'PUT', path: 'verifications', cost: 0, label, audit: 'email_verify', handle: verify },
  ];
}

function openedElsewhere(): ConsoleError {
  return new ConsoleError(
    'conflict',
    'This browser is not signed in to the account. If you made the account, sign in here first, and open the link again. If not, set a new password: this ends all that was made in the account.',
    { field: 'password' },
  );
}

function usedVerificationLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link has been used or has expired: it works once, within a day. Your account page sends another one.',
  );
}

export interface AccountSettings {
  signUp: SignUp;
  /** OpenID Connect provider, with the name on its button; null: sign-in by password only. */
  oidc: (OidcSettings & { name: string }) | null;
}

interface AccountsWiringOptions extends AccountSettings {
  store: Store;
  sessionAuth: SessionAuth;
  cookies: Cookies;
  links: LinkAddress;
  install: InstallSettings;
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
  install,
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
  const sessionIssuer = new SessionIssuer({ store, sessionAuth, cookies, devices, links, install, baseUrl, relyingParties, ...ways, log });
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
