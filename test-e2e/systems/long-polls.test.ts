import assert from 'node:assert/strict';
import { request } from 'node:http';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { RedisMonitor } from '../fixture/telemetry/redis-monitor.js';
import { TestSystem, type Tenant } from '../fixture/system/test-system.js';

const many = 1000;
/** A bucket is 30 deep. */
const perKey = 25;

interface Poll {
  answer: Promise<{ status: number; body: { events: { seq: number; name: string }[]; last_seq: number } } | null>;
  hangUp(): void;
}

describe('long polls (2 gateways, 1 robot-link, 1 renderer on their own Redis)', () => {
  let redis: LocalRedis;
  let system: TestSystem;
  let monitor: RedisMonitor;
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    system = await TestSystem.open({ gateways: 2, links: 1, renderers: 1 }, { redisUrl: redis.url });
    monitor = await RedisMonitor.open(redis.url);
  });
  afterEach(() => system?.clear());
  after(async () => {
    monitor?.close();
    await system?.close();
    await redis?.stop();
  });

  /** Polls on both gateways in turn, with as many keys as that takes. */
  const hold = async (tenant: Tenant, id: string, path = 'after=1&seconds=60', count = many): Promise<Poll[]> => {
    const keys = await Promise.all(
      Array.from({ length: Math.ceil(count / perKey) }, () => system.store.apiKeys.create({ account: tenant.account, name: 'poll' })),
    );
    return Array.from({ length: count }, (_, i) => poll(`${system.gateway(i)}/v1/robots/${id}/events?${path}`, keys[Math.floor(i / perKey)]!.apiKey));
  };
  const sum = async (name: string, labels = {}): Promise<number> =>
    (await Promise.all(system.cluster.gateways.map(({ admin }) => metric(admin, name, labels)))).reduce((total, value) => total + value, 0);
  const held = (count: number): Promise<unknown> =>
    until(async () => (await sum('perch_gateway_held_calls', { kind: 'poll' })) === count, {
      timeoutMs: 30_000,
      everyMs: 50,
      what: `${count} held polls`,
    });
  const connections = async (): Promise<number> =>
    String(await system.store.connections.commands.call('CLIENT', 'LIST'))
      .trim()
      .split('\n').length;
  const listeners = async (id: string): Promise<number> =>
    Number(((await system.store.connections.commands.call('PUBSUB', 'NUMSUB', `perch:{${id}}:wake:events`)) as [string, number])[1]);

  it("a thousand polls of one robot share the gateway's Redis connections and one subscription, and one event answers them all with one read each", async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
    const before = await connections();
    const polls = await hold(tenant, id);
    await held(many);
    assert.equal(await connections(), before);
    assert.equal(await listeners(id), 2);
    await monitor.settled();
    await robot.tap(7, 8);
    const answers = await Promise.all(polls.map(({ answer }) => answer));
    for (const answer of answers)
      assert.deepEqual([answer?.status, answer?.body.events.map(({ seq, name }) => [seq, name]), answer?.body.last_seq], [200, [[2, 'tap']], 2]);
    const reads = (await monitor.settled()).filter(({ line }) => line.includes(`perch:{${id}}:events"`) && !line.includes('wake'));
    // A gateway reads once, and once more if an event arrived while it read.
    assert.ok(reads.length <= 4, `${reads.length} reads:\n${reads.map(({ line }) => line.slice(0, 200)).join('\n')}`);
    await held(0);
    await until(async () => (await listeners(id)) === 0, { what: 'the subscription to end' });
  });

  it('an event of one of a hundred robots answers the polls of this robot only, of a thousand', async () => {
    const tenant = await system.tenant();
    const robots = await Promise.all(Array.from({ length: 100 }, () => tenant.robot({ instant: true, sensors: false })));
    for (const { id } of robots) await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
    const before = await connections();
    const polls = await Promise.all(robots.map(({ id }) => hold(tenant, id, 'after=1&seconds=60', 10)));
    await held(many);
    assert.equal(await connections(), before);
    for (const chosen of [17, 3]) {
      await robots[chosen]!.robot.pat();
      for (const { answer } of polls[chosen]!) assert.equal((await answer)?.body.events[0]?.name, 'pat');
    }
    await held(many - 20);
    for (const { hangUp } of polls.flat()) hangUp();
    await held(0);
  });

  it('clients that hang up repeatedly leave no polls or subscriptions behind', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
    const [openBefore, connectionsBefore] = [await sum('process_open_fds'), await connections()];
    for (let round = 0; round < 3; round += 1) {
      const polls = await hold(tenant, id, `after=1&seconds=60${round === 1 ? '&names=tap,pat' : ''}`);
      await held(many);
      for (const { hangUp } of polls) hangUp();
      await held(0);
      await until(async () => (await listeners(id)) === 0, { what: 'the subscription to end' });
    }
    assert.equal(await sum('perch_gateway_watched_robots'), 0);
    assert.equal(await connections(), connectionsBefore);
    await until(async () => (await sum('process_open_fds')) <= openBefore + 4, { what: 'the sockets to be closed' });
    const [last] = await hold(tenant, id, 'after=1&seconds=60', 1);
    await held(1);
    await robot.tap(1, 1);
    assert.equal((await last!.answer)?.body.events[0]?.name, 'tap');
  });

  it('a gateway has at most four connections to Redis, whatever it is requested', async () => {
    const before = await connections();
    const gateway = await system.cluster.add('gateway');
    try {
      const tenant = await system.tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      const api = tenant.api().at(gateway.address);
      await Promise.all([api.act(id, 'show', { text: 'A card' }), api.act(id, 'sound', { chime: 'yes' }), api.act(id, 'state')]);
      const polls = await hold(tenant, id, 'after=1&seconds=60', 50);
      const ask = api.act(id, 'ask', { question: 'Q', answers: ['a', 'b'], timeout_s: 1 });
      await robot.until(({ screen }) => screen.question !== null);
      assert.ok((await connections()) - before <= 4, `${(await connections()) - before} connections`);
      await ask;
      for (const { hangUp } of polls) hangUp();
    } finally {
      await gateway.stop();
    }
  });
});

function poll(url: string, key: string): Poll {
  let hangUp = (): void => {};
  const answer = new Promise<Awaited<Poll['answer']>>((resolve) => {
    const call = request(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      response.on('error', () => resolve(null));
    });
    call.on('error', () => resolve(null));
    call.end();
    hangUp = () => call.destroy();
  });
  return { answer, hangUp: () => hangUp() };
}
