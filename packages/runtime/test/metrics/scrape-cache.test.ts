import assert from 'node:assert/strict';
import { scrapeCache } from '../../src/metrics/scrape-cache.js';

describe('the cache of a scrape', () => {
  it('reads once for scrapes that come together or soon after each other', async () => {
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

  it('answers null without waiting for a reading that does not end, and takes its value once it does', async () => {
    let end: (read: number) => void = () => {};
    const value = scrapeCache(() => new Promise<number>((resolve) => (end = resolve)), { keptMs: 60_000, waitMs: 10 });
    assert.equal(await value(), null);
    assert.equal(await value(), null);
    end(7);
    assert.equal(await value(), 7);
  });

  it('answers null for a reading that fails', async () => {
    const value = scrapeCache(() => Promise.reject(new Error('Redis is away')));
    assert.equal(await value(), null);
  });
});
