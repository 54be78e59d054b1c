import assert from 'node:assert/strict';
import { scrapeCache } from '../../src/metrics/scrape-cache.js';

describe('scrapeCache', () => {
  it('reads once for concurrent scrapes and scrapes in quick succession', async () => {
    let reads = 0;
    const value = scrapeCache(async () => (reads += 1), { keptMs: 60_000 });
    assert.deepEqual(await Promise.all([value(), value()]), [1, 1]);
    assert.equal(await value(), 1);
  });

  it('reads again once the value is too old', async () => {
    let reads = 0;
    const value = scrapeCache(async () => (reads += 1), { keptMs: 0 });
    assert.deepEqual([await value(), await value()], [1, 2]);
  });

  it('returns null while a reading is pending for too long, and its value once it completes', async () => {
    let end: (read: number) => void = () => {};
    const value = scrapeCache(() => new Promise<number>((resolve) => (end = resolve)), { keptMs: 60_000, waitMs: 10 });
    assert.equal(await value(), null);
    assert.equal(await value(), null);
    end(7);
    assert.equal(await value(), 7);
  });

  it('returns null when a reading fails', async () => {
    const value = scrapeCache(() => Promise.reject(new Error('Redis is away')));
    assert.equal(await value(), null);
  });
});
