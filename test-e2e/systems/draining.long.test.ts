/** Instances that drain after SIGTERM, with 200 calls in flight. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { waitArmed, left } from '../fixture/robots/question.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';
import { onEndingInstances, pictures, question } from '../fixture/system/ending-instances.js';

onEndingInstances('draining instances', [], ({ system, answered, start, dialsGoTo }) => {
  it('a draining robot-link moves its robots with 4009, and nothing that was accepted fails: commands, a wait, a sound', async () => {
    const traffic = await start();
    const tenant = await system().tenant();
    const asking = await MovableRobot.start(tenant, { instant: true });
    // Its buffer of 5 s outlasts the move on a busy machine, too.
    const playing = await MovableRobot.start(tenant, { audio: { buffer_bytes: 240_000 } });
    const call = tenant.api().act(asking.id, 'ask', question);
    await waitArmed(system(), asking.id, asking.robot);
    assert.equal((await tenant.api().act(playing.id, 'sound', { notes: 'C4:7000' })).status, 200);
    dialsGoTo(traffic, 1);
    for (const { proxy } of [asking, playing]) proxy.switchTo(system().link(1));
    assert.ok(traffic.inFlight >= 150, `${traffic.inFlight} in flight`);

    const ending = await system().cluster.links[0]!.stop();
    assert.deepEqual([ending.code, ending.signal], [0, null]);
    await answered(traffic, 400);
    await traffic.stop();
    assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
    for (const { robot } of [...traffic.movableRobots, asking, playing]) assert.equal(robot.lastClosed?.code, 4009);
    traffic.check();

    await asking.robot.tap(...left);
    assert.equal((await call).body.outcome, 'answered');
    await playing.robot.until(({ sounds }) => sounds[0]?.done !== null);
    assert.deepEqual([playing.robot.sounds[0]?.done, playing.robot.sounds[0]?.gaps, playing.robot.sounds.length], ['end', 0, 1]);
    assert.deepEqual([...asking.robot.violations, ...playing.robot.violations], []);
  });

  it('a draining gateway answers all calls it accepted; later ones are rejected and have no effect', async () => {
    const traffic = await start();
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const held = tenant.api(0).act(id, 'ask', question);
    await waitArmed(system(), id, robot);
    const poll = tenant.api(0).get(`/v1/robots/${id}/events?after=1&seconds=30`);
    await until(async () => (await metric(system().cluster.gateways[0]!.admin, 'perch_gateway_held_calls', { kind: 'poll' })) === 1);

    const stopping = system().cluster.gateways[0]!.stop();
    const polled = await poll;
    assert.deepEqual([polled.status, polled.body.events, polled.body.last_seq], [200, [], 1], 'a poll is answered at once with what there is');
    // The wait continues, and the person has time.
    await answered(traffic, 200);
    await robot.tap(...left);
    assert.equal((await held).body.outcome, 'answered');
    const ending = await stopping;
    assert.deepEqual([ending.code, ending.signal], [0, null]);
    await answered(traffic, 200);
    await traffic.stop();
    const { 200: ok, ...others } = traffic.counted();
    assert.ok(ok! > 400);
    // The kernel resets a connection that arrives between the last accept and the end of listening: no service has seen its call.
    for (const code of Object.keys(others)) assert.ok(['refused', 'draining', 'broken'].includes(code), JSON.stringify(others));
    traffic.check(['broken']);
  });

  it('a draining renderer finishes its jobs and another continues: every picture is shown', async () => {
    const traffic = await start({ ...pictures, robots: 20, inFlight: 3, ackLateMs: 100 });
    const ending = await system().cluster.renderers[0]!.stop();
    assert.deepEqual([ending.code, ending.signal], [0, null]);
    await answered(traffic, 120);
    await traffic.stop();
    assert.deepEqual(Object.keys(traffic.counted()), ['200'], JSON.stringify(traffic.counted()));
    traffic.check();
  });

  it('a draining gateway holds its waits for PERCH_DRAIN_MS; then they get 503 draining and their questions disappear', async () => {
    const gateway = await system().cluster.add('gateway', { PERCH_DRAIN_MS: '1500' });
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const call = tenant.api().at(gateway.address).act(id, 'ask', question);
    await waitArmed(system(), id, robot);
    const since = performance.now();
    const stopping = gateway.stop();
    const { status, headers, body } = await call;
    const tookMs = performance.now() - since;
    assert.deepEqual([status, body.code], [503, 'draining']);
    assert.ok(Number(headers.get('retry-after')) >= 1);
    assert.ok(tookMs > 1400, `${tookMs} ms`);
    await robot.until(({ screen }) => screen.question === null);
    assert.equal((await stopping).code, 0);
    assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
  });
});
