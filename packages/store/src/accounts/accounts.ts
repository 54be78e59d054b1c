/**
 * Accounts: who owns robots and keys.
 *
 * An account's record and its address lie on two nodes of a Cluster. An account exists while its address names it: writing the address is
 * the one step that makes it, so of two callers with one address exactly one gets it, and a crash before leaves a record that nobody sees.
 */
import { ApiError, isEmailAddress } from '@perch/schema';
import { inDoubt } from '../errors.js';
import { guarded } from '../redis/guarded.js';
import { newId, sha256 } from '../ids.js';
import { accountKeys, sharedKeys } from '../keys.js';
import { redisTimeMs } from '../redis/redis-time.js';
import type { Connections } from '../redis/connections.js';
import { scannedSet, slicesOf } from '../redis/set-scan.js';

export interface Account {
  id: string;
  /** As given; unique without regard to case. */
  email: string;
  /** Redis ms. */
  createdAt: number;
}

const accountsAtOnce = 100;

/** Who a person is to an OpenID Connect provider: the subject alone tells nothing beside another issuer's. */
export interface Identity {
  issuer: string;
  subject: string;
}

export class Accounts {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /**
   * Makes an account. On disk when this resolves, as far as `durably` goes.
   * @param options.password its hash, as `Passwords.hash` makes it; left out: it signs in by other ways
   * @param options.identity who its person is at an OpenID Connect provider
   * @throws {ApiError} bad_argument when the address is none, or taken
   */
  async create({ email, password, identity }: { email: string; password?: string; identity?: Identity }): Promise<{ account: string }> {
    const address = email.trim();
    if (!isEmailAddress(address)) throw new ApiError('bad_argument', 'email: not an e-mail address', { field: 'email' });
    const account = newId('a');
    const { commands } = this.#redis;
    const identityHash = identity === undefined ? null : identityHashOf(identity);
    const write = async (): Promise<boolean> => {
      await commands.hset(accountKeys.record(account), {
        email: address,
        created_at: await redisTimeMs(this.#redis),
        ...(password === undefined ? {} : { password }),
        ...(identityHash === null ? {} : { identity: identityHash }),
      });
      await commands.sadd(sharedKeys.accounts(), account);
      if ((await commands.set(sharedKeys.email(emailHash(address)), account, 'NX')) !== null) return true;
      await Promise.all([commands.unlink(accountKeys.record(account)), commands.srem(sharedKeys.accounts(), account)]);
      return false;
    };
    const made = await this.#redis.durably([accountKeys.record(account), sharedKeys.email(emailHash(address)), sharedKeys.accounts()], () =>
      guarded(write),
    );
    if (!made) throw new ApiError('bad_argument', 'email: there is an account with this address', { field: 'email' });
    if (identityHash !== null) await inDoubt(() => this.#bind(identityHash, account));
    return { account };
  }

  /** Returns all accounts, oldest first; reads them in slices. */
  async list(): Promise<Account[]> {
    const accounts = new Map<string, Account>();
    for await (const ids of scannedSet(this.#redis, sharedKeys.accounts())) {
      for (const slice of slicesOf(ids, accountsAtOnce)) {
        for (const account of await Promise.all(slice.map((id) => this.get(id)))) if (account !== null) accounts.set(account.id, account);
      }
    }
    return [...accounts.values()].toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  /** Null, as by all other ways to find it, also for an account whose removal has begun. */
  async get(id: string): Promise<Account | null> {
    const { email, created_at, removing } = await guarded(() => this.#redis.commands.hgetall(accountKeys.record(id)));
    if (email === undefined || removing !== undefined || (await this.idOf(email)) !== id) return null;
    return { id, email, createdAt: Number(created_at) };
  }

  async findByEmail(email: string): Promise<Account | null> {
    const id = await this.idOf(email);
    return id === null ? null : this.get(id);
  }

  /**
   * The account that this person signs in to by OpenID Connect.
   * @param email its verified address, if there is one: where the making of its account was cut off before the identity led to it, the address does
   */
  async findByIdentity(identity: Identity, email: string | null): Promise<Account | null> {
    const identityHash = identityHashOf(identity);
    const bound = await guarded(() => this.#redis.commands.get(sharedKeys.identity(identityHash)));
    const found = bound === null ? null : await this.get(bound);
    if (found !== null) return found;
    const account = email === null ? null : await this.findByEmail(email);
    if (account === null) return null;
    if ((await guarded(() => this.#redis.commands.hget(accountKeys.record(account.id), 'identity'))) !== identityHash) return null;
    await this.#bind(identityHash, account.id);
    return account;
  }

  async #bind(identityHash: string, account: string): Promise<void> {
    const key = sharedKeys.identity(identityHash);
    await this.#redis.durably([key], () => guarded(() => this.#redis.commands.set(key, account)));
  }

  /** Returns the id that has the address, also where the making of the account was cut off, or its removal. */
  idOf(email: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.get(sharedKeys.email(emailHash(email))));
  }
}

/** The address itself stays out of key names, which show in logs and monitors. */
export function emailHash(address: string): string {
  return sha256(address.trim().normalize('NFC').toLowerCase());
}

function identityHashOf({ issuer, subject }: Identity): string {
  return sha256(JSON.stringify([issuer, subject]));
}
