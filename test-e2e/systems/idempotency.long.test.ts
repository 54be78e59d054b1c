/** Idempotency-Key across gateways that die: a call is performed once, and every gateway returns its answer to a repetition. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { MovableRobot } from '../fixture/robots/movable-robot.js';
import { onKeyedCalls, replayed, times } from '../fixture/system/keyed-calls.js';
import { checkedApi } from '../fixture/system/shared-systems.js';

onKeyedCalls('calls', ({ system, tenant, act, record }) => {
  it('25 calls at once with one Idempotency-Key on two gateways are performed once and all get the answer; other arguments get 400', async () => {
    const { id, robot } = await tenant().robot({ faults: { ackLateMs: 300 } });
    const apis = [await checkedApi(tenant()), await checkedApi(tenant(), 1)] as const;
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => act(apis[i % 2]!, id, 'move', { yaw: 20, pitch: 30 })));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.deepEqual([times(robot, 'head.move'), answers.filter((answer) => replayed(answer) === null).length], [1, 1]);
    const other = await act(apis[1], id, 'move', { yaw: 21 });
    assert.deepEqual([other.status, other.body.field, times(robot, 'head.move')], [400, 'Idempotency-Key', 1]);
  });

  it("a repeated call whose gateway died before the ack gets the robot's ack from the other gateway, and nothing is resent", async () => {
    const { id, robot } = await tenant().robot({ faults: { ackLateMs: 1500 } });
    const lost = act(tenant().api(0), id, 'command', { command: 'brightness', args: { pct: 60 } });
    lost.catch(() => {});
    await robot.until(() => times(robot, 'robot') === 1);
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const again = await act(await checkedApi(tenant(), 1), id, 'command', { command: 'brightness', args: { pct: 60 } });
    assert.deepEqual([again.status, again.body.ok, replayed(again), times(robot, 'robot')], [200, true, 'true', 1], JSON.stringify(again.body));
  });

  it('a repeated call whose gateway died before the ack gets the outcome that the robot-link stored, before anybody asks for it', async () => {
    const { id, robot } = await tenant().robot({ faults: { ackLateMs: 800 } });
    const lost = act(tenant().api(0), id, 'move', { yaw: 20, pitch: 30 });
    lost.catch(() => {});
    await robot.until(() => times(robot, 'head.move') === 1);
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const outcome = async (): Promise<string | null> => system().store.connections.commands.hget(await record(id), 'outcome');
    await until(async () => (await outcome()) !== null, { what: 'the outcome' });
    const again = await act(await checkedApi(tenant(), 1), id, 'move', { yaw: 20, pitch: 30 });
    assert.deepEqual([again.status, replayed(again), times(robot, 'head.move')], [200, 'true', 1], JSON.stringify(again.body));
    assert.deepEqual(again.body, JSON.parse((await outcome())!).answer);
  });

  it('a repeated call whose gateway and robot-link died before the ack gets outcome_unknown, and nothing is resent', async () => {
    const { id, robot, proxy } = await MovableRobot.start(tenant(), { faults: { ackLateMs: 60_000 } });
    const lost = act(tenant().api(0), id, 'move', { gesture: 'nod' });
    lost.catch(() => {});
    await robot.until(() => times(robot, 'head.gesture') === 1);
    proxy.switchTo(system().link(1));
    system().cluster.links[0]!.signal('SIGKILL');
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    // As if it had been a while ago: an ack can no longer arrive.
    await system().store.connections.commands.hincrby(await record(id), 'begun_at', -60_000);
    const api = await checkedApi(tenant(), 1);
    for (const attempt of [1, 2]) {
      const { status, body } = await act(api, id, 'move', { gesture: 'nod' });
      assert.deepEqual([status, body.code, times(robot, 'head.gesture')], [503, 'outcome_unknown', 1], `attempt ${attempt}`);
    }
  });
});
