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
} from '@perch/schema';
import { inDoubt, passkeysFull, passkeysMax, type Passkey, type Store } from '@perch/store';
import type { AuditLog } from '../audit.js';
import { deviceName } from '../auth/device-name.js';
import type { DeviceCookie } from '../auth/device-cookie.js';
import type { PasswordConfirmation } from '../auth/password-confirmation.js';
import { conflictWhenFull } from '../conflict.js';
import { Form } from '../form.js';
import type { SessionRequest, SessionRoute } from '../route.js';
import type { RelyingParties } from './relying-parties.js';
import { RefusedPasskey, type WebAuthn } from './webauthn.js';

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
