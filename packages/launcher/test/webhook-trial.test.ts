import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';
import { anyPorts, ask, onStarts } from './starts.js';

const clone = new URL('../../../', import.meta.url);
/** A section of docs/programs.md. */
const trial = (): string => /^```js\n(import .*?receiver\.listen.*?)\n```$/ms.exec(readFileSync(new URL('docs/programs.md', clone), 'utf8'))![1]!;

onStarts('webhooks on this machine', ({ start }) => {
  it('the program of docs/programs.md receives a test and what happens at the robot, signed, over http on loopback, and removes its webhook', async () => {
    const ready = await start(['--json', ...anyPorts]).ready();
    const env = { ...process.env, PERCH_BASE_URL: ready.base_url, PERCH_API_KEY: ready.api_key };
    // The folder in which standardwebhooks is installed.
    const cwd = fileURLToPath(new URL('test-e2e/', clone));
    const program = spawn(process.execPath, ['--input-type=module', '--eval', trial()], { env, cwd });
    const ended = once(program, 'exit');
    let [out, err] = ['', ''];
    program.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    program.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    try {
      await until(() => /^test \{/m.test(out) || program.exitCode !== null, { timeoutMs: 30_000, what: 'the test' });
      assert.equal(err, '');
      const answer = await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'], detach: true });
      assert.equal(answer['outcome'], 'pending');
      await until(() => /^answered \{/m.test(out), { timeoutMs: 30_000, what: 'the answer' });
      const [, data = ''] = /^answered (\{.*\})$/m.exec(out)!;
      assert.equal((JSON.parse(data) as { robot: string }).robot, ready.robot);
      program.kill('SIGINT');
      assert.deepEqual(await ended, [0, null], err);
      const list = await fetch(`${ready.base_url}/v1/webhooks`, { headers: { authorization: `Bearer ${ready.api_key}` } });
      assert.deepEqual(await list.json(), { ok: true, webhooks: [] });
    } finally {
      program.kill('SIGKILL');
    }
  });

  it('with --lan a receiver on this machine is refused with a sentence that names the setting', async () => {
    const ready = await start(['--json', ...anyPorts, '--lan-address', '127.0.0.1']).ready();
    const response = await fetch(`${ready.base_url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:9/' }),
    });
    const { error, field } = (await response.json()) as { error: string; field: string };
    assert.deepEqual([response.status, field], [400, 'url']);
    assert.match(error, /^url: must begin with https:\/\/; .* need PERCH_WEBHOOK_ALLOW_PRIVATE=true, which npm start without --lan sets/);
  });
});
