import type { Logger } from '@perch/runtime';
import {
  ApiError,
  ConsoleError,
  validateAddPasskey,
  validatePasskeyName,
  type ConsolePasskey,
  type PasskeyAnswer,
  type PasskeyOptionsAnswer,
  type PasskeysAnswer,
  type ConsoleSession,
  type UsedPasskeyResponse,
} from '@perch/schema';
import { inDoubt, passkeysFull, passkeysMax, type Passkey, type Store } from '@perch/store';
import type { AuditLog } from '../audit.js';
import { deviceName, type DeviceCookie } from '../auth/device-cookie.js';
import type { PasswordConfirmation } from '../auth/password-confirmation.js';
import { conflictWhenFull, Form, type SessionRequest, type SessionRoute } from '../route.js';
import type { RelyingParties, RelyingParty } from './relying-parties.js';
import { RefusedPasskey, type WebAuthn } from './webauthn.js';
import type { Exchange } from '../../http/exchange.js';
import type { SessionIssuer } from '../auth/session-issuer.js';
import type { SignInRateLimiter } from '../auth/sign-in-rate-limiter.js';

export interface PasskeyRoutesOptions {
  store: Pick<Store, 'passkeys' | 'endings'>;
  relyingParties: RelyingParties;
  webAuthn: WebAuthn;
  confirmation: PasswordConfirmation;
  devices: DeviceCookie;
  audits: AuditLog;
  log: Logger;
}

export function passkeyRoutes({ store, relyingParties, webAuthn, confirmation, devices, audits, log }: PasskeyRoutesOptions): SessionRoute[] {
  const { passkeys } = store;

  async function list({ session }: SessionRequest): Promise<PasskeysAnswer> {
    return { ok: true, passkeys: (await passkeys.list(session.account)).map(viewOf) };
  }

  /** Asks for the password here: the challenge of the options proves it when the passkey is added. */
  async function options({ exchange, session, body }: SessionRequest): Promise<PasskeyOptionsAnswer> {
    const form = new Form(await body(), ['current']);
    const relyingParty = relyingParties.require(exchange.request);
    const { email } = await confirmation.require(session, form).catch((error: unknown) => {
      // A success is recorded once the passkey is added.
      if (error instanceof ConsoleError) audits.record('passkey_add', error.code, exchange, { account: session.account });
      throw error;
    });
    const existing = await passkeys.list(session.account);
    if (existing.length >= passkeysMax) throw new ConsoleError('conflict', passkeysFull);
    const made = await webAuthn.creationOptions(relyingParty, { account: session.account, email, session: session.keyHash, passkeys: existing });
    return { ok: true, options: { ...made } };
  }

  async function add({ exchange, session, body }: SessionRequest): Promise<PasskeyAnswer> {
    const { account, keyHash } = session;
    const { name, passkey } = validateAddPasskey(await body());
    const relyingParty = relyingParties.require(exchange.request);
    const created = await webAuthn.created(relyingParty, keyHash, passkey).catch((error: unknown) => {
      if (!(error instanceof RefusedPasskey)) throw error;
      log.warn({ request_id: exchange.requestId, account, problem: error.message }, 'a new passkey was refused');
      throw refused();
    });
    const named = { ...created, name: name === '' ? (deviceName(exchange.request.headers['user-agent'] ?? '') ?? 'Passkey') : name };
    const id = await conflictWhenFull(() => passkeys.add(account, named));
    if (id === null) throw refused();
    return { ok: true, passkey: viewOf(await inDoubt(() => passkeys.get(account, id))) };
  }

  async function undo({ session: { account } }: SessionRequest, made: unknown): Promise<void> {
    await passkeys.remove(account, (made as PasskeyAnswer).passkey.id);
  }

  async function rename({ session: { account }, params, body }: SessionRequest): Promise<PasskeyAnswer> {
    const name = validatePasskeyName(await body());
    if (!(await passkeys.rename(account, params['passkey']!, name))) throw noSuchPasskey();
    return { ok: true, passkey: viewOf(await passkeys.get(account, params['passkey']!)) };
  }

  /** As after a password change, other sessions end: who had the passkey may have started them. */
  async function remove({ exchange, session, params, body }: SessionRequest): Promise<object> {
    const { account, keyHash } = session;
    const form = new Form(await body(), ['current']);
    if ((await passkeys.get(account, params['passkey']!)) === null) throw noSuchPasskey();
    await confirmation.require(session, form);
    try {
      await passkeys.remove(account, params['passkey']!);
    } finally {
      // Also after an error: the passkey may have been removed.
      await inDoubt(() => store.endings.end({ reason: 'signed_out', account, kept: { session: keyHash, devices: devices.secretsOf(exchange) } }));
    }
    return { ok: true };
  }

  const many = 'console_passkeys';
  const single = 'console_passkey';
  return [
    { for: 'session', method: 'GET', path: 'passkeys', cost: 1, label: many, handle: list },
    { for: 'session', method: 'POST', path: 'passkeys/options', cost: 1, label: many, handle: options },
    { for: 'session', method: 'POST', path: 'passkeys', cost: 1, label: many, audit: 'passkey_add', handle: add, undo },
    { for: 'session', method: 'PATCH', path: 'passkeys/{passkey}', cost: 1, label: single, audit: 'passkey_change', handle: rename },
    { for: 'session', method: 'POST', path: 'passkeys/{passkey}/removal', cost: 1, label: single, audit: 'passkey_remove', handle: remove },
  ];
}

function refused(): ApiError {
  return new ApiError('bad_argument', 'The passkey could not be added: it took too long, or the browser sent something unexpected. Try again.', {
    field: 'passkey',
  });
}

function noSuchPasskey(): ApiError {
  return new ApiError('not_found', 'This account has no such passkey; it may have been removed.');
}

/** @param passkey null if it was removed meanwhile */
function viewOf(passkey: Passkey | null): ConsolePasskey {
  if (passkey === null) throw noSuchPasskey();
  const { id, name, host, synced, createdAt, lastUsed } = passkey;
  return { id, name, host, synced, created_at: time(createdAt), last_used: lastUsed === null ? null : time(lastUsed) };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

/** Signs in with a passkey. Whatever is wrong, the answer is the same; the log says what it was. */
interface PasskeySignInOptions {
  store: Pick<Store, 'passkeys'>;
  relyingParties: RelyingParties;
  webAuthn: WebAuthn;
  sessionIssuer: SessionIssuer;
  signInLimiter: SignInRateLimiter;
  log: Logger;
}

class CopiedPasskey extends RefusedPasskey {
  readonly account: string;

  constructor(account: string) {
    super('the signature counter went back');
    this.account = account;
  }
}

export class PasskeySignIn {
  readonly #options: PasskeySignInOptions;

  constructor(options: PasskeySignInOptions) {
    this.#options = options;
  }

  /** Each sign-in needs a challenge from here, so that the limit holds for attempts as well. */
  async begin(exchange: Exchange): Promise<PasskeyOptionsAnswer> {
    const { relyingParties, webAuthn, signInLimiter } = this.#options;
    const relyingParty = relyingParties.require(exchange.request);
    await signInLimiter.countAnonymous('passkey', exchange);
    return { ok: true, options: { ...(await webAuthn.requestOptions(relyingParty)) } };
  }

  /** @throws {ConsoleError} wrong_credentials */
  async finish(exchange: Exchange, sent: UsedPasskeyResponse): Promise<ConsoleSession> {
    const { relyingParties, sessionIssuer, signInLimiter, log } = this.#options;
    const relyingParty = relyingParties.require(exchange.request);
    const { account, passkey } = await this.#verify(relyingParty, sent).catch((error: unknown) => {
      if (!(error instanceof RefusedPasskey)) throw error;
      const line = { request_id: exchange.requestId, problem: error.message };
      // A line of its own, since equal lines are limited.
      if (error instanceof CopiedPasskey) log.warn({ ...line, account: error.account }, 'a passkey may have been copied');
      else log.warn(line, 'a sign-in with a passkey was refused');
      throw refusedPasskey();
    });
    await signInLimiter.takeBackAnonymous('passkey', exchange);
    return sessionIssuer.signIn(exchange, account, { passkey });
  }

  async #verify(relyingParty: RelyingParty, sent: UsedPasskeyResponse): Promise<{ account: string; passkey: string }> {
    const { store, webAuthn } = this.#options;
    const challenge = await webAuthn.requireChallenge(sent);
    const found = await store.passkeys.find(sent.id);
    if (found === null) throw new RefusedPasskey('no account has this passkey');
    const { account, passkey } = found;
    const counter = await webAuthn.used(relyingParty, challenge, sent, found);
    const outcome = await store.passkeys.use(account, passkey.id, counter);
    if (outcome === 'went_back') throw new CopiedPasskey(account);
    if (outcome === 'removed') throw new RefusedPasskey('the passkey was just removed');
    return { account, passkey: passkey.id };
  }
}

function refusedPasskey(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This passkey did not sign you in. It may have been removed from the account, or it took too long. Try again, or sign in another way.',
  );
}
