import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { until } from '@perch/testkit';
import { newId, sha256 } from '../src/redis/ids.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { defaultMediaBounds, MediaQuota, overheadBytes } from '../src/media/media-budget.js';
import { Media, mediaLifeMs, type MadeMedia } from '../src/media/media.js';
import { redisTimeMs } from '../src/redis/in-time.js';
import type { Connections } from '../src/redis/connections.js';
import { Uploads } from '../src/media/uploads.js';
import { testConnections } from './checked-scripts.js';
import { budgetOf } from './fixtures.js';

const picture = (data: Buffer): MadeMedia => ({ kind: 'picture', format: 'png', w: 320, h: 240, data });
const bytes = (length: number) => Buffer.alloc(length, 7);

describe('media and uploads', () => {
  let redis: Connections;
  let media: Media;
  let uploads: Uploads;

  before(async () => {
    redis = await testConnections();
    media = new Media(redis);
    uploads = new Uploads(redis);
  });
  after(() => redis.close());

  const place = () => ({ account: newId('a'), hash: sha256(randomBytes(8)) });
  const held = async (account: string) => Number((await redis.commands.hget(accountKeys.quotaBytes(account), 'total')) ?? 0);
  const heldInAll = async (account: string) => {
    const number = budgetOf(redis, account);
    const entries = await redis.commands.hgetall(sharedKeys.mediaBudgetBytes(number));
    const sum = Object.entries(entries).reduce(
      (bytes, [entry, charged]) => (entry.startsWith(`${account}:`) ? bytes + Number(charged.slice(1)) : bytes),
      0,
    );
    const [reserved, shared] = await Promise.all([
      redis.commands.zscore(sharedKeys.mediaBudgetReserved(number), account),
      redis.commands.hget(sharedKeys.mediaBudgetShared(number), account),
    ]);
    assert.equal(Number(reserved ?? 0) + Number(shared ?? 0), sum, "the sums of the account's two parts");
    return sum;
  };

  it('returns the stored bytes, whole and in parts', async () => {
    const { account, hash } = place();
    const data = randomBytes(5000);
    const ref = await media.put(account, hash, picture(data));
    assert.deepEqual(ref, { kind: 'picture', account, hash, format: 'png', w: 320, h: 240, bytes: 5000, crc32: crc32(data) });
    assert.deepEqual(await media.find(account, hash, 1000), ref);
    assert.deepEqual(await media.read(ref), data);
    assert.deepEqual(await media.range(ref, 4000, 2000), data.subarray(4000));
    assert.deepEqual(await media.range(ref, 0, 16), data.subarray(0, 16));
    assert.equal(await media.range(ref, 5000, 16), null);
    const sound = await media.put(account, sha256('s'), { kind: 'sound', format: 'pcm_s16le', rate: 16000, data });
    assert.deepEqual(sound, { kind: 'sound', account, hash: sha256('s'), format: 'pcm_s16le', rate: 16000, bytes: 5000 });
  });

  it('finds no media of another account or hash', async () => {
    const { account, hash } = place();
    await media.put(account, hash, picture(bytes(10)));
    for (const other of [place(), { account, hash: sha256('other') }, { account: newId('a'), hash }]) {
      assert.equal(await media.find(other.account, other.hash, 1000), null);
      assert.equal(await media.read(other), null);
      assert.equal(await media.range(other, 0, 10), null);
    }
  });

  it('keeps media for a minute, and extends it for callers that need it longer', async () => {
    const { account, hash } = place();
    await media.put(account, hash, picture(bytes(10)));
    const lives = () =>
      Promise.all(
        [accountKeys.media(account, hash), accountKeys.mediaData(account, hash), accountKeys.quota(account), accountKeys.quotaBytes(account)].map(
          (key) => redis.commands.pttl(key),
        ),
      );
    assert.ok(Math.min(...(await lives())) > 60_000);
    const later = (await redisTimeMs(redis)) + 170_000;
    await media.find(account, hash, 180_000);
    assert.ok(Math.min(...(await lives())) > 180_000);
    const inAll = async () => Number(await redis.commands.zscore(sharedKeys.mediaBudget(budgetOf(redis, account)), `${account}:media:${hash}`));
    assert.ok((await inAll()) > 0);
    await until(async () => (await inAll()) > later, {
      what: 'the entry in the budget of all accounts to be extended',
    });
    await media.find(account, hash, 1000);
    assert.ok(Math.min(...(await lives())) > 170_000);
  });

  it('finds media with one command', async () => {
    const { account, hash } = place();
    await media.put(account, hash, picture(bytes(10)));
    const sent: string[] = [];
    const untouchable = new Proxy(redis.commands, { get: (_, name) => assert.fail(`a command beside the script: ${String(name)}`) });
    const watched = new Media({ ...redis, commands: untouchable, script: (name, keys, args) => (sent.push(name), redis.script(name, keys, args)) });
    assert.equal((await watched.find(account, hash, 60_000))?.hash, hash);
    assert.deepEqual(sent, ['mediaFind']);
  });

  it('notifies waiting callers of completion and of failure', async () => {
    const { account, hash } = place();
    const heard: (string | null)[] = [];
    const stop = await redis.subscriber.subscribe(accountKeys.mediaChannel(account, hash), (message) => heard.push(message));
    await media.fail(account, hash, { code: 'bad_picture', error: 'No.' });
    await media.put(account, hash, picture(bytes(10)));
    await until(() => heard.length === 2);
    stop();
    const ref = await media.find(account, hash, 0);
    assert.deepEqual(heard, ['failed', `${mediaLifeMs} ${JSON.stringify(ref)}`]);
    assert.deepEqual(media.announced(heard[1]!, mediaLifeMs), { ref, failure: null });
    for (const message of ['done', 'failed', 'growing', '9 {', '90000 {"v":9}', '90000 {}', '90000 null'])
      assert.equal(media.announced(message, 0), null, message);
  });

  it('distinguishes failures, expires them after seconds, and never hides a picture by a failure', async () => {
    const { account, hash } = place();
    await media.fail(account, hash, { code: 'render_failed', error: 'No.' });
    const { failure } = await media.findResult(account, hash, 1000);
    assert.deepEqual([failure?.code, failure?.error, failure?.uploadGone], ['render_failed', 'No.', false]);
    assert.equal(await media.find(account, hash, 60_000), null);
    assert.ok((await redis.commands.pttl(accountKeys.media(account, hash))) <= 5000);
    await media.fail(account, hash, { code: 'render_failed', error: 'No.' });
    assert.notEqual((await media.findResult(account, hash, 1000)).failure?.id, failure?.id);
    const ref = await media.put(account, hash, picture(bytes(10)));
    await media.fail(account, hash, { code: 'render_failed', error: 'Late.' });
    assert.deepEqual(await media.findResult(account, hash, 1000), { ref, failure: null });
  });

  it('does not find media whose bytes are missing', async () => {
    const { account, hash } = place();
    await media.put(account, hash, picture(bytes(10)));
    await redis.commands.del(accountKeys.mediaData(account, hash));
    assert.equal(await media.find(account, hash, 1000), null);
  });

  it('stores at most 32 MB per account including uploads by default', async () => {
    const { account, hash } = place();
    // On a Cluster, each master has a part of what all accounts may hold: enough here for one account to reach its own limit.
    const quota = new MediaQuota(redis, { ...defaultMediaBounds, mb: 1024 });
    // Reserves without bytes: the embedded Redis takes longer than a second for 32 MB.
    await quota.reserve(account, 'all but a KB', 32 * 2 ** 20 - 2 * overheadBytes, 60_000);
    const full = { kind: 'full', message: /account's .* 32 MB/ };
    await assert.rejects(media.put(account, hash, picture(bytes(1))), full);
    await assert.rejects(uploads.put({ account, hash }, 'sha', bytes(1)), full);
    await forget(redis, account);
  });

  it('stores at most the set MB per account including uploads, without effect on other accounts', async () => {
    const bounds = { ...defaultMediaBounds, accountMb: 4 };
    const [smallMedia, smallUploads] = [new Media(redis, bounds), new Uploads(redis, bounds)];
    const account = newId('a');
    const part = 2 ** 19;
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        i % 2
          ? smallMedia.put(account, sha256(`m${i}`), picture(bytes(part)))
          : smallUploads.put({ account, hash: sha256(`u${i}`) }, sha256(`${i}`), bytes(part)),
      ),
    );
    for (const one of tries) if (one.status === 'rejected') assert.match(String(one.reason), /account's .* 4 MB/);
    for (const one of tries) if (one.status === 'rejected') assert.equal(one.reason.kind, 'full');
    const kept = tries.filter((one) => one.status === 'fulfilled').length;
    assert.equal(kept, 7, 'seven of half a MB and what keeping them costs');
    assert.ok((await held(account)) <= 4 * 2 ** 20);
    assert.equal(await heldInAll(account), await held(account));
    const other = newId('a');
    await smallMedia.put(other, sha256('m'), picture(bytes(part)));
    assert.equal((await smallMedia.find(other, sha256('m'), 1000))?.bytes, part);
    await Promise.all([account, other].map((one) => forget(redis, one)));
  });

  it('counts a picture once, however often it is stored', async () => {
    const { account, hash } = place();
    await media.put(account, hash, picture(bytes(1000)));
    const once = await held(account);
    await Promise.all(Array.from({ length: 5 }, () => media.put(account, hash, picture(bytes(1000)))));
    assert.equal(await held(account), once);
    assert.equal(await heldInAll(account), once);
  });

  it('frees the bytes of media that was dropped or has expired', async () => {
    const account = newId('a');
    const hash = sha256('m');
    const render = { account, hash };
    await uploads.put(render, 'sha', randomBytes(1000));
    assert.ok((await held(account)) >= 1000);
    await Promise.all([uploads.drop(render, 'sha'), uploads.drop(render, 'sha')]);
    assert.equal(await held(account), 0);
    assert.equal(await heldInAll(account), 0);
    assert.equal(await uploads.take(render, 'sha'), null);

    await media.put(account, hash, picture(bytes(1000)));
    await redis.commands.zadd(accountKeys.quota(account), '1', `media:${hash}`);
    await uploads.put(render, 'sha', Buffer.from('x'));
    assert.ok((await held(account)) < 1500 + 1024, 'what ended is taken out before the next goes in');
  });

  it('keeps uploads for a minute, for the render that needs them', async () => {
    const render = place();
    const data = randomBytes(100);
    await uploads.put(render, 'sha', data);
    assert.deepEqual(await uploads.take(render, 'sha'), data);
    const ttl = await redis.commands.pttl(accountKeys.upload(render.account, render.hash, 'sha'));
    assert.ok(ttl > 50_000 && ttl <= 60_000);
    assert.equal(await uploads.take({ ...render, hash: sha256('other') }, 'sha'), null);
    assert.equal(await uploads.take({ ...render, account: newId('a') }, 'sha'), null);
  });
});

/** Frees the media of a test, so that it does not count against the common budget in other tests. */
async function forget(redis: Connections, account: string): Promise<void> {
  const entries = await redis.commands.zrange(accountKeys.quota(account), '0', '-1');
  const quota = new MediaQuota(redis, defaultMediaBounds);
  for (const entry of entries) await quota.release(account, entry);
}
