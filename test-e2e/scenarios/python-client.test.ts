/** The Python client and its README against the running services: runs `clients/python/tests` with robots that are tapped and patted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipTest, TcpProxy } from '@perch/testkit';
import { Person } from '@perch/virtual-robot';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type TestSystem } from '../fixture/system/test-system.js';

const run = promisify(execFile);
const client = fileURLToPath(new URL('../../clients/python/', import.meta.url));

/** Runs a module of tests with an account and robots of its own. Returns how many tests ran. */
async function testsOf(system: TestSystem, module: string): Promise<number> {
  const tenant = await system.tenant();
  const answered = await tenant.robot();
  const quiet = await tenant.robot();
  const busy = await system.store.apiKeys.create({ account: tenant.account, name: 'busy' });
  const person = new Person(answered.robot, { thinkMs: 50, againMs: 100 });
  const proxy = await TcpProxy.open({ host: '127.0.0.1', port: Number(new URL(system.gateway()).port) });
  const cuts = setInterval(() => proxy.cut(), 700);
  const pats = setInterval(() => void quiet.robot.pat(), 300);
  const env = {
    ...process.env,
    PYTHONPATH: `${client}src`,
    PYTHONDONTWRITEBYTECODE: '1',
    PERCH_BASE_URL: system.gateway(),
    PERCH_CUT_URL: `http://127.0.0.1:${proxy.port}`,
    PERCH_API_KEY: tenant.key,
    PERCH_BUSY_KEY: busy.apiKey,
    PERCH_ROBOT: answered.id,
    PERCH_QUIET_ROBOT: quiet.id,
  };
  try {
    const tests = ['discover', '-s', `${client}tests`, '-p', module, '-v'];
    const { stderr } = await run('python3', ['-W', 'error::ResourceWarning', '-m', 'unittest', ...tests], { env, timeout: 280_000 }).catch(
      (error: Error & { stderr?: string }) => assert.fail(error.stderr ?? error.message),
    );
    assert.match(stderr, /^OK$/m, stderr);
    return Number(/^Ran (\d+) tests?/m.exec(stderr)?.[1]);
  } finally {
    clearInterval(cuts);
    clearInterval(pats);
    person.stop();
    await proxy.close();
  }
}

onSharedSystems(
  'the Python client',
  (system) => {
    it('the Python client passes its own tests against the running services', async function () {
      this.timeout(300_000);
      await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).catch(() => skipTest(this, 'there is no Python 3.9 on PATH'));
      const modules = (await readdir(`${client}tests`)).filter((name) => /^test_\w+\.py$/.test(name));
      const counts = await Promise.all(modules.map((module) => testsOf(system(), module)));
      assert.ok(counts.reduce((sum, count) => sum + count, 0) >= 40, counts.join());
    });
  },
  [shapes[0]!],
);
