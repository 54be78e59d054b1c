import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { agentKinds } from '../fixture/clients/mcp.js';
import { questionShown, left } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'mcp progress',
  (system) => {
    it('progress is sent at once and every 10 s, so that a client with a shorter limit keeps waiting', async () => {
      await Promise.all(
        agentKinds.map(async ({ name, connect }) => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connect(system().gateway(), tenant.key);
          const reports: { progress: number; ms: number }[] = [];
          const begun = performance.now();
          const onProgress = (progress: number): void => void reports.push({ progress, ms: performance.now() - begun });
          const call = agent.call('robot_ask', { question: 'Slow?', answers: ['a', 'b'], timeout_s: 35 }, { timeout: 13_000, onProgress });
          await questionShown(robot);
          await until(() => reports.length === 1, { what: `the first progress of ${name}` });
          const { showing } = (await agent.call('robot_state', {})).answer;
          const early = (await agent.call('robot_answer', { wait: showing.wait, seconds: 0 })).answer;
          assert.deepEqual([early.outcome, early.wait], ['pending', showing.wait], name);
          await new Promise((resolve) => setTimeout(resolve, 21_500));
          await robot.tap(...left);
          assert.equal((await call).answer.answer, 'a', name);
          const shown = `${name}: ${JSON.stringify(reports)}`;
          assert.deepEqual(
            reports.map(({ progress }) => Math.round(progress / 10)),
            [0, 1, 2],
            shown,
          );
          assert.ok(reports[0]!.ms < 9_000 && reports[1]!.ms > 9_000 && reports[2]!.ms > 19_000, shown);
          await agent.close();
        }),
      );
    });
  },
  [shapes[1]!],
);
