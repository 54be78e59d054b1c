import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from './redis/errors.js';
import type { OnFinding } from './redis/redis-capabilities.js';
import { Refusals } from './redis/refused.js';
import { wireVersionWritten } from './messaging/wire-versions.js';
import type { StoreOptions } from './store-options.js';
import { placeOf } from './redis/connections.js';
import { redisAddress } from './redis/redis-address.js';
import { openStore, type Store } from './store.js';

/** Each attempt takes up to 5 s. */
const retryMs = 1000;

/** Retries until Redis answers. @param signal of `Part.start` @throws its reason once aborted; errors other than an unreachable Redis at once */
export async function openStoreWhenUp(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  let isOpen = false;
  const said = new Set<string>();
  const { onFinding } = options;
  // Each attempt finds the same.
  const once: OnFinding = (level, text) => {
    if (!isOpen && said.has(text)) return;
    said.add(text);
    onFinding?.(level, text);
  };
  for (;;) {
    signal.throwIfAborted();
    try {
      const store = await openStore({ ...options, ...(onFinding && { onFinding: once }) });
      isOpen = true;
      return store;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error;
      options.onError?.(error);
    }
    await sleep(retryMs, undefined, { signal });
  }
}

/** Returns `redis://host:port as user perch`, never the password. */
export function placeWithUser(url: string): string {
  const { user } = redisAddress(url);
  return `${placeOf(url)} ${user === null ? 'without a user' : `as user ${user}`}`;
}

export const serviceStore = { wireVersion: wireVersionWritten, refusals: () => new Refusals(), placeOf: placeWithUser, open: openStoreWhenUp };
