/** Cache of values that scrapes read from Redis: read at most every few seconds for all scrapers; a scrape does not wait for a Redis that does not answer. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface ScrapeCacheOptions {
  /** How long a value is reused, ms. */
  keptMs?: number;
  /** How long a scrape waits for a new value, ms. */
  waitMs?: number;
}

/** Returns a function that returns the value, read again if the last one is too old, or null if it could not be read in time. */
export function scrapeCache<T>(read: () => Promise<T>, { keptMs = 3_000, waitMs = 500 }: ScrapeCacheOptions = {}): () => Promise<T | null> {
  let last: { value: T; at: number } | null = null;
  let reading: Promise<T | null> | null = null;

  async function refresh(): Promise<T | null> {
    try {
      const value = await read();
      last = { value, at: performance.now() };
      return value;
    } catch {
      return null;
    } finally {
      reading = null;
    }
  }

  return async () => {
    if (last !== null && performance.now() - last.at < keptMs) return last.value;
    reading ??= refresh();
    const late = new AbortController();
    try {
      return await Promise.race([reading, sleep(waitMs, null, { signal: late.signal, ref: false })]);
    } finally {
      late.abort();
    }
  };
}
