/** Idempotency-Key of questions whose client hangs up. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { recordOf, times } from '../fixture/system/keyed-calls.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 };

onSharedSystems(
  'a client that hangs up',
  (system) => {
    it('a question outlives a hang-up by 15 s: a repetition on another gateway gets its answer, and without one it disappears', async () => {
      const tenant = await system().tenant();
      const { id, robot } = await tenant.robot({ instant: true });
      let key = randomUUID();
      const act = (i: number, signal?: AbortSignal) =>
        tenant.api(i).act(id, 'ask', question, { ...(signal !== undefined && { signal }), headers: { 'idempotency-key': key } });
      const hungUp = async (i: number): Promise<void> => {
        const abort = new AbortController();
        const call = act(i, abort.signal);
        call.catch(() => {});
        await waitArmed(system(), id, robot);
        await until(async () => i === 0 || (await system().store.connections.commands.hexists(await recordOf(system(), id), 'wanted_at')) === 1);
        abort.abort();
        await assert.rejects(call);
      };
      await hungUp(0);
      await hungUp(1);
      const back = act(1);
      const shown = await questionShown(robot);
      await robot.tap(...left);
      assert.deepEqual([(await back).body.answer, times(robot, 'screen.show', 'question')], ['Yes', 1]);

      key = randomUUID();
      const gone = new AbortController();
      const call = act(0, gone.signal);
      call.catch(() => {});
      await questionShown(robot, shown);
      const since = performance.now();
      gone.abort();
      await robot.until(({ screen }) => screen.question === null, { what: 'the question to go' });
      assert.ok(performance.now() - since > 14_000, `${performance.now() - since} ms`);
      assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
    });
  },
  [shapes[1]!],
);
