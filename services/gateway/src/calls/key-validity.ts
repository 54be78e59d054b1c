/**
 * A key may be revoked while a call lasts, and a robot no longer be shared. So that the call ends within a second, open calls are checked regularly,
 * others before each effect.
 */
import { ApiError } from '@perch/schema';
import type { GuestPass, Store } from '@perch/store';

const trustedMs = 750;
/** The second must also cover the round trip of the check and the delay of a busy process. */
export const openCallCheckMs = 500;

/** Shared by all parts of a call. */
export interface KeyCheck {
  /** When the API key was last known to work, on the clock of performance.now(). */
  at: number;
}

export class KeyValidity {
  readonly #apiKeys: Pick<Store['apiKeys'], 'stillValid' | 'ownerOf'>;
  readonly #guests: Pick<Store['guests'], 'stillHave'>;

  constructor(apiKeys: Pick<Store['apiKeys'], 'stillValid' | 'ownerOf'>, guests: Pick<Store['guests'], 'stillHave'>) {
    this.#apiKeys = apiKeys;
    this.#guests = guests;
  }

  /** To be called before each effect. @param before ends the error message */
  async require({ keyHash, keyCheck, guest }: { keyHash: string; keyCheck: KeyCheck; guest: GuestPass | null }, before: string): Promise<void> {
    if (isRecentCheck(keyCheck.at)) return;
    const checkedAt = performance.now();
    await this.requireNow({ keyHash, guest }, before);
    keyCheck.at = checkedAt;
  }

  /**
   * To be called after what outlives the call was stored: a revocation ends what it finds, and what it does not find yet is stored before this check.
   * @param before ends the error message
   */
  async requireNow({ keyHash, guest }: { keyHash: string; guest: GuestPass | null }, before: string): Promise<void> {
    const [stopped, ended] = await Promise.all([this.stopped([keyHash]), this.ended(guest === null ? [] : [guest])]);
    if (stopped.has(keyHash)) throw keyStopped(before);
    if (ended.size > 0) throw sharingEnded(before);
  }

  /** Returns who asks, for what outlives the call (`ApiKeys.ownerOf`). @param before ends the error message */
  async ownerOf({ keyHash }: { keyHash: string }, before: string): Promise<string> {
    const owner = await this.#apiKeys.ownerOf(keyHash);
    if (owner === null) throw keyStopped(before);
    return owner;
  }

  async stopped(keyHashes: readonly string[]): Promise<ReadonlySet<string>> {
    const valid = await this.#apiKeys.stillValid(keyHashes);
    return new Set(keyHashes.filter((_, i) => valid[i] === false));
  }

  /** Returns those whose robot is no longer shared as their call needs it. */
  async ended(guests: readonly GuestPass[]): Promise<ReadonlySet<GuestPass>> {
    if (guests.length === 0) return none;
    const still = await this.#guests.stillHave(guests);
    return new Set(guests.filter((_, i) => still[i] === false));
  }
}

const none: ReadonlySet<GuestPass> = new Set();

/** @param checkedAt on the clock of performance.now() */
export function isRecentCheck(checkedAt: number): boolean {
  return performance.now() - checkedAt <= trustedMs;
}

export function keyStopped(when: string): ApiError {
  return new ApiError('unauthorized', `The API key stopped working ${when}.`);
}

export function sharingEnded(when: string): ApiError {
  return new ApiError('unknown_robot', `The robot is no longer shared with you, or only to watch: this changed ${when}.`);
}
