import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { robotKeys } from '../src/redis/keys.js';
import { held, testRobot } from './fixtures.js';

const keptMs = 60_000;

describe('the age of events', () => {
  let store: Store;
  let robot: string;
  let session: string;
  let inSeq: number;
  before(async () => {
    store = await openStore({ ...redisAt(await redisUrl()), instance: `test-${randomUUID().slice(0, 8)}`, eventsKept: { count: 5000, ms: keptMs } });
  });
  after(() => store?.close());
  beforeEach(async () => {
    robot = await testRobot(store);
    inSeq = 0;
    // Created long enough ago for thousands of events.
    await store.connections.commands.hset(robotKeys.record(robot), { created_at: Math.round(store.clock.now()) - 86_400_000 });
    ({ session } = await held(store, robot));
  });

  async function happen(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => ({ name: 'pat' as const, data: {} }));
    await until(async () => {
      await store.connections.commands.hdel(robotKeys.log(robot), 'second');
      return (await store.events.append(robot, { session, bootId: 'boot1', inSeq: inSeq + 1, events })).appended;
    });
    inSeq += 1;
  }

  /** Makes all stored events older than their maximum age. The TTL of the key, which the next event sets, is not changed. */
  async function age(): Promise<void> {
    const { commands } = store.connections;
    const key = robotKeys.events(robot);
    const entries = await commands.xrange(key, '-', '+');
    await commands.unlink(key);
    for (const [id, [n, name, d, data, t, at]] of entries) await commands.xadd(key, id, n!, name!, d!, data!, t!, Number(at) - keptMs - 1000);
  }

  const seqs = async (after = 0) => (await store.events.read(robot, { after })).events.map(({ seq }) => seq);
  const stored = async () => (await store.connections.commands.xrange(robotKeys.events(robot), '-', '+')).length;
  const bytes = async () => Number(await store.connections.commands.hget(robotKeys.log(robot), 'bytes'));

  it('drops expired events with the next event, continues to count bytes and numbers, and shows the gap', async () => {
    await happen(3);
    await age();
    await happen(2);
    await until(async () => (await stored()) === 2);
    const page = await store.events.read(robot, { after: 1 });
    assert.deepEqual(
      page.events.map(({ seq }) => seq),
      [4, 5],
    );
    assert.deepEqual([page.firstSeq, page.lastSeq], [4, 5]);
    assert.equal(await bytes(), 2 * (64 + 'pat'.length + '{}'.length));
  });

  it('does not return expired events, also of a robot without new events', async () => {
    await happen(3);
    await age();
    await happen(1);
    await until(async () => (await stored()) === 1);
    // The fourth event has half the maximum age; the one before it a little less than the maximum.
    const { commands } = store.connections;
    const key = robotKeys.events(robot);
    const now = Math.round(store.clock.now());
    await commands.unlink(key);
    await commands.xadd(key, '3-0', 'n', 'pat', 'd', '{}', 't', now - keptMs + 1500);
    await commands.xadd(key, '4-0', 'n', 'pat', 'd', '{}', 't', now - keptMs / 2);
    await commands.hset(robotKeys.log(robot), 'bytes', 2 * 69);
    await commands.pexpire(key, keptMs / 2);
    assert.deepEqual(await seqs(), [3, 4]);
    await until(async () => (await seqs()).join() === '4', { everyMs: 100 });
    assert.deepEqual([await stored(), await bytes()], [1, 69]);
    assert.equal((await store.events.read(robot, { after: 1 })).firstSeq, 4);
  });

  it('keeps all events of a log without a TTL, as 0.9.0 left it, until the next event', async () => {
    await happen(3);
    await age();
    const { commands } = store.connections;
    await commands.persist(robotKeys.events(robot));
    assert.deepEqual(await seqs(), [1, 2, 3]);
    await happen(1);
    await until(async () => (await stored()) === 1);
    assert.deepEqual([await seqs(), (await commands.pttl(robotKeys.events(robot))) > keptMs / 2], [[4], true]);
  });

  it('drops any number of expired events with one read', async () => {
    for (let i = 0; i < 21; i++) await happen(50);
    await age();
    await happen(1);
    assert.deepEqual(await seqs(), [1051]);
    assert.deepEqual([await stored(), await bytes()], [1, 64 + 'pat'.length + '{}'.length]);
  });

  it('expires the log of a robot without new events together with its bytes', async () => {
    await happen(3);
    const left = await store.connections.commands.pttl(robotKeys.events(robot));
    assert.ok(left > keptMs / 2 && left <= keptMs, `${left} ms`);
    await store.connections.commands.unlink(robotKeys.events(robot));
    assert.equal((await store.events.read(robot, { after: 1 })).firstSeq, 4);
    await happen(1);
    assert.deepEqual([await seqs(), await bytes()], [[4], 64 + 'pat'.length + '{}'.length]);
  });

  it('leaves no work for webhooks when events were dropped before they were queued', async () => {
    await store.connections.commands.hset(robotKeys.log(robot), 'hooked', '0');
    await store.webhooks.create('a-test', { url: 'https://example.com/' });
    await happen(2);
    await store.connections.commands.unlink(robotKeys.events(robot));
    await store.webhookJobs.handOver(robot);
    assert.equal(await store.connections.commands.hget(robotKeys.log(robot), 'hooked'), '2');
  });

  it('writes nothing for a robot that was removed', async () => {
    await happen(1);
    await store.robots.remove('a-test', robot);
    assert.deepEqual(await seqs(), []);
    assert.equal(await store.connections.commands.exists(robotKeys.log(robot)), 0);
  });

  it('completes a read of expired events whose log has been removed meanwhile', async () => {
    await happen(1);
    await age();
    await store.connections.commands.xadd(robotKeys.events(robot), '2-0', 'n', 'pat', 'd', '{}', 't', Math.round(store.clock.now()));
    await store.connections.commands.pexpire(robotKeys.events(robot), keptMs);
    await store.connections.commands.unlink(robotKeys.log(robot));
    assert.deepEqual(await seqs(), [1, 2]);
  });
});
