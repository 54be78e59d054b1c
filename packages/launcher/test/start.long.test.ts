import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openStore } from '@perch/store';
import { until } from '@perch/testkit';
import { anyPorts, descendants, onStarts, robotOf, Start, type Ready } from './starts.js';

onStarts('what a running system does', () => {
  let state = '';
  let system: Start;
  let ready: Ready;
  before(async () => {
    state = mkdtempSync(join(tmpdir(), 'perch state '));
    system = new Start(['--json', ...anyPorts, '--gateways', '2', '--links', '2'], state);
    ready = await system.ready();
  });
  after(async () => {
    await system?.endIfRunning();
    rmSync(state, { recursive: true, force: true });
  });

  it('has an account whose address prints another sign-in URL with perch', async () => {
    const store = await openStore({ url: ready.redis_url, instance: 'start-test' });
    try {
      const { email } = (await store.accounts.get(ready.account))!;
      const perch = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [perch, 'account', 'link', email], {
        env: { PATH: process.env['PATH'] ?? '', PERCH_REDIS_URL: ready.redis_url },
      });
      const [, link = ''] = /#sign-in=(\S+)/.exec(stdout) ?? [];
      assert.equal(await store.signInTokens.take(link), ready.account, stdout);
    } finally {
      await store.close();
    }
  });

  it('answers clickmaps with a tap of the simulated person inside a rectangle, a circle and a polygon', async () => {
    const shapes = [
      { id: 'rect', rect: [200, 10, 40, 30] },
      { id: 'circle', circle: [40, 200, 12] },
      {
        id: 'polygon',
        polygon: [
          [100, 100],
          [140, 100],
          [120, 140],
        ],
      },
    ];
    for (const region of shapes) {
      const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/clickmap`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ regions: [region], timeout_s: 30 }),
      });
      const { outcome, region: tapped } = (await response.json()) as { outcome: string; region: string };
      assert.deepEqual([outcome, tapped], ['answered', region.id]);
    }
  });

  it('starts a replacement for a service that was killed', async () => {
    const gateways = descendants(system.process.pid!).filter((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('gateway'));
    assert.equal(gateways.length, 2);
    for (const pid of gateways) process.kill(pid, 'SIGKILL');
    const replacements = (): number => system.err.split(/gateway .* exited with SIGKILL: starting a replacement/).length - 1;
    await until(() => replacements() === 2, { what: 'two replacements' });
    for (const gateway of ready.gateways)
      await until(async () => (await robotOf(ready, gateway)).online, { what: 'the gateway to answer again', everyMs: 200 });
  });
});
