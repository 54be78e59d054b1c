import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolCache } from '@perch/testkit';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('restart of services by npm run dev', () => {
  it('replaces the chosen services at the same address and keeps key, robot and the other services', async () => {
    const state = mkdtempSync(join(tmpdir(), 'perch-restart-'));
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERCH_')));
    const env = { ...clean, PERCH_STATE_DIR: state, PERCH_TEST_CACHE: toolCache(process.env) };
    const launcher = fork(main, ['--json', '--port', '0', '--link-port', '0'], { env, execArgv: [], stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
    const ended = once(launcher, 'exit');
    try {
      const [line] = (await once(launcher.stdout!, 'data')) as [Buffer];
      const { base_url: base, api_key: key, robot, metrics } = JSON.parse(line.toString()) as Record<string, string> & { metrics: string[] };
      const startedOf = async (url: string): Promise<string | null> => {
        const response = await fetch(url).catch(() => null);
        return /^process_start_time_seconds(?:\{[^}]*\})? (\S+)$/m.exec((await response?.text()) ?? '')?.[1] ?? null;
      };
      const [gatewayMetrics, linkMetrics] = metrics as [string, string];
      const linkStarted = await startedOf(linkMetrics);
      launcher.send({ restart: ['gateway'] });
      assert.deepEqual(await once(launcher, 'message').then(([message]) => message as object), { restarted: ['gateway'] });
      const answer = await fetch(`${base}/v1/robots/${robot}`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as { online: boolean }).online, true, 'the robot stayed connected');
      assert.equal(await startedOf(gatewayMetrics), null, 'the old gateway has exited');
      assert.equal(await startedOf(linkMetrics), linkStarted, 'the robot-link was not restarted');
    } finally {
      launcher.kill('SIGTERM');
      await ended;
      rmSync(state, { recursive: true, force: true });
    }
  });
});
