import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Worker } from 'bullmq';
import { ApiError, type DrawJob, type RenderJob, type SoundJob } from '@perch/schema';
import { redisUrl, until } from '@perch/testkit';
import { StoreError } from '../src/errors.js';
import { newId, sha256 } from '../src/ids.js';
import { Jobs, type RenderWorker } from '../src/jobs/jobs.js';
import { accountKeys, sharedKeys } from '../src/keys.js';
import { Media } from '../src/media/media.js';
import { connect, type Connections } from '../src/redis/connections.js';
import type { RenderHandlers } from '../src/media/render-work.js';
import { renderHash, Renders } from '../src/media/renders.js';
import { shardsOf } from './fixtures.js';
import { Uploads } from '../src/media/uploads.js';

/** The parts of the store that one gateway or renderer uses. */
interface Instance {
  redis: Connections;
  media: Media;
  uploads: Uploads;
  jobs: Jobs;
  renders: Renders;
  errors: Error[];
}

describe('renders', () => {
  let gateway: Instance;
  let other: Instance;
  let renderer: Instance;
  let worker: RenderWorker;
  /** The handler of jobs in the renderer; each test sets it. */
  let handle: RenderHandlers;
  /** Hashes of the jobs that were passed to a handler. */
  let drawn: string[];

  const open = async (): Promise<Instance> => {
    const errors: Error[] = [];
    const redis = await connect({ url: await redisUrl() });
    const [media, uploads] = [new Media(redis), new Uploads(redis)];
    const jobs = new Jobs({ redis, media, uploads, shards: shardsOf(redis), onError: (error) => errors.push(error) });
    return { redis, media, uploads, jobs, renders: new Renders(redis, media, uploads, jobs), errors };
  };

  before(async () => {
    [gateway, other, renderer] = [await open(), await open(), await open()];
    worker = renderer.jobs.work(
      {
        draw: (job, uploads, signal) => (drawn.push(job.hash), handle.draw(job, uploads, signal)),
        sound: (job, signal) => (drawn.push(job.hash), handle.sound(job, signal)),
        taken: (job, waitedMs) => handle.taken?.(job, waitedMs),
      },
      { scenes: 2, uploads: 2 },
    );
    await worker.ready();
  });
  beforeEach(() => {
    drawn = [];
    handle = {
      draw: async (job, uploads) => ({
        kind: 'picture',
        format: 'png',
        w: 320,
        h: 240,
        data: Buffer.concat([Buffer.from(JSON.stringify(job.scene)), ...uploads.values()]),
      }),
      sound: async (job) => ({ kind: 'sound', format: 'pcm_s16le', rate: job.rate, data: Buffer.alloc(job.rate) }),
    };
    renderer.errors.length = 0;
  });
  after(async () => {
    for (const { jobs, redis } of [gateway, other, renderer]) {
      await jobs.close();
      await redis.close();
    }
  });

  const drawJob = (more: Partial<DrawJob> = {}): DrawJob => {
    const job = { kind: 'draw', account: newId('a'), scene: { text: newId('a') }, uploads: [], formats: ['png'], bytesMax: 98304, ...more } as const;
    return { ...job, uploads: [...job.uploads], formats: [...job.formats], hash: renderHash(job as Omit<DrawJob, 'hash'>) };
  };
  const soundJob = (): SoundJob => {
    const job = { kind: 'sound', account: newId('a'), spec: { notes: `C4:${Math.ceil(Math.random() * 30000)}`, bell: false }, rate: 16000 } as const;
    return { ...job, hash: renderHash(job) };
  };
  const ttlMs = 60_000;

  it('renders a picture and a sound once, and returns them again without a job', async () => {
    for (const job of [drawJob(), soundJob()] as RenderJob[]) {
      const ref = await gateway.renders.obtain(job, { ttlMs });
      assert.deepEqual([ref.kind, ref.account, ref.hash], [job.kind === 'draw' ? 'picture' : 'sound', job.account, job.hash]);
      assert.equal((await gateway.media.read(ref))?.length, ref.bytes);
      assert.deepEqual(await other.renders.obtain(job, { ttlMs }), ref);
    }
    assert.equal(drawn.length, 2);
  });

  it('creates one job for 64 equal concurrent requests on two instances', async () => {
    const job = drawJob();
    const refs = await Promise.all(Array.from({ length: 64 }, (_, i) => (i % 2 ? gateway : other).renders.obtain(job, { ttlMs })));
    assert.deepEqual(drawn, [job.hash]);
    for (const ref of refs) assert.deepEqual(ref, refs[0]);
    assert.equal(gateway.redis.subscriber.size + other.redis.subscriber.size, 0);
  });

  it('reports for each render how long it waited until a worker took it', async () => {
    const waits = new Map<string, number>();
    handle.taken = ({ hash }, waitedMs) => void waits.set(hash, waitedMs);
    const good = handle.draw;
    const busy = [drawJob(), drawJob()];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    handle.draw = async (job, ...given) => {
      if (busy.some(({ hash }) => hash === job.hash)) await held;
      return good(job, ...given);
    };
    const first = busy.map((job) => gateway.renders.obtain(job, { ttlMs }));
    await until(() => drawn.length === 2);
    const last = drawJob();
    const waiting = gateway.renders.obtain(last, { ttlMs });
    await until(async () => (await gateway.jobs.waiting()).scenes === 1);
    const began = Date.now();
    await until(() => Date.now() - began >= 200);
    release();
    await Promise.all([...first, waiting]);
    assert.ok(waits.get(last.hash)! >= 200, `${waits.get(last.hash)} ms`);
    assert.ok(busy.every(({ hash }) => waits.has(hash)));
  });

  it('does not fail a render because of a paused worker that had lost the job: another worker renders it', async () => {
    const good = handle.draw;
    let tries = 0;
    handle.draw = async (...given) => {
      if (++tries > 1) return good(...given);
      const { commands } = renderer.redis;
      const locks = await commands.keys(`${sharedKeys.jobs(0)}:render:*:lock`);
      assert.equal(locks.length, 1);
      await commands.del(...locks);
      throw new Error('stopped for too long');
    };
    const job = drawJob();
    const ref = await gateway.renders.obtain(job, { ttlMs });
    assert.deepEqual([ref.hash, tries], [job.hash, 2]);
  });

  it('repeats a render if Redis did not reply to the renderer once, or until its connection was cut', async () => {
    const good = handle.draw;
    const late = () => Promise.reject(new StoreError('unavailable', 'Redis: Command timed out'));
    const cut: typeof good = (...given) => (renderer.redis.commands.disconnect(true), good(...given));
    for (const first of [late, cut]) {
      let tries = 0;
      handle.draw = (...given) => (++tries === 1 ? first : good)(...given);
      const job = drawJob();
      const ref = await gateway.renders.obtain(job, { ttlMs });
      assert.deepEqual([ref.hash, tries], [job.hash, 2]);
      assert.match(renderer.errors.splice(0).join(), /Redis/);
    }
  });

  it('renders different concurrent requests once each', async () => {
    const jobs = Array.from({ length: 20 }, () => drawJob());
    const refs = await Promise.all(jobs.map((job) => gateway.renders.obtain(job, { ttlMs })));
    assert.deepEqual(drawn.toSorted(), jobs.map(({ hash }) => hash).toSorted());
    assert.deepEqual(
      refs.map(({ hash }) => hash),
      jobs.map(({ hash }) => hash),
    );
  });

  it('renders many concurrent first requests of an instance among its other commands', async () => {
    for (let round = 0; round < 10; round += 1) {
      const fresh = await open();
      try {
        const rendered = new AbortController();
        const traffic = (async () => {
          while (!rendered.signal.aborted) {
            const numbers = Array.from({ length: 20 }, (_, i) => String(i));
            assert.deepEqual(await Promise.all(numbers.map((number) => fresh.redis.commands.ping(number))), numbers, 'each answer goes to who asked');
          }
        })();
        const refs = await Promise.all(Array.from({ length: 8 }, () => fresh.renders.obtain(drawJob(), { ttlMs }))).finally(() => rendered.abort());
        await traffic;
        assert.equal(refs.length, 8);
      } finally {
        await fresh.jobs.close();
        await fresh.redis.close();
      }
    }
  });

  it('extends the life of a found render as long as each caller needs it', async () => {
    const job = drawJob();
    await Promise.all([gateway.renders.obtain(job, { ttlMs: 1000 }), gateway.renders.obtain(job, { ttlMs: 170_000 })]);
    assert.ok((await gateway.redis.commands.pttl(accountKeys.mediaData(job.account, job.hash))) > 169_000);
  });

  it('passes the uploads to the renderer, and deletes them after the render', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const ref = await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) });
    assert.ok((await gateway.media.read(ref))!.includes(data));
    await until(async () => (await gateway.uploads.take(job, sha)) === null);
    await until(async () => Number(await gateway.redis.commands.hget(accountKeys.ledgerBytes(job.account), 'total')) < 1000 + 2048, {
      what: 'the upload to leave the ledger',
    });
  });

  it('does not store an upload for a picture that exists', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const made = await gateway.media.put(job.account, job.hash, { kind: 'picture', format: 'png', w: 1, h: 1, data });
    assert.deepEqual(await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) }), made);
    assert.equal(await gateway.uploads.take(job, sha), null);
    assert.deepEqual(drawn, []);
  });

  it('keeps an upload while another render needs it', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const account = newId('a');
    const jobs = Array.from({ length: 10 }, () => drawJob({ account, uploads: [sha] }));
    const refs = await Promise.all(jobs.map((job) => gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) })));
    for (const ref of refs) assert.ok((await gateway.media.read(ref))!.includes(data));
    assert.equal(drawn.length, 10);
  });

  it('stores an upload again that had expired before its job was taken', async () => {
    const data = randomBytes(1000);
    const sha = sha256(data);
    const job = drawJob({ uploads: [sha] });
    const want = { job, pixels: 1, flight: 'another-gateway' };
    await gateway.jobs.request(job, await gateway.jobs.want(want));
    await until(async () => (await gateway.media.look(job.account, job.hash, ttlMs)).failure !== null);
    const ref = await gateway.renders.obtain(job, { ttlMs, uploads: new Map([[sha, data]]) });
    assert.ok((await gateway.media.read(ref))!.includes(data));
  });

  it('reports that a picture cannot be decoded, and does not retry at once', async () => {
    const draw = handle.draw;
    handle.draw = () => Promise.reject(new ApiError('bad_picture', 'image: not a JPEG or PNG'));
    const job = drawJob();
    await assert.rejects(gateway.renders.obtain(job, { ttlMs }), { code: 'bad_picture', message: 'image: not a JPEG or PNG' });
    handle.draw = draw;
    await assert.rejects(other.renders.obtain(job, { ttlMs }), { code: 'bad_picture' });
    assert.deepEqual(drawn, [job.hash]);
    assert.deepEqual(renderer.errors, []);
  });

  it('answers render_failed without details, reports the error, and succeeds on the next request', async () => {
    const draw = handle.draw;
    handle.draw = () => Promise.reject(new Error('secret detail'));
    const job = drawJob();
    await assert.rejects(
      gateway.renders.obtain(job, { ttlMs }),
      (error: ApiError) => error.code === 'render_failed' && !error.message.includes('secret'),
    );
    assert.deepEqual(
      renderer.errors.map(({ message }) => message),
      ['secret detail'],
    );
    handle.draw = draw;
    assert.equal((await gateway.renders.obtain(job, { ttlMs })).hash, job.hash);
  });

  it('answers storage_full when the account has reached its quota, in gateway or renderer', async () => {
    const account = newId('a');
    const ledger = [accountKeys.ledger(account), accountKeys.ledgerBytes(account)] as const;
    await gateway.redis.script('ledgerReserve', ledger, ['filler', 32 * 2 ** 20 - 3000, 60_000, 32 * 2 ** 20]);
    const data = randomBytes(5000);
    const sha = sha256(data);
    await assert.rejects(gateway.renders.obtain(drawJob({ account, uploads: [sha] }), { ttlMs, uploads: new Map([[sha, data]]) }), {
      code: 'storage_full',
    });
    assert.deepEqual(drawn, []);
    await assert.rejects(gateway.renders.obtain(drawJob({ account, scene: 'x'.repeat(5000) }), { ttlMs }), { code: 'storage_full' });
    assert.equal(drawn.length, 1);
  });

  it('ends the wait of a caller that closed its connection, and continues for the others', async () => {
    let finish = () => {};
    const draw = handle.draw;
    handle.draw = async (...given) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return draw(...given);
    };
    const job = drawJob();
    const gone = new AbortController();
    const first = gateway.renders.obtain(job, { ttlMs, signal: gone.signal });
    const second = gateway.renders.obtain(job, { ttlMs, signal: new AbortController().signal });
    await until(() => drawn.length === 1);
    gone.abort(new Error('hung up'));
    await assert.rejects(first, { message: 'hung up' });
    finish();
    assert.equal((await second).hash, job.hash);
    await assert.rejects(gateway.renders.obtain(drawJob(), { ttlMs, signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
  });

  it('leaves no subscription when all callers have closed their connections', async () => {
    let finish = () => {};
    const draw = handle.draw;
    handle.draw = async (...given) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return draw(...given);
    };
    const job = drawJob();
    const gone = new AbortController();
    const only = gateway.renders.obtain(job, { ttlMs, signal: gone.signal });
    await until(() => drawn.length === 1);
    gone.abort();
    await assert.rejects(only);
    await until(() => gateway.redis.subscriber.size === 0);
    finish();
  });

  it('finds a finished render although the notification was lost', async () => {
    let finish = () => {};
    handle.draw = () => new Promise((_, reject) => (finish = () => reject(new ApiError('render_failed', 'late'))));
    const job = drawJob();
    const pending = gateway.renders.obtain(job, { ttlMs });
    await until(() => drawn.length === 1);
    const ref = { kind: 'picture', account: job.account, hash: job.hash, format: 'png', bytes: 1, crc32: 1, w: 1, h: 1 };
    await gateway.redis.commands.set(accountKeys.mediaData(job.account, job.hash), 'x', 'PX', 60_000);
    await gateway.redis.commands.set(accountKeys.media(job.account, job.hash), JSON.stringify(ref), 'PX', 60_000);
    assert.deepEqual(await pending, ref);
    finish();
  });

  it('fails a render whose upload is missing', async () => {
    await assert.rejects(gateway.renders.obtain(drawJob({ uploads: [sha256('nowhere')] }), { ttlMs }), { code: 'render_failed' });
    assert.deepEqual(drawn, []);
  });

  it('leaves only the bounded event stream in the queue', async () => {
    for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 20 }, () => gateway.renders.obtain(drawJob(), { ttlMs })));
    const name = (type: string) => `${sharedKeys.jobs(0)}:render:${type}`;
    const { commands } = gateway.redis;
    await until(async () => (await commands.llen(name('active'))) === 0);
    for (const list of ['wait', 'active', 'paused']) assert.equal(await commands.llen(name(list)), 0);
    for (const set of ['completed', 'failed', 'delayed']) assert.equal(await commands.zcard(name(set)), 0);
    // BullMQ trims to about 100 entries, in whole nodes of the stream.
    assert.ok((await commands.xlen(name('events'))) < 300, String(await commands.xlen(name('events'))));
  });

  it('renders with another renderer if one dies while drawing', async function () {
    this.timeout(30_000);
    await worker.close();
    // Simulates a renderer that took the job and died: it neither renews its lock nor finishes the job.
    const connection = renderer.redis.duplicate({ maxRetriesPerRequest: null, enableOfflineQueue: true, commandTimeout: 60_000 });
    let taken = false;
    const dead = new Worker('render', () => ((taken = true), new Promise(() => {})), {
      connection,
      prefix: sharedKeys.jobs(0),
      lockDuration: 6000,
      skipLockRenewal: true,
      skipStalledCheck: true,
    });
    await dead.waitUntilReady();
    const job = drawJob();
    const pending = gateway.renders.obtain(job, { ttlMs });
    await until(() => taken);
    await dead.close(true);
    connection.disconnect();
    worker = renderer.jobs.work(
      { draw: (...given) => handle.draw(...given), sound: (...given) => handle.sound(...given) },
      { scenes: 2, uploads: 2 },
    );
    assert.equal((await pending).hash, job.hash);
  });

  it('hashes all inputs of a render in any order of the fields, without the account', () => {
    const job = { kind: 'draw', account: 'a-1', scene: { a: 1, b: [{ x: 1, y: 2 }] }, uploads: [], formats: ['png'], bytesMax: 10 } as Omit<
      DrawJob,
      'hash'
    >;
    const same = { bytesMax: 10, formats: ['png'], uploads: [], scene: { b: [{ y: 2, x: 1 }], a: 1 }, account: 'a-2', kind: 'draw' } as Omit<
      DrawJob,
      'hash'
    >;
    assert.match(renderHash(job), /^[0-9a-f]{64}$/);
    assert.equal(renderHash(job), renderHash(same));
    assert.equal(renderHash(job), renderHash({ ...job, hash: 'x' } as DrawJob));
    for (const change of [
      { scene: { a: 2, b: [{ x: 1, y: 2 }] } },
      { scene: { a: 1, b: [{ x: 2, y: 1 }] } },
      { uploads: ['s'] },
      { formats: ['jpeg'] },
      { bytesMax: 11 },
    ]) {
      assert.notEqual(renderHash({ ...job, ...change } as Omit<DrawJob, 'hash'>), renderHash(job));
    }
  });
});
