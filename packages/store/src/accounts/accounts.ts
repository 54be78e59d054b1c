/** Writing its address creates an account, so that one of two callers succeeds, and a crash before leaves a record that nothing refers to. */
import { ApiError, isEmailAddress } from '@perch/schema';
import { inDoubt, StoreError, guarded } from '../redis/errors.js';
import { accountRemoved } from './account-limits.js';
import { newId, sha256 } from '../redis/ids.js';
import { accountKeys, sharedKeys } from '../redis/keys.js';
import { redisTimeMs } from '../redis/in-time.js';
import type { Connections } from '../redis/connections.js';
import { scannedSet, slicesOf } from '../redis/scans.js';

export interface Account {
  id: string;
  /** As given; unique regardless of case. */
  email: string;
  /** Redis ms. */
  createdAt: number;
}

const accountsAtOnce = 100;

/** A user's identity at an OpenID Connect provider. The subject is unique only for its issuer. */
export interface Identity {
  issuer: string;
  subject: string;
}

export interface NewAccount {
  email: string;
  /** Hash of it. */
  password?: string;
  identity?: Identity;
  /** Whether the provider of the identity vouches for the address. Default: false. */
  verified?: boolean;
}

export class Accounts {
  readonly #redis: Connections;

  constructor(redis: Connections) {
    this.#redis = redis;
  }

  /** On disk when this resolves, as far as `durably` can know. @throws {ApiError} bad_argument when the address is invalid or taken */
  async create({ email, password, identity, verified = false }: NewAccount): Promise<{ account: string }> {
    const address = email.trim();
    if (!isEmailAddress(address)) throw new ApiError('bad_argument', 'email: not an e-mail address', { field: 'email' });
    const taken = new ApiError('bad_argument', 'email: there is an account with this address', { field: 'email' });
    if (emailHash(address) === emailHash(probeAccount.email)) throw taken;
    const account = newId('a');
    const { commands } = this.#redis;
    const identityHash = identity === undefined ? null : identityHashOf(identity);
    const write = async (): Promise<boolean> => {
      const now = await redisTimeMs(this.#redis);
      await commands.hset(accountKeys.record(account), {
        email: address,
        created_at: now,
        ...(verified ? { verified_at: now } : {}),
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
    if (!made) throw taken;
    if (identityHash !== null) await inDoubt(() => this.#bind(identityHash, account));
    return { account };
  }

  /**
   * Creates the account of the probes unless it exists: without a password or identity, so that nobody signs in to it. On disk when this resolves.
   * @returns whether it is new @throws {StoreError} full: it is being removed, or, under a release before 0.11, another account took its address
   */
  async ensureProbes(): Promise<boolean> {
    const { id, email } = probeAccount;
    const { commands } = this.#redis;
    const [record, address] = [accountKeys.record(id), sharedKeys.email(emailHash(email))];
    const write = async (): Promise<boolean> => {
      const [holder, removing] = await Promise.all([commands.get(address), commands.hget(record, 'removing')]);
      if (removing !== null) throw accountRemoved();
      if (holder !== null && holder !== id) throw new StoreError('full', `The address ${email} belongs to account ${holder}. Remove that account.`);
      if (holder === id) return false;
      await commands.hset(record, { email, created_at: await redisTimeMs(this.#redis) });
      await commands.sadd(sharedKeys.accounts(), id);
      await commands.set(address, id);
      return true;
    };
    return this.#redis.durably([record, address, sharedKeys.accounts()], () => guarded(write));
  }

  async list(): Promise<Account[]> {
    const accounts = new Map<string, Account>();
    for await (const ids of scannedSet(this.#redis, sharedKeys.accounts())) {
      for (const slice of slicesOf(ids, accountsAtOnce)) {
        for (const account of await Promise.all(slice.map((id) => this.get(id)))) if (account !== null) accounts.set(account.id, account);
      }
    }
    return [...accounts.values()].toSorted((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id));
  }

  /** Returns null also when the removal has begun, as the other lookups do. */
  async get(id: string): Promise<Account | null> {
    const { email, created_at, removing } = await guarded(() => this.#redis.commands.hgetall(accountKeys.record(id)));
    if (email === undefined || removing !== undefined || (await this.idOf(email)) !== id) return null;
    return { id, email, createdAt: Number(created_at) };
  }

  /** Returns when the address of an account was verified (Redis ms), or null. */
  async verifiedAt(id: string): Promise<number | null> {
    const at = await guarded(() => this.#redis.commands.hget(accountKeys.record(id), 'verified_at'));
    return at === null ? null : Number(at);
  }

  /** Returns whether whoever made the account has the address: it was verified, or an OpenID Connect provider vouched for it before 0.10 noted this. */
  async isProven(id: string): Promise<boolean> {
    const [verifiedAt, identity] = await guarded(() => this.#redis.commands.hmget(accountKeys.record(id), 'verified_at', 'identity'));
    return typeof verifiedAt === 'string' || typeof identity === 'string';
  }

  /** Marks the address as verified; the first time counts. On disk when this resolves. @returns false if the account does not exist */
  async verify(id: string): Promise<boolean> {
    const key = accountKeys.record(id);
    return this.#redis.durably([key], async () => (await this.#redis.script('accountVerify', [key], [])) === 1);
  }

  async findByEmail(email: string): Promise<Account | null> {
    const id = await this.idOf(email);
    return id === null ? null : this.get(id);
  }

  /** @param email verified address, if any: finds an account whose creation was interrupted before its identity key was written */
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

  /** Returns also the id of an account whose creation or removal was interrupted. */
  idOf(email: string): Promise<string | null> {
    return guarded(() => this.#redis.commands.get(sharedKeys.email(emailHash(email))));
  }
}

/** Addresses are hashed to keep them out of key names, which show in logs and monitors. */
export function emailHash(address: string): string {
  return sha256(address.trim().normalize('NFC').toLowerCase());
}

function identityHashOf({ issuer, subject }: Identity): string {
  return sha256(JSON.stringify([issuer, subject]));
}

/** The account of the probes (services/probe), whose calls and robots are in no figure: they would count the service's own checks as its use. */

/** No account gets it at random: those ids have no `o`. */
const id = 'a-perchprobe';

/** No mail reaches it, and nobody can show that it is theirs: `.invalid` is reserved (RFC 2606). */
const email = 'probe@perch.invalid';

export const probeAccount = { id, email } as const;

/** Returns whether this is the account of the probes, which every figure of calls or robots leaves out. */
export function isProbeAccount(account: string): boolean {
  return account === id;
}
