/** Tests of data in Redis that a later release wrote: it counts as missing or ended, is counted, and does not affect other data. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DrawJob, WaitRecord } from '@perch/schema';
import { until } from '@perch/testkit';
import fc from 'fast-check';
import { formats, type FormatName, Forms } from '../src/redis/formats.js';
import type { Store } from '../src/index.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import { closeStores, held, hello, testRobot, testStore } from './fixtures.js';

const later = JSON.stringify({ v: 99, everything: 'else' });

describe('records and jobs of a later release', () => {
  let store: Store;
  beforeEach(async () => {
    store = await testStore();
  });
  afterEach(closeStores);

  const counted = (format: FormatName): number => store.connections.forms.unreadable.get(format) ?? 0;
  const record = (number: number): WaitRecord => ({
    number,
    kind: 'ask',
    targets: [{ shape: 'rect', x: 0, y: 0, w: 9, h: 9 }],
    picture: null,
    timeoutMs: 30_000,
    gateway: 'gw-a',
    call: 'gw-a.1',
    requestId: 'q',
  });

  it('takes a robot over without its open wait if the wait cannot be read', async () => {
    const robot = await testRobot(store);
    await held(store, robot);
    const number = (await store.waits.number(robot))!;
    await store.waits.open(robot, record(number));
    await store.connections.commands.hset(robotKeys.wait(robot, number), 'record', JSON.stringify({ ...record(number), v: 2 }));
    const taken = await store.leases.take(robot, hello({ dial: 2 }));
    assert.ok(!('refused' in taken));
    assert.equal(taken.wait, null);
    assert.equal(await store.waits.read(robot, number), null);
    assert.equal(counted('wait_record'), 2);
  });

  it('treats a wait whose outcome cannot be read as ended with outcome_unknown', async () => {
    const robot = await testRobot(store);
    const number = (await store.waits.number(robot))!;
    await store.waits.open(robot, record(number));
    await store.connections.commands.hset(robotKeys.wait(robot, number), 'outcome', later);
    const outcome = (await store.waits.read(robot, number))?.outcome;
    assert.equal(outcome?.outcome === 'failed' && outcome.code, 'outcome_unknown');
    assert.equal(counted('wait_outcome'), 1);
  });

  it('answers outcome_unknown for an idempotent call whose answer cannot be read, and skips unreadable replies', async () => {
    const robot = await testRobot(store);
    const claim = { fingerprint: 'f', claim: randomUUID(), gateway: 'gw-a' };
    await store.calls.begin(robot, 'one', claim);
    await store.connections.commands.hset(robotKeys.call(robot, 'one'), { 'reply:0': later, 'reply:1': '{"t":"ack","id":"x","result":{}}' });
    assert.deepEqual([...(await store.calls.read(robot, 'one'))!.replies.keys()], [1]);
    await store.calls.end(robot, 'one', claim.claim, { answer: {} });
    await store.connections.commands.hset(robotKeys.call(robot, 'one'), 'outcome', later);
    const ended = await store.calls.resume(robot, 'one', { ...claim, claim: randomUUID() });
    assert.equal(ended.state === 'ended' && 'failure' in ended.outcome && ended.outcome.failure.code, 'outcome_unknown');
    assert.deepEqual([counted('call_reply'), counted('call_outcome')], [1, 1]);
  });

  it('treats readings, sounds, pictures and hellos that cannot be read as missing', async () => {
    const robot = await testRobot(store);
    const said = await held(store, robot);
    const { commands } = store.connections;
    await commands.set(robotKeys.saved(robot), later);
    assert.equal(await store.leases.saved(robot), null);
    await commands.set(robotKeys.playing(robot), later);
    const taken = await store.leases.take(robot, hello({ dial: 2, session: `${said.session}2` }));
    assert.ok(!('refused' in taken) && taken.playing === null);
    await commands.hset(robotKeys.record(robot), 'hello', later);
    assert.deepEqual((await store.robots.get(robot))?.hello.features, []);
    await commands.set(accountKeys.media('a-test', 'h'), later);
    await commands.set(accountKeys.mediaData('a-test', 'h'), 'bytes');
    assert.deepEqual(await store.media.findResult('a-test', 'h', 1000), { ref: null, failure: null });
    // A session that takes the robot reads it again, for the light of its screen.
    assert.ok(!('light' in taken));
    assert.equal(counted('robot_saved'), 2);
    for (const format of ['robot_playing', 'robot_hello', 'media'] as const) assert.equal(counted(format), 1, format);
  });

  it('leaves a render job of a later release in the queue for a renderer that can read it, and drops it when no caller waits', async () => {
    const account = `a-${randomUUID()}`;
    const job = { v: 99, kind: 'draw', account, hash: randomUUID(), scene: {}, uploads: [], formats: ['png'], bytesMax: 9 } satisfies DrawJob;
    const want = { job, pixels: 1, flight: randomUUID() };
    const { priority } = await store.jobs.want(want);
    await store.jobs.request(job, priority);
    let made = 0;
    const none = (): Promise<never> => Promise.reject(new Error('no sound'));
    const handlers = { draw: () => Promise.reject(new Error(`drawn ${(made += 1)} times`)), sound: none, speech: none };
    const worker = store.jobs.work(handlers, { scenes: 1, uploads: 1, speech: 1 });
    await worker.ready();
    // The job is returned to the queue repeatedly, and never drawn.
    await until(() => counted('render_job') >= 3);
    assert.deepEqual(await store.media.findResult(account, job.hash, 1000), { ref: null, failure: null });
    store.jobs.leave(want, null);
    const after = async (): Promise<boolean> => {
      const before = counted('render_job');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return counted('render_job') === before;
    };
    await until(after, { what: 'the job to be dropped' });
    assert.equal(made, 0);
    await worker.close();
  });

  it('returns null without throwing for any text of an unknown version', () => {
    const reported: string[] = [];
    const forms = new Forms(({ message }) => reported.push(message));
    const names = Object.keys(formats) as FormatName[];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.oneof(fc.string(), fc.json()), fc.option(fc.jsonValue()), (name, text, v) => {
        const read = forms.read<{ v?: unknown }>(name, text);
        if (read !== null) assert.ok((formats[name].reads as readonly unknown[]).includes(read.v ?? 1));
        if (v !== null && v !== 1 && v !== 2) assert.equal(forms.read(name, JSON.stringify({ v })), null);
      }),
    );
    assert.ok(reported.length > 0);
  });
});
