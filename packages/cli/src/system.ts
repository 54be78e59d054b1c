/** The running system that is administered. What opens its Redis is loaded only here: calls over HTTP need none of it. */
import type { Store } from '@perch/store';
import { Refused } from './refused.js';

/** Runs the work on the system's store, which is closed after it. @throws {Refused} where there is no store, or the work is refused */
export async function withStoreAt<T>(redisUrl: string, work: (store: Store) => Promise<T>): Promise<T> {
  if (redisUrl === '') {
    throw new Refused(
      'PERCH_REDIS_URL is not set. It names the Redis of the running system, for example redis://127.0.0.1:6379; npm start prints the one it uses.',
      'usage',
    );
  }
  const [{ openStore, StoreError }, { ApiError }] = await Promise.all([import('@perch/store'), import('@perch/schema')]);
  try {
    const store = await openStore({ url: redisUrl, instance: `cli-${process.pid}` });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError && error.outOfMemory)
      throw new Refused(
        `the Redis of PERCH_REDIS_URL has reached its memory limit and stores nothing new; revoking and removing work: ${error.message}`,
      );
    if (error instanceof StoreError) throw new Refused(`the Redis of PERCH_REDIS_URL does not answer: ${error.message}`);
    throw error instanceof ApiError ? new Refused(error.message) : error;
  }
}
