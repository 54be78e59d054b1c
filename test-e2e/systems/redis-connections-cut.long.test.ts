import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import { Traffic } from '../fixture/clients/traffic.js';
import { waitArmed, left } from '../fixture/robots/question.js';
import { instancesReady } from '../fixture/system/instances-ready.js';
import { useSystem } from '../fixture/system/system-under-test.js';
import { metric } from '../fixture/telemetry/metric.js';

const long = process.env['PERCH_TEST_LONG'] === '1';
const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

describe('cut connections to Redis (2 gateways, 2 robot-links, 1 renderer)', () => {
  const crashes: string[] = [];
  before(function () {
    needsRedisServer(this);
  });
  const system = useSystem({ gateways: 2, links: 2, renderers: 1 }, async () => ({
    redis: await redisProcess(),
    onCrash: ({ service }) => crashes.push(service),
  }));
  afterEach('no instance ended', () => {
    assert.deepEqual(crashes, []);
  });

  it('a Redis that repeatedly cuts its connections: no command is performed twice, and ok means performed', async () => {
    const { commands } = system.store.connections;
    const traffic = await Traffic.start(system, { robots: 12, inFlight: 3 });
    let cuts = 0;
    const endAt = performance.now() + (long ? 30_000 : 4000);
    await until(
      async () => {
        const before = traffic.counted()['200'] ?? 0;
        const since = performance.now();
        await until(() => performance.now() - since > 100 && traffic.counted()['200']! > before + 10, {
          what: 'traffic to go on',
        });
        await commands.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        cuts += 1;
        return performance.now() > endAt && cuts >= 15;
      },
      { timeoutMs: 60_000 },
    );
    await traffic.stop();
    const { 200: ok = 0, ...others } = traffic.counted();
    assert.ok(ok > 200, JSON.stringify(traffic.counted()));
    assert.ok(traffic.slowestMs < 15_500, `${traffic.slowestMs} ms`);
    for (const code of Object.keys(others))
      assert.ok(['service_unavailable', 'outcome_unknown', 'rate_limited'].includes(code), JSON.stringify(others));
    traffic.check();
    await instancesReady(system);
  });

  it('a Redis that repeatedly loses its subscribers: answers and events arrive all the same', async () => {
    const { commands } = system.store.connections;
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    let after = 1;
    for (let round = 0; round < 5; round += 1) {
      const call = tenant.api(round).act(id, 'ask', { ...question, question: `${round}?` });
      await waitArmed(system, id, robot);
      const poll = tenant.api(round).get(`/v1/robots/${id}/events?after=${after}&seconds=20`);
      await until(async () => (await metric(system.cluster.gateways[round % 2]!.admin, 'perch_gateway_held_calls', { kind: 'poll' })) === 1);
      const since = performance.now();
      const killed = commands.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await robot.tap(1, 1);
      await robot.tap(...left);
      await killed;
      assert.equal((await call).body.outcome, 'answered');
      const { body } = await poll;
      assert.deepEqual(
        body.events.map(({ name }: { name: string }) => name),
        ['tap'],
      );
      after = body.last_seq;
      assert.ok(performance.now() - since < 5000, `${performance.now() - since} ms`);
    }
    await instancesReady(system);
  });
});
