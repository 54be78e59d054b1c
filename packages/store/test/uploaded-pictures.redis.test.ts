import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../src/index.js';
import { newId } from '../src/redis/ids.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { UploadedPictures, Uploads } from '../src/media/uploads.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';
import { budgetOf, keysOf } from './fixtures.js';

const dayMs = 24 * 60 * 60 * 1000;

describe('UploadedPictures', () => {
  let redis: Connections;
  let pictures: UploadedPictures;
  let account: string;

  before(async () => {
    redis = await testConnections();
    pictures = new UploadedPictures(redis);
  });
  beforeEach(() => {
    account = newId('a');
  });
  after(() => redis.close());

  const held = async (of = account): Promise<number> => Number((await redis.commands.hget(accountKeys.quotaBytes(of), 'total')) ?? 0);
  const heldInAll = async (of = account): Promise<string[]> =>
    (await redis.commands.zrange(sharedKeys.mediaBudget(budgetOf(redis, of)), '0', '-1')).filter((entry) => entry.startsWith(`${of}:`));

  it('returns the bytes by id for a day, to their account only', async () => {
    const bytes = randomBytes(5000);
    const id = await pictures.put(account, bytes);
    assert.match(id, /^p-[0-9a-z]{20}$/);
    assert.deepEqual(await pictures.read(account, id), bytes);
    assert.equal(await pictures.has(account, id), true);
    const ttl = await redis.commands.pttl(accountKeys.picture(account, id));
    assert.ok(ttl > dayMs - 60_000 && ttl <= dayMs, String(ttl));
    const other = newId('a');
    assert.equal(await pictures.read(other, id), null);
    assert.equal(await pictures.has(other, id), false);
  });

  it('reads no other key for an id that is none', async () => {
    await redis.commands.set(accountKeys.picture(account, 'x'), 'secret');
    for (const id of ['x', '', `p-${'0'.repeat(20)}:x`, `p-${'i'.repeat(20)}`, `P-${'0'.repeat(20)}`, `p-${'0'.repeat(20)}\n`]) {
      assert.equal(await pictures.read(account, id), null, JSON.stringify(id));
    }
  });

  it('gives the same picture the same id, keeps it for a day from its last upload, and counts it once', async () => {
    const bytes = randomBytes(5000);
    const id = await pictures.put(account, bytes);
    await redis.commands.pexpire(accountKeys.picture(account, id), 1000);
    const before = await held();
    assert.equal(await pictures.put(account, bytes), id);
    assert.equal(await held(), before);
    assert.equal((await pictures.list(account)).length, 1);
    assert.ok((await redis.commands.pttl(accountKeys.picture(account, id))) > dayMs - 60_000);
    assert.notEqual(await pictures.put(account, randomBytes(5000)), id);
  });

  it('gives each account an id of its own for the same picture, and reads those that 0.10.x made of the picture alone', async () => {
    const bytes = randomBytes(5000);
    const other = newId('a');
    const [own, foreign] = [await pictures.put(account, bytes), await pictures.put(other, bytes)];
    assert.notEqual(own, foreign);
    assert.equal(await pictures.read(account, foreign), null);
    assert.equal(await pictures.has(other, own), false);
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
    const hash = createHash('sha256').update(bytes).digest();
    const earlier = `p-${Array.from(hash.subarray(0, 20), (byte) => alphabet[byte % 32]).join('')}`;
    assert.equal(await pictures.has(account, earlier), false, 'whoever knows the picture cannot name it');
    await redis.commands.set(accountKeys.picture(account, earlier), bytes, 'PX', dayMs);
    assert.deepEqual(await pictures.read(account, earlier), bytes);
  });

  it('removes the oldest pictures of an account beyond half of its media quota, and what they count', async () => {
    const small = new UploadedPictures(redis, { accountMb: 1, mb: 256 });
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) {
      ids.push(await small.put(account, randomBytes(100_000)));
      // Their order is that of the milliseconds in which they were uploaded.
      await sleep(2);
    }
    const kept = (await small.list(account)).map(({ id }) => id);
    assert.deepEqual(kept, ids.slice(-5));
    for (const id of ids) assert.equal(await small.has(account, id), kept.includes(id), id);
    assert.equal(await held(), 5 * (100_000 + 1024));
    assert.deepEqual((await heldInAll()).sort(), kept.map((id) => `${account}:picture:${id}`).sort());
    // A picture that is uploaded again is no longer the oldest.
    const again = await small.read(account, kept[0]!);
    await small.put(account, again!);
    await sleep(2);
    await small.put(account, randomBytes(100_000));
    assert.equal(await small.has(account, kept[0]!), true);
    assert.equal(await small.has(account, kept[1]!), false);
  });

  it('keeps at most half of the quota and 1,000 pictures, however many are uploaded at once', async () => {
    const small = new UploadedPictures(redis, { accountMb: 1, mb: 256 });
    // All 16 have room for a moment; a 17th would be refused where none has been removed yet.
    await Promise.all(Array.from({ length: 16 }, () => small.put(account, randomBytes(60_000))));
    const kept = await small.list(account);
    assert.ok(kept.reduce((sum, { bytes }) => sum + bytes, 0) <= 2 ** 19);
    for (const { id } of kept) assert.equal(await small.has(account, id), true);
    assert.equal((await keysOf(redis, accountKeys.picture(account, '*'))).length, kept.length);
    assert.equal(await held(), kept.length * (60_000 + 1024));
    assert.equal((await heldInAll()).length, kept.length);
    const others = Array.from({ length: 1010 }, (_, i) => [Date.now() + dayMs - 60_000 + i, `p-${String(i).padStart(20, '0')}:1`]).flat();
    await redis.commands.zadd(accountKeys.pictures(account), ...others);
    const id = await small.put(account, randomBytes(10));
    const { length, [length - 1]: last } = await small.list(account);
    assert.deepEqual([length, last!.id], [1000, id]);
  });

  it('stores nothing if the media of the account leave no room', async () => {
    const bounds = { accountMb: 1, mb: 256 };
    const small = new UploadedPictures(redis, bounds);
    await new Uploads(redis, bounds).put({ account, hash: 'h' }, 'sha', randomBytes(900_000));
    const bytes = randomBytes(300_000);
    await assert.rejects(
      small.put(account, bytes),
      (error) => error instanceof StoreError && error.kind === 'full' && /uploaded/.test(error.message),
    );
    assert.deepEqual(await small.list(account), []);
    assert.equal(await held(), 900_000 + 1024);
  });

  it('forgets expired pictures', async () => {
    const id = await pictures.put(account, randomBytes(100));
    await redis.commands.zadd(accountKeys.pictures(account), 1, (await redis.commands.zrange(accountKeys.pictures(account), '0', '-1'))[0]!);
    const next = await pictures.put(account, randomBytes(100));
    assert.deepEqual(
      (await pictures.list(account)).map((each) => each.id),
      [next],
    );
    assert.notEqual(next, id);
  });
});
