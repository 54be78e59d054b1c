/** Opens the store when a service starts, also if Redis is not running yet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from './errors.js';
import { openStore, type Store, type StoreOptions } from './store.js';

/** Pause between two attempts, ms; each attempt takes up to 5 s. */
const retryMs = 1000;

/**
 * Opens the store, retrying until Redis answers. Meanwhile the admin server reports that the service is not ready.
 * @param signal stops the attempts; pass the one that `Part.start` receives
 * @throws the signal's reason once it is aborted; errors other than an unreachable Redis immediately
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
