/** Questions whose client hangs up, or whose program is killed. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipTest, until } from '@perch/testkit';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { recordOf, times } from '../fixture/system/keyed-calls.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const clone = fileURLToPath(new URL('../../', import.meta.url));

/** Programs that ask and wait, with the clients of the clone. RETRY asks under a key. */
const node = `
import { Perch } from '@perch/client';
const { PERCH_BASE_URL: baseUrl, PERCH_API_KEY: apiKey, PERCH_ROBOT: robot, RETRY } = process.env;
await new Perch({ baseUrl, apiKey }).robot(robot).ask({ question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 }, { retry: RETRY !== '' });
`;
const python = `
import os
from perch_client import Perch
perch = Perch(os.environ["PERCH_BASE_URL"], os.environ["PERCH_API_KEY"])
perch.robot(os.environ["PERCH_ROBOT"]).ask("Still there?", ["Yes", "No"], timeout_s=60, retry=os.environ["RETRY"] != "")
`;
const asyncio = `
import asyncio, os
from perch_client import aio
perch = aio.Perch(os.environ["PERCH_BASE_URL"], os.environ["PERCH_API_KEY"])
asyncio.run(perch.robot(os.environ["PERCH_ROBOT"]).ask("Still there?", ["Yes", "No"], timeout_s=60, retry=os.environ["RETRY"] != ""))
`;
const programs: [name: string, command: string, args: string[]][] = [
  ['Node', process.execPath, ['--input-type=module', '--eval', node]],
  ['Python', 'python3', ['-c', python]],
  ['Python with asyncio', 'python3', ['-c', asyncio]],
];

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

    for (const retry of [false, true])
      it(`the question of a program that is killed disappears ${retry ? '15 s later if it is asked with retry' : 'within 2 s'}`, async function () {
        this.timeout(120_000);
        await promisify(execFile)('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).catch(() =>
          skipTest(this, 'there is no Python 3.9 on PATH'),
        );
        const tenant = await system().tenant();
        const goneAfterMs = async ([name, command, args]: (typeof programs)[number]): Promise<[string, number]> => {
          const { id, robot } = await tenant.robot({ instant: true });
          const own = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id, RETRY: retry ? '1' : '' };
          const env = { ...process.env, ...own, PYTHONPATH: `${clone}clients/python/src` };
          const program = spawn(command, args, { cwd: `${clone}examples`, env, stdio: 'inherit' });
          const closed = once(program, 'close');
          await waitArmed(system(), id, robot);
          const since = performance.now();
          program.kill('SIGKILL');
          assert.deepEqual(await closed, [null, 'SIGKILL'], name);
          await robot.until(({ screen }) => screen.question === null, { what: `the question of ${name} to go` });
          return [name, performance.now() - since];
        };
        for (const [name, ms] of await Promise.all(programs.map(goneAfterMs)))
          assert.ok(retry ? ms > 14_000 && ms < 20_000 : ms < 2_000, `${name}: ${ms} ms`);
      });
  },
  [shapes[1]!],
);
