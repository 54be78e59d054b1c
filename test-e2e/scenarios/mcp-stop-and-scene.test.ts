import assert from 'node:assert/strict';
import { agentKinds, agentsOf } from '../fixture/clients/mcp.js';
import { questionShown, left } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const happy = { action: 'face', emotion: 'happy' };
const tea = { action: 'ask', question: 'Tea?', answers: ['Yes', 'No'] };

onSharedSystems(
  'mcp stop and scene',
  (system) => {
    for (const kind of agentKinds) {
      describe(kind.name, () => {
        const connected = agentsOf(kind, system);

        it('robot_stop ends a question of another agent and the sound that plays', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          const other = await connected(tenant.key, 1);
          await other.list();
          assert.equal((await agent.call('robot_sound', { notes: 'C4:20000' })).isError, false);
          const asking = agent.call('robot_ask', { question: 'Go on?', answers: ['Yes', 'No'], timeout_s: 60 });
          await questionShown(robot);
          const { isError, text, answer } = await other.call('robot_stop');
          assert.deepEqual([isError, answer], [false, { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] }]);
          assert.deepEqual(JSON.parse(text), answer);
          assert.equal((await asking).answer.outcome, 'replaced');
          assert.equal(robot.playing, null);
        });

        it('robot_scene runs its actions in order; with a question at the end it sends progress and is answered by the tap', async () => {
          const tenant = await system().tenant();
          const { id, robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          await agent.list();
          const progress: number[] = [];
          const actions = [happy, { action: 'show', text: 'Ready' }, tea];
          const call = agent.call('robot_scene', { actions, robot: id }, { onProgress: (value) => progress.push(value) });
          await questionShown(robot);
          await robot.tap(...left);
          const { isError, text, answer } = await call;
          assert.deepEqual([isError, answer.results.length, answer.results[2].answer], [false, 3, 'Yes'], text);
          assert.deepEqual(JSON.parse(text), answer);
          assert.equal(progress[0], 0);
          assert.deepEqual(
            robot.commands.map((command) => command.name).filter((command) => command !== 'screen.clear'),
            ['face', 'screen.show', 'screen.show'],
          );
        });

        it('cancelling a scene removes its question', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          const abort = new AbortController();
          const call = agent.call('robot_scene', { actions: [happy, tea] }, { signal: abort.signal });
          await questionShown(robot);
          abort.abort();
          await assert.rejects(call);
          await robot.until(({ screen }) => screen.question === null, { what: 'the question to be gone' });
        });

        it('an invalid scene is explained, does nothing and costs one action; a failure on the way says what was done', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          await agent.list();
          const refused: [args: Record<string, unknown>, field: string][] = [
            [{ actions: [happy, { action: 'say' }] }, 'actions[1].text'],
            [{ actions: [happy, { ...happy, robot: 'r-0000000000' }] }, 'actions[1].robot'],
            [{ actions: [tea, happy] }, 'actions[0].action'],
            [{ actions: [happy], speed: 2 }, 'speed'],
            [{ actions: [happy], robot: 7 }, 'robot'],
            [{}, 'actions'],
          ];
          for (const [args, field] of refused) {
            const { isError, answer } = await agent.call('robot_scene', args);
            assert.deepEqual([isError, answer.code, answer.field], [true, 'bad_argument', field], JSON.stringify(answer));
          }
          assert.deepEqual(robot.commands, []);
          const half = await agent.call('robot_scene', { actions: [happy, { action: 'show', text: 'Up' }, { action: 'say', text: 'Hidden' }] });
          assert.deepEqual([half.isError, half.answer.code, half.answer.results.length], [true, 'card_showing', 2]);
          assert.match(half.answer.next, /the first 2 of the scene/);
          assert.equal((await agent.call('robot_stop', { hard: true })).answer.field, 'hard');
        });
      });
    }

    it('a scene costs one action for each of its actions, or none if it is rejected', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot({ instant: true });
      const agent = await agentKinds[0]!.connect(system().gateway(), tenant.key);
      const ten = Array.from({ length: 10 }, () => happy);
      const results = await Promise.all(Array.from({ length: 6 }, () => agent.call('robot_scene', { actions: ten })));
      const refused = results.filter(({ isError }) => isError);
      assert.ok(refused.length >= 1 && refused.every(({ answer }) => answer.code === 'rate_limited' && answer.retry_after_s >= 1));
      assert.equal(robot.commands.length, 10 * (results.length - refused.length));
      await agent.close();
    });
  },
  [shapes[1]!],
);
