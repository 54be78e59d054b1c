import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from './errors.js';
import { wireVersionWritten } from './versions/wire-versions.js';
import type { StoreOptions } from './store-options.js';
import { openStore, type Store } from './store.js';

/** Each attempt takes up to 5 s. */
const retryMs = 1000;

/** Retries until Redis answers. @param signal of `Part.start` @throws its reason once aborted; errors other than an unreachable Redis at once */
export async function openStoreWhenUp(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await openStore(options);
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error;
      options.onError?.(error);
    }
    await sleep(retryMs, undefined, { signal });
  }
}

export const serviceStore = { wireVersion: wireVersionWritten, open: openStoreWhenUp };
