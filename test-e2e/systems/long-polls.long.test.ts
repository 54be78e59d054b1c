import assert from 'node:assert/strict';
import { request } from 'node:http';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { RedisMonitor } from '../fixture/telemetry/redis-monitor.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const many = 1000;
/** A bucket is 30 deep. */
const perKey = 25;
/** Polls that are opened at once. All of them at once would let storage time out on a busy machine, and their calls fail with 503. */
const lot = 100;

interface Answer {
  status: number;
  body: { code?: string; events: { seq: number; name: string }[]; last_seq: number };
}

interface Poll {
  answer: Promise<Answer | null>;
  /** How it ended; null while it is open. */
  ended: () => string | null;
  hangUp(): void;
}

describe('long polls (2 gateways, 1 robot-link, 1 renderer on their own Redis)', () => {
  let monitor: RedisMonitor;
  before(function () {
    needsRedisServer(this);
  });
  after(() => monitor?.close());
  const system = useSystem({ gateways: 2, links: 1, renderers: 1 }, async () => ({ redis: await redisProcess() }));
  before(async () => {
    monitor = await RedisMonitor.open(system.redis!.url);
  });
  const open: Poll[] = [];
  afterEach(async () => {
    // Polls that a failed test leaves would be counted by the next one.
    for (const { hangUp } of open.splice(0)) hangUp();
    await held(0);
  });

  const sum = async (name: string, labels = {}): Promise<number> =>
    (await Promise.all(system.cluster.gateways.filter(({ running }) => running).map(({ admin }) => metric(admin, name, labels)))).reduce(
      (total, value) => total + value,
      0,
    );
  const held = (count: number): Promise<unknown> =>
    until(async () => (await sum('perch_gateway_held_calls', { kind: 'poll' })) === count, {
      everyMs: 50,
      what: `${count} held polls`,
    }).catch((cause: Error) => {
      throw new Error(`${cause.message}; of the polls of this test, ${endings(open)}`, { cause });
    });
  /** Resolves once these robots' polls, `each` of them a robot, are held: on both gateways in turn, with as many keys as that takes. */
  const hold = async (tenant: Tenant, ids: readonly string[], each: number, path = 'after=1&seconds=60'): Promise<Poll[]> => {
    const robots = ids.flatMap((id) => Array.from({ length: each }, () => id));
    const keys = await Promise.all(
      Array.from({ length: Math.ceil(robots.length / perKey) }, () => system.store.apiKeys.create({ account: tenant.account, name: 'poll' })),
    );
    const polls: Poll[] = [];
    for (let begin = 0; begin < robots.length; begin += lot) {
      for (const [i, id] of robots.slice(begin, begin + lot).entries()) {
        const at = begin + i;
        polls.push(poll(`${system.gateway(at)}/v1/robots/${id}/events?${path}`, keys[Math.floor(at / perKey)]!.apiKey));
      }
      open.push(...polls.slice(begin));
      await Promise.race([held(polls.length), someEnd(polls)]);
    }
    return polls;
  };
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
    const polls = await hold(tenant, [id], many);
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
    const polls = await hold(
      tenant,
      robots.map(({ id }) => id),
      10,
    );
    const pollsOf = (robot: number): Poll[] => polls.slice(10 * robot, 10 * robot + 10);
    assert.equal(await connections(), before);
    for (const chosen of [17, 3]) {
      await robots[chosen]!.robot.pat();
      for (const { answer } of pollsOf(chosen)) assert.equal((await answer)?.body.events[0]?.name, 'pat');
    }
    await held(many - 20);
    for (const { hangUp } of polls) hangUp();
    await held(0);
  });

  it('clients that hang up repeatedly leave no polls or subscriptions behind', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
    const [openBefore, connectionsBefore] = [await sum('process_open_fds'), await connections()];
    for (let round = 0; round < 3; round += 1) {
      const polls = await hold(tenant, [id], many, `after=1&seconds=60${round === 1 ? '&names=tap,pat' : ''}`);
      for (const { hangUp } of polls) hangUp();
      await held(0);
      await until(async () => (await listeners(id)) === 0, { what: 'the subscription to end' });
    }
    assert.equal(await sum('perch_gateway_watched_robots'), 0);
    assert.equal(await connections(), connectionsBefore);
    await until(async () => (await sum('process_open_fds')) <= openBefore + 4, { what: 'the sockets to be closed' });
    const [last] = await hold(tenant, [id], 1);
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
      const polls = await hold(tenant, [id], 50);
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

/** Rejects once one of these polls has ended. */
async function someEnd(polls: readonly Poll[]): Promise<never> {
  await Promise.race(polls.map(({ answer }) => answer));
  throw new Error(`a poll ended before an event: ${endings(polls)}`);
}

function endings(polls: readonly Poll[]): string {
  const counts = new Map<string, number>();
  for (const { ended } of polls) counts.set(ended() ?? 'open', (counts.get(ended() ?? 'open') ?? 0) + 1);
  return [...counts].map(([how, count]) => `${count} ${how}`).join(', ') || 'none was opened';
}

function poll(url: string, key: string): Poll {
  let hangUp = (): void => {};
  let ended: string | null = null;
  const answer = new Promise<Answer | null>((resolve) => {
    const end = (how: string, answered: Answer | null): void => {
      ended ??= how;
      resolve(answered);
    };
    const call = request(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        end(`answered ${status} ${text.slice(0, 200)}`, { status, body: JSON.parse(text) });
      });
      response.on('error', ({ message }) => end(message, null));
    });
    call.on('error', ({ message }) => end(message, null));
    call.end();
    hangUp = () => {
      ended ??= 'hung up';
      call.destroy();
    };
  });
  return { answer, ended: () => ended, hangUp: () => hangUp() };
}
