/** Runs commands sent without a script and turns errors of ioredis into a StoreError. */
import { asStoreError } from '../errors.js';

export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asStoreError(error);
  }
}
