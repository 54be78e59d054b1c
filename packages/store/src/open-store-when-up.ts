/** Opens the store of a service at start, also when Redis is not running yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from './errors.js';
import { openStore, type Store, type StoreOptions } from './store.js';

/** Pause between two attempts, ms; each attempt itself takes up to 5 s. */
const retryMs = 1000;

/**
 * Opens the store, retrying until Redis answers. Meanwhile the service reports on its admin port that it is not ready.
 * @param signal ends the attempts; pass the one that `Part.start` gets
 * @throws the signal's reason once it is aborted; errors other than an unreachable Redis at once
 */
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
