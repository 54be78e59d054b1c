/** A key may be revoked while a call lasts. So that it stops working within a second, open calls are checked regularly, others before each effect. */
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';

const trustedMs = 750;
/** The second must also cover the round trip of the check and the delay of a busy process. */
export const openCallCheckMs = 500;

/** Shared by all parts of a call. */
export interface KeyCheck {
  /** When the API key was last known to work, on the clock of performance.now(). */
  at: number;
}

export class KeyValidity {
  readonly #apiKeys: Pick<Store['apiKeys'], 'stillValid'>;

  constructor(apiKeys: Pick<Store['apiKeys'], 'stillValid'>) {
    this.#apiKeys = apiKeys;
  }

  /** To be called before each effect. @param before ends the error message */
  async require({ keyHash, keyCheck }: { keyHash: string; keyCheck: KeyCheck }, before: string): Promise<void> {
    if (isRecentCheck(keyCheck.at)) return;
    const checkedAt = performance.now();
    if ((await this.stopped([keyHash])).has(keyHash)) throw keyStopped(before);
    keyCheck.at = checkedAt;
  }

  async stopped(keyHashes: readonly string[]): Promise<ReadonlySet<string>> {
    const valid = await this.#apiKeys.stillValid(keyHashes);
    return new Set(keyHashes.filter((_, i) => valid[i] === false));
  }
}

/** @param checkedAt on the clock of performance.now() */
export function isRecentCheck(checkedAt: number): boolean {
  return performance.now() - checkedAt <= trustedMs;
}

export function keyStopped(when: string): ApiError {
  return new ApiError('unauthorized', `The API key stopped working ${when}.`);
}
