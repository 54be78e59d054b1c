import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { privateRedis, until, type LocalRedis } from '@perch/testkit';
import fc from 'fast-check';
import { newId, sha256 } from '../src/redis/ids.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { defaultMediaBounds, MediaQuota, type MediaBounds } from '../src/media/media-budget.js';
import { Media } from '../src/media/media.js';
import { connect, type Connections } from '../src/redis/connections.js';

const mb = 2 ** 20;
const ttlMs = 60_000;
const pictureBytes = 98_304;
const isFull = (error: unknown): boolean => (error as { kind?: string }).kind === 'full';

describe('the media budget of all accounts', () => {
  let server: LocalRedis;
  let redis: Connections;

  before(async () => {
    server = await privateRedis();
    redis = await connect({ url: server.url });
  });
  afterEach(() => redis.commands.flushall());
  after(async () => {
    await redis?.close();
    await server?.stop();
  });

  it('returns the bytes of all accounts without expired media', async () => {
    const quota = new MediaQuota(redis, { accountMb: 32, mb: 256 });
    assert.deepEqual(await quota.usageOfAll(), { bytes: 0, bytesMax: 256 * mb });
    await quota.reserve(newId('a'), 'media:kept', 1000, ttlMs);
    await quota.reserve(newId('a'), 'media:kept', 1000, ttlMs);
    const both = 2 * (1000 + 1024);
    assert.equal((await quota.usageOfAll()).bytes, both);
    await quota.reserve(newId('a'), 'media:short', 1000, 1);
    await until(async () => (await quota.usageOfAll()).bytes === both);
  });

  /** Reserves large pictures for an account until one is refused, then small ones. @returns the bytes reserved, and the reason of the last refusal */
  const fill = async (quota: MediaQuota, account: string): Promise<{ bytes: number; refusal: Error }> => {
    let bytes = 0;
    let refusal = new Error('nothing was refused');
    for (const size of [10 * pictureBytes, pictureBytes]) {
      for (let i = 0; ; i++) {
        try {
          await quota.reserve(account, `media:${size}:${i}`, size, ttlMs);
          bytes += size;
        } catch (error) {
          assert.ok(isFull(error), String(error));
          refusal = error as Error;
          break;
        }
      }
    }
    return { bytes, refusal };
  };
  const used = async (): Promise<number> => {
    const [reserved, shared] = await redis.commands.hmget(sharedKeys.mediaBudgetBytes(0), 'reserved', 'shared');
    return Number(reserved ?? 0) + Number(shared ?? 0);
  };

  it('refuses nine accounts that fill the budget with 503 storage_full, and no photograph of twenty other accounts', async () => {
    const quota = new MediaQuota(redis, defaultMediaBounds);
    const flooding = Array.from({ length: 9 }, () => newId('a'));
    const fills = await Promise.all(flooding.map((account) => fill(quota, account)));
    for (const { bytes, refusal } of fills) {
      assert.ok(bytes >= 1.4 * mb, `an account has reserved only ${bytes} bytes`);
      assert.match(refusal.message, /of all accounts have almost reached 256 MB, and this account holds its fair part|account's .* reached 32 MB/);
    }
    assert.ok(fills.some(({ refusal }) => refusal.message.includes('256 MB')));
    for (let i = 0; i < 20; i++) {
      const account = newId('a');
      await quota.reserve(account, 'upload', 300_000, ttlMs);
      await quota.reserve(account, 'media', pictureBytes, ttlMs);
    }
    for (const account of flooding) await assert.rejects(quota.reserve(account, 'one more', 1_000_000, ttlMs), isFull);
    assert.ok((await used()) <= 256 * mb);
  });

  it('accepts the largest possible photograph of a new account after nine others have filled the budget', async () => {
    const quota = new MediaQuota(redis, defaultMediaBounds);
    for (let i = 0; i < 9; i++) await fill(quota, newId('a'));
    const account = newId('a');
    await quota.reserve(account, 'upload', 1_200_000, ttlMs);
    await quota.reserve(account, 'media', pictureBytes, ttlMs);
  });

  it('lets a single account use its full quota, and three accounts at least half of their quotas', async () => {
    const quota = new MediaQuota(redis, defaultMediaBounds);
    const first = await fill(quota, newId('a'));
    assert.match(first.refusal.message, /account's .* reached 32 MB/);
    assert.ok(first.bytes > 31 * mb);
    for (let i = 0; i < 2; i++) assert.ok((await fill(quota, newId('a'))).bytes > 16 * mb);
  });

  it('limits all accounts to PERCH_MEDIA_MB=16 together, and each to PERCH_ACCOUNT_MEDIA_MB=4', async () => {
    const bounds: MediaBounds = { mb: 16, accountMb: 4 };
    const quota = new MediaQuota(redis, bounds);
    const fills = [];
    for (let i = 0; i < 30; i++) fills.push(await fill(quota, newId('a')));
    assert.match(fills[0]!.refusal.message, /account's .* reached 4 MB/);
    assert.match(fills[29]!.refusal.message, /almost reached 16 MB/);
    assert.ok((await used()) <= 16 * mb && (await used()) > 10 * mb, String(await used()));
  });

  it('stores nothing of a refused picture, and frees the bytes of expired and released ones', async () => {
    const quota = new MediaQuota(redis, { mb: 16, accountMb: 32 });
    const media = new Media(redis, { mb: 16, accountMb: 32 });
    const account = newId('a');
    const { bytes } = await fill(quota, account);
    const before = await used();
    const refused = { account, hash: sha256(randomUUID()) };
    const data = Buffer.alloc(pictureBytes);
    await assert.rejects(media.put(account, refused.hash, { kind: 'picture', format: 'png', w: 1, h: 1, data }), isFull);
    assert.equal(await media.find(account, refused.hash, 1000), null);
    assert.equal(await redis.commands.exists(accountKeys.mediaData(account, refused.hash)), 0);
    assert.equal(await used(), before);
    assert.equal(Number(await redis.commands.hget(accountKeys.quotaBytes(account), 'total')), before);

    const entries = await redis.commands.zrange(accountKeys.quota(account), '0', '-1');
    for (let i = 0; i < 2; i++) await quota.release(account, entries[0]!);
    await quota.reserve(account, entries[0]!, pictureBytes, ttlMs);
    for (const entry of entries) {
      await redis.commands.zadd(sharedKeys.mediaBudget(0), '1', `${account}:${entry}`);
      await redis.commands.zadd(accountKeys.quota(account), '1', entry);
    }
    assert.equal((await fill(quota, account)).bytes, bytes);
  });

  it('expires reservations of a gateway that died before it stored the bytes', async () => {
    const quota = new MediaQuota(redis, { mb: 16, accountMb: 32 });
    await quota.reserve(newId('a'), 'upload', 1000, 200);
    assert.ok((await used()) > 0);
    const keys = [sharedKeys.mediaBudget(0), sharedKeys.mediaBudgetBytes(0), sharedKeys.mediaBudgetReserved(0), sharedKeys.mediaBudgetShared(0)];
    await until(async () => (await redis.commands.exists(...keys)) === 0, { what: 'the budget to expire' });
  });

  it('never exceeds the budget, and never refuses an account within its fair share, whatever the others store', async () => {
    const budget = 1_000_000;
    const operation = fc.record({
      account: fc.nat({ max: 40 }),
      entry: fc.nat({ max: 8 }),
      bytes: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 3000 }) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }) }),
      action: fc.constantFrom('reserve', 'reserve', 'reserve', 'reserve', 'release', 'expire'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 40, maxLength: 150 }), async (operations) => {
        const tag = `perch:{media-test-${randomUUID()}}`;
        const keys = [tag, `${tag}:bytes`, `${tag}:reserved`, `${tag}:shared`] as const;
        const held = new Map<string, Map<string, number>>();
        const sumOf = (account: string): number => [...(held.get(account)?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
        for (const { account: number, entry: entryNumber, bytes, action } of operations) {
          const [account, entry] = [`a${number}`, `e${entryNumber}`];
          const name = `${account}:${entry}`;
          const own = held.get(account) ?? new Map<string, number>();
          if (action === 'release') {
            await redis.script('mediaBudgetRelease', keys, [name]);
            own.delete(entry);
          } else if (action === 'expire') {
            if (own.delete(entry)) await redis.commands.zadd(tag, '1', name);
          } else {
            const size = Math.max(bytes, 1);
            const wanted = sumOf(account) - (own.get(entry) ?? 0) + size;
            const others = [...held].filter(([other, entries]) => other !== account && entries.size > 0).length;
            const charged = await redis.script('mediaBudgetReserve', keys, [name, size, ttlMs, budget]);
            if (charged === 1) held.set(account, own.set(entry, size));
            else assert.ok(wanted > budget / 16 / (others + 1), `${wanted} bytes of ${account} were refused beside ${others} accounts`);
          }
          if (own.size === 0) held.delete(account);
        }
        // Removes expired entries.
        await redis.script('mediaBudgetReserve', keys, ['last:one', 1, ttlMs, budget]);
        const parts = (await redis.commands.zrevrange(keys[2], '0', '-1', 'WITHSCORES')).filter((_, i) => i % 2 === 1).map(Number);
        parts.forEach((bytes, i) => assert.ok(bytes * (i + 1) <= budget / 16, `the part of rank ${i + 1} has ${bytes} bytes`));
        const sums = (await redis.commands.hmget(keys[1]!, 'reserved', 'shared')).map(Number) as [number, number];
        assert.equal(
          sums[0] + (sums[1] || 0),
          [...held.keys()].reduce((sum, account) => sum + sumOf(account), 1),
        );
        assert.ok(sums[0] + (sums[1] || 0) <= budget);
      }),
      { numRuns: 25 },
    );
  });
});
