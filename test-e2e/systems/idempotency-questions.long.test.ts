/** Idempotency-Key of questions across gateways that die, stall and drain: a question is drawn once, and every gateway returns its answer. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { onKeyedCalls, times } from '../fixture/system/keyed-calls.js';
import { checkedApi } from '../fixture/system/shared-systems.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 };

onKeyedCalls('questions', ({ system, tenant, act, record }) => {
  it('a repeated question whose gateway died is not drawn again, and the other gateway returns the tap', async () => {
    const { id, robot } = await tenant().robot({ instant: true });
    const lost = act(tenant().api(0), id, 'ask', question);
    lost.catch(() => {});
    await waitArmed(system(), id, robot);
    system().cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const back = act(await checkedApi(tenant(), 1), id, 'ask', question);
    // The tap counts before and after the other gateway has taken the wait over.
    await robot.tap(...left);
    const { status, body } = await back;
    assert.deepEqual([status, body.answer, times(robot, 'screen.show', 'question')], [200, 'Yes', 1]);
    assert.equal((await act(await checkedApi(tenant(), 1), id, 'ask', question)).body.answer, 'Yes');
  });

  it('a question of a gateway that stalls is taken over by the other one: both answer the tap, and it was drawn once', async () => {
    const { id, robot } = await tenant().robot({ instant: true });
    const first = act(tenant().api(0), id, 'ask', question);
    await waitArmed(system(), id, robot);
    const claim = await system().store.connections.commands.hget(await record(id), 'claim');
    system().cluster.gateways[0]!.signal('SIGSTOP');
    try {
      const second = act(tenant().api(1), id, 'ask', question);
      await until(async () => (await system().store.connections.commands.hget(await record(id), 'claim')) !== claim, {
        what: 'the call to be taken over',
      });
      system().cluster.gateways[0]!.signal('SIGCONT');
      await robot.tap(...left);
      assert.deepEqual([(await first).body.answer, (await second).body.answer, times(robot, 'screen.show', 'question')], ['Yes', 'Yes', 1]);
    } finally {
      system().cluster.gateways[0]!.signal('SIGCONT');
    }
  });

  it('a draining gateway ends its question with 503 draining, and the same key asks again elsewhere', async () => {
    const gateway = await system().cluster.add('gateway', { PERCH_DRAIN_MS: '500' });
    const { id, robot } = await tenant().robot({ instant: true });
    const call = act(tenant().api().at(gateway.address), id, 'ask', question);
    const first = await questionShown(robot);
    const stopping = gateway.stop();
    const ended = await call;
    assert.deepEqual([ended.status, ended.body.code], [503, 'draining']);
    assert.equal((await stopping).code, 0);
    const again = act(tenant().api(1), id, 'ask', question);
    await questionShown(robot, first);
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    assert.equal((await again).body.answer, 'Yes');
  });
});
