import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openStore } from '@perch/store';
import { until } from '@perch/testkit';
import { anyPorts, ask, descendants, onStarts, robotOf, Start, type Ready } from './starts.js';

onStarts('a running system', () => {
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

  it('prints exactly one line with --json, once all gateways answer and the robot is online', async () => {
    assert.equal(ready.gateways.length, 2);
    assert.equal(ready.links.length, 2);
    assert.equal(ready.base_url, ready.gateways[0]);
    assert.equal(ready.link_url, ready.links[0]);
    for (const address of ready.gateways) assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    for (const address of ready.links) assert.match(address, /^ws:\/\/127\.0\.0\.1:\d+\/robot\/v1\/link$/);
    for (const gateway of ready.gateways) assert.equal((await robotOf(ready, gateway)).online, true);
    const answer = await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
    assert.equal(answer['outcome'], 'answered');

    assert.equal(system.out.split('\n').length, 2, system.out);
  });

  it('prints a sign-in URL for the demo account that works once', async () => {
    const [page, link = ''] = ready.sign_in_url.split('#sign-in=');
    assert.equal(page, `${ready.base_url}/`);
    const signIn = () =>
      fetch(`${ready.base_url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link }),
      });
    const session = (await (await signIn()).json()) as { account: { id: string } };
    assert.equal(session.account.id, ready.account);
    assert.equal((await signIn()).status, 401);
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
    await until(() => replacements() === 2, { timeoutMs: 20_000, what: 'two replacements' });
    for (const gateway of ready.gateways)
      await until(async () => (await robotOf(ready, gateway)).online, { timeoutMs: 30_000, what: 'the gateway to answer again', everyMs: 200 });
  });

  it('exits with 0 after SIGTERM and has printed nothing else to stdout', async () => {
    assert.equal(await system.end(), 0, system.err);
    assert.equal(system.out.split('\n').length, 2, system.out);
  });
});
