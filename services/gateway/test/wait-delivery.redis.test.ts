import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { openWait, question } from './open-wait.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('the delivery of waits to robot-links', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const opened = (action: string, args: unknown, signal?: AbortSignal): ReturnType<typeof openWait> => openWait(system, owner, action, args, signal);

  it('answers a wait through the instance that the robot moved to', async () => {
    const other = await system.anotherLink();
    const { answer, record } = await opened('ask', question);
    const session = await other.take(owner.robot, owner.token);
    const outcome = { outcome: 'answered', index: 0, x: 60, y: 170 } as const;
    assert.equal((await system.store.waits.settle(owner.robot, record.number, outcome, session)).settled, true);
    assert.equal((await answer).body.answer, 'Yes');
  });

  it('delivers a wait to the new holder when the robot moved before the delivery', async () => {
    const other = await system.anotherLink();
    assert.equal((await system.act(owner, 'face', { emotion: 'sad' })).status, 200);
    await other.take(owner.robot, owner.token);
    await system.link.release(owner.robot, 'away');
    const answer = system.act(owner, 'ask', { ...question, timeout_s: 0.3 });
    await until(() => other.waits.length === 1);
    assert.equal((await answer).body.timed_out, true);
  });

  it('does not deliver a wait that ended while its robot moved', async () => {
    const other = await system.anotherLink();
    system.link.arms = false;
    system.link.onWait = async (record, robot) => {
      await system.link.release(robot, 'moving');
      await system.link.store.gatewayMailbox.send(record.gateway, { t: 'not_here', id: record.call });
    };
    const answer = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    const { number } = system.link.waits[0]!;
    await until(async () => (await system.store.leases.find(owner.robot)).state === 'moving');
    await system.store.waits.settle(owner.robot, number, { outcome: 'timed_out' }, null);
    assert.equal((await answer).body.timed_out, true);
    await other.take(owner.robot, owner.token);
    assert.equal((await system.act(owner, 'face', { emotion: 'sad' })).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(other.waits, []);
    assert.match(await system.metrics.metrics(), /^perch_gateway_awaited_replies 0$/m);
  });

  it('draws an expired picture again and redelivers the wait', async () => {
    let misses = 1;
    system.link.arms = false;
    system.link.onWait = async (record, robot) => {
      if (misses-- > 0)
        return void (await system.link.store.gatewayMailbox.send(record.gateway, {
          t: 'media_missing',
          id: record.call,
          hash: record.picture!.hash,
        }));
      await system.link.store.waits.arm(robot, system.link.sessionOf(robot), record, { bootId: 'b1', ms: 5, seq: 0 });
    };
    const { body } = await system.act(owner, 'ask', { ...question, timeout_s: 0.3 });
    assert.equal(body.timed_out, true);
    assert.equal(system.link.waits.length, 2);
    assert.equal(system.link.waits[0]?.number, system.link.waits[1]?.number);
  });

  it("fails a wait that the robot could not show with the robot's error", async () => {
    system.link.arms = false;
    system.link.onWait = async (record, robot) =>
      void (await system.link.settle(robot, record, { outcome: 'failed', code: 'robot_hardware', error: 'the screen is broken' }));
    const { status, body } = await system.act(owner, 'ask', question);
    assert.deepEqual([status, body.code, body.error], [503, 'robot_hardware', 'the screen is broken']);
  });
});
