import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { ApiError } from '@perch/schema';
import { until } from '@perch/testkit';
import { loadImage } from 'canvas';
import { BadPicture } from '@perch/schema';
import { RenderPool } from '../src/render-pool.js';
import { brokenPng, card, menuJob, pictureJob, sha256, uploadsOf } from './jobs.js';
import { halves, noise } from './pictures.js';

const sound = { kind: 'sound', account: 'a-test', hash: 'h', spec: { chime: 'done' }, rate: 16_000 } as const;
const slow = { ...sound, spec: { notes: Array.from({ length: 300 }, () => 'C4:100').join(' '), bell: true }, rate: 48_000 } as const;

describe('RenderPool', () => {
  let pool: RenderPool;
  const lost: Error[] = [];

  before(async () => {
    pool = new RenderPool({ processes: 1, jobMsMax: 10_000, onError: (error) => lost.push(error) });
    await pool.start();
  });

  after(() => pool.close());

  it('renders pictures and sounds in another process', async () => {
    const [picture, melody] = await Promise.all([pool.render(card), pool.render(sound)]);
    assert.ok(picture.kind === 'picture' && melody.kind === 'sound');
    assert.deepEqual([picture.format, picture.w, picture.h], ['png', 320, 240]);
    assert.ok(Buffer.isBuffer(picture.data) && Buffer.isBuffer(melody.data));
    assert.equal((await loadImage(picture.data)).width, 320);
    assert.ok(melody.data.length > 1000);
  });

  it('draws the pictures of a job and fits them to the limits of the robot', async () => {
    const upload = noise(1000, 1000).toBuffer('image/jpeg', 80);
    const made = await pool.render({ ...pictureJob(upload), bytesMax: 30_000 }, uploadsOf(upload));
    assert.ok(made.kind === 'picture' && made.format === 'jpeg' && made.data.length <= 30_000);
  });

  it('names the upload at fault and keeps using the same process', async () => {
    const before = pool.pids;
    const good = halves(20, 20).toBuffer('image/png');
    await assert.rejects(pool.render(menuJob([good, brokenPng]), uploadsOf(good, brokenPng)), (error) => {
      return error instanceof BadPicture && error.code === 'bad_picture' && error.upload === sha256(brokenPng);
    });
    await pool.render(card);
    assert.deepEqual(pool.pids, before);
    assert.deepEqual(lost, []);
  });

  it('runs more jobs than it has processes, one after the other', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => pool.render(card)));
    assert.equal(all.length, 20);
    assert.equal(new Set(all.map((made) => sha256(made.data))).size, 1);
  });

  it('fails only the job whose process dies, and starts another process', async () => {
    const [pid] = pool.pids;
    const dying = pool.render(slow);
    const next = pool.render(card);
    process.kill(pid ?? 0, 'SIGKILL');
    await assert.rejects(dying, (error) => error instanceof ApiError && error.code === 'render_failed');
    assert.equal((await next).kind, 'picture');
    assert.notDeepEqual(pool.pids, [pid]);
    assert.match(lost[0]?.message ?? '', /SIGKILL/);
  });

  it('fails a job that takes too long, and continues with another process', async () => {
    const hasty = new RenderPool({ processes: 1, jobMsMax: 40 });
    await hasty.start();
    const [pid] = hasty.pids;
    await assert.rejects(
      hasty.render(slow),
      (error) => error instanceof ApiError && error.code === 'render_failed' && /too long/.test(error.message),
    );
    await until(() => hasty.pids.length === 1 && hasty.pids[0] !== pid);
    await hasty.close();
  });

  it('ends the process of a dropped job without reporting an error, and continues with another process', async () => {
    const reported: Error[] = [];
    const dropping = new RenderPool({ processes: 1, jobMsMax: 10_000, onError: (error) => reported.push(error) });
    await dropping.start();
    const [pid] = dropping.pids;
    const [running, waiting] = [new AbortController(), new AbortController()];
    const jobs = [running, waiting].map(({ signal }) => assert.rejects(dropping.render(slow, new Map(), signal), /no caller waits/));
    const next = dropping.render(card);
    for (const dropped of [waiting, running]) dropped.abort(new Error('no caller waits'));
    await Promise.all(jobs);
    assert.equal((await next).kind, 'picture');
    assert.notDeepEqual(dropping.pids, [pid]);
    assert.deepEqual([reported, dropping.size], [[], 0]);
    await assert.rejects(dropping.render(card, new Map(), AbortSignal.abort(new Error('no caller waits'))), /no caller waits/);
    await dropping.close();
  });

  it('replaces a process that takes more memory than its limit, and answers the job that is waiting', async () => {
    const small = new RenderPool({ processes: 1, jobMsMax: 10_000, rssMbMax: 1, onError: (error) => lost.push(error) });
    await small.start();
    const [pid] = small.pids;
    const errors = lost.length;
    const made = await Promise.all([small.render(card), small.render(card)]);
    assert.deepEqual(
      made.map(({ kind }) => kind),
      ['picture', 'picture'],
    );
    assert.ok(!small.pids.includes(pid!), 'another process');
    assert.equal(lost.length, errors);
    await small.close();
  });

  describe('with a priority and a short time for jobs', () => {
    let low: RenderPool;
    before(async () => {
      low = new RenderPool({ processes: 1, jobMsMax: 3000, niceness: 5 });
      await low.start();
    });
    after(() => low.close());

    it('runs its processes at the configured priority', () => {
      assert.equal(getPriority(low.pids[0]), getPriority(pool.pids[0]) + 5);
    });

    it('does not count the time in which the renderer itself was stopped against a job', async () => {
      const made = low.render(card);
      // Blocks this process, as a stop does.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
      assert.equal((await made).kind, 'picture');
    });
  });

  it('ignores the Ctrl-C of a terminal, which reaches every process', async () => {
    const [pid] = pool.pids;
    process.kill(pid ?? 0, 'SIGINT');
    process.kill(pid ?? 0, 'SIGTERM');
    await pool.render(card);
    assert.deepEqual(pool.pids, [pid]);
  });

  it('starts its processes with the first job if it was not started before', async () => {
    const idle = new RenderPool({ processes: 2, jobMsMax: 10_000 });
    assert.deepEqual(idle.pids, []);
    const made = await Promise.all([idle.render(card), idle.render(sound)]);
    assert.deepEqual(
      made.map(({ kind }) => kind),
      ['picture', 'sound'],
    );
    await until(() => idle.pids.length === 2);
    await idle.close();
  });

  it('leaves no process and no open job behind', async () => {
    const [pid] = pool.pids;
    const unfinished = [pool.render(slow), pool.render(slow), pool.render(card)].map((job) => assert.rejects(job, /shutting down/));
    await pool.close();
    await Promise.all(unfinished);
    await assert.rejects(pool.render(card), /shutting down/);
    assert.throws(() => process.kill(pid ?? 0, 0), /ESRCH/);
  });
});
