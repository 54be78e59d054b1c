import assert from 'node:assert/strict';
import { needsRedisServer, redisSentinels, until, type LocalSentinels } from '@perch/testkit';
import { waitArmed, right } from '../fixture/robots/question.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';
import { Traffic } from '../fixture/clients/traffic.js';

describe('services behind Sentinels (2 gateways, 2 robot-links, 2 renderers)', function () {
  this.timeout(150_000);
  let redis: LocalSentinels;
  let system: SystemUnderTest;
  const crashes: string[] = [];
  before(async function () {
    needsRedisServer(this);
    redis = await redisSentinels(2);
    const onCrash = ({ service }: { service: string }): void => void crashes.push(service);
    system = await SystemUnderTest.open({ gateways: 2, links: 2, renderers: 2 }, { redis: redis.url, onCrash });
  });
  after(async () => {
    await system?.close();
    await redis?.stop();
  });

  it('services behind Sentinels perform nothing twice, lose no key and repeat no event number when the master is killed, and continue with the promoted replica', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    await until(async () => (await system.store.events.read(id, {})).lastSeq === 1);
    for (let n = 0; n < 5; n += 1) await robot.tap(n, n);
    await robot.until(({ inputs }) => inputs.acked === inputs.seq);
    const before = (await system.store.events.read(id, {})).lastSeq;
    assert.equal(before, 6);

    const traffic = await Traffic.start(system, { robots: 6, inFlight: 2, ackLateMs: 100 });
    await until(() => traffic.records.length > 40);
    const old = await redis.master();
    await old.kill();
    await until(async () => (await redis.master().catch(() => old)) !== old, { what: 'a replica to be promoted' });
    const promotedAt = performance.now();
    const goesOn = { timeoutMs: 40_000, what: 'actions after the failover' };
    await until(() => (traffic.counted(promotedAt)['200'] ?? 0) > 60, goesOn);
    await traffic.stop();
    traffic.check();
    assert.deepEqual(crashes, []);

    // The gateways find the promoted replica independently.
    for (const i of [0, 1])
      await until(async () => (await tenant.api(i).act(id, 'say', { text: 'back' })).status === 200, {
        what: `gateway ${i} to accept the key`,
      });
    for (let n = 0; n < 3; n += 1) await robot.tap(n, n);
    await robot.until(({ inputs }) => inputs.acked === inputs.seq);
    const { events } = await system.store.events.read(id, { after: before });
    const numbers = events.map(({ seq }) => seq);
    assert.ok(numbers.length >= 3 && numbers.every((seq) => seq > before + 1), `numbers after ${before}: ${numbers.join()}`);
    assert.equal(new Set(numbers).size, numbers.length);

    const call = tenant.api(1).act(id, 'ask', { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 });
    await waitArmed(system, id, robot);
    await robot.tap(...right);
    assert.equal((await call).body.answer, 'No');
    assert.deepEqual(robot.violations, []);
  });
});
