/**
 * Passkeys (WebAuthn) of accounts: public keys, nothing secret. A key names the account of a credential, so that a sign-in needs no e-mail address. It
 * is a hint: the passkey works only while its record has the same credential.
 */
import type { Accounts } from '../accounts/accounts.js';
import { accountRemoved } from '../accounts/account-limits.js';
import { StoreError, guarded } from '../redis/errors.js';
import { isPasskeyId, newId, sha256Short } from '../redis/ids.js';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';

export const passkeysMax = 10;
export const passkeysFull = `An account holds at most ${passkeysMax} passkeys. Remove one that you no longer use.`;

export interface NewPasskey {
  name: string;
  /** Host name of the page that it was created on: browsers offer it there only. */
  host: string;
  /** Id that the authenticator gave it, base64url; unique among all accounts. */
  credential: string;
  /** COSE, base64url. */
  publicKey: string;
  /** Signature counter of the authenticator; 0 if it does not count. */
  counter: number;
  /** How browsers reach the authenticator, such as `usb`. */
  transports: readonly string[];
  /** Whether its provider copies it to the user's other devices. */
  synced: boolean;
}

/** Times in Redis ms. */
export interface Passkey extends NewPasskey {
  id: string;
  createdAt: number;
  /** Null: not since it was added. */
  lastUsed: number | null;
}

export class Passkeys {
  readonly #redis: Connections;
  readonly #accounts: Pick<Accounts, 'get'>;

  constructor(redis: Connections, accounts: Pick<Accounts, 'get'>) {
    this.#redis = redis;
    this.#accounts = accounts;
  }

  /** On disk when this resolves, as far as `durably` can know. @returns its id; null if some account has the credential @throws {StoreError} full */
  async add(account: string, { credential, name, host, publicKey, counter, transports, synced }: NewPasskey): Promise<string | null> {
    const id = newId('p');
    const keys = [accountKeys.passkeys(account), accountKeys.record(account), accountKeys.passkey(account, id)] as const;
    const owner = sharedKeys.passkey(sha256Short(credential));
    const fields = { name, host, credential, public_key: publicKey, counter, transports: transports.join(','), synced: synced ? 1 : '' };
    const added = await this.#redis.durably([keys[2], owner], async () => {
      const outcome = await this.#redis.script('passkeyAdd', keys, [id, passkeysMax, ...Object.entries(fields).flat()]);
      if (outcome !== 'added') return outcome;
      // After a crash here, a passkey is listed that does not work. In the other order, nobody could find and remove the key.
      if ((await guarded(() => this.#redis.commands.set(owner, `${account} ${id}`, 'NX'))) !== null) return outcome;
      await this.#unlist(account, id);
      return 'taken';
    });
    if (added === 'full') throw new StoreError('full', passkeysFull);
    if (added === 'removing') throw accountRemoved();
    return added === 'taken' ? null : id;
  }

  /** Oldest first. */
  async list(account: string): Promise<Passkey[]> {
    const ids = await guarded(() => this.#redis.commands.zrange(accountKeys.passkeys(account), '0', '-1'));
    const passkeys = await Promise.all(ids.map((id) => this.get(account, id)));
    return passkeys.filter((passkey) => passkey !== null);
  }

  async has(account: string): Promise<boolean> {
    return (await guarded(() => this.#redis.commands.zcard(accountKeys.passkeys(account)))) > 0;
  }

  /** @param id unchecked */
  async get(account: string, id: string): Promise<Passkey | null> {
    if (!isPasskeyId(id)) return null;
    const record = await guarded(() => this.#redis.commands.hgetall(accountKeys.passkey(account, id)));
    const { name, host, credential, public_key: publicKey, counter, transports, synced, created_at: createdAt, last_used: lastUsed } = record;
    if (credential === undefined || publicKey === undefined) return null;
    return {
      id,
      name: name ?? '',
      host: host ?? '',
      credential,
      publicKey,
      counter: Number(counter),
      transports: (transports ?? '').split(',').filter((transport) => transport !== ''),
      synced: synced === '1',
      createdAt: Number(createdAt),
      lastUsed: lastUsed === undefined ? null : Number(lastUsed),
    };
  }

  /** @param credential unchecked @returns null also if the removal of the account has begun */
  async find(credential: string): Promise<{ account: string; passkey: Passkey } | null> {
    const owner = await guarded(() => this.#redis.commands.get(sharedKeys.passkey(sha256Short(credential))));
    const [account = '', id = ''] = owner?.split(' ') ?? [];
    const passkey = await this.get(account, id);
    if (passkey?.credential !== credential || (await this.#accounts.get(account)) === null) return null;
    return { account, passkey };
  }

  /** Records a sign-in. @param counter signature counter that the authenticator sent @returns `went_back`: the passkey may have been copied */
  async use(account: string, id: string, counter: number): Promise<'used' | 'removed' | 'went_back'> {
    return this.#redis.script('passkeyUse', [accountKeys.passkey(account, id)], [counter]);
  }

  /** @param id unchecked @returns false if the account has no such passkey */
  async rename(account: string, id: string, name: string): Promise<boolean> {
    if (!isPasskeyId(id)) return false;
    const record = accountKeys.passkey(account, id);
    return this.#redis.durably([record], async () => (await this.#redis.script('passkeyRename', [record], [name])) === 1);
  }

  /** On disk when this resolves, as far as `durably` can know. @param id unchecked @returns false if the account has no such passkey */
  async remove(account: string, id: string): Promise<boolean> {
    const passkey = await this.get(account, id);
    if (passkey === null) return false;
    const owner = sharedKeys.passkey(sha256Short(passkey.credential));
    await this.#redis.durably([owner, accountKeys.passkey(account, id)], () =>
      guarded(async () => {
        if ((await this.#redis.commands.get(owner)) === `${account} ${id}`) await this.#redis.commands.unlink(owner);
        await this.#unlist(account, id);
      }),
    );
    return true;
  }

  /** As `remove`. @returns how many there were */
  async removeAll(account: string): Promise<number> {
    const listed = await guarded(() => this.#redis.commands.zrange(accountKeys.passkeys(account), '0', '-1'));
    const removed = await Promise.all(listed.map((id) => this.remove(account, id)));
    return removed.filter(Boolean).length;
  }

  /** The record goes first: a crash in between leaves an entry in the list, not a passkey that works. */
  async #unlist(account: string, id: string): Promise<void> {
    await this.#redis.commands.unlink(accountKeys.passkey(account, id));
    await this.#redis.commands.zrem(accountKeys.passkeys(account), id);
  }
}
