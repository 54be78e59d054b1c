import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicKeyOf, readSignedUpdate, signingKey } from '@perch/installer/node';
import { anyPorts, ask, onStarts, robotOf, Start, type Ready } from './starts.js';

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

  it('offers robots a program that is signed with a key in its state folder, at every robot-link', async () => {
    const signed = readSignedUpdate(readFileSync(join(state, 'robot-program.json'), 'utf8'));
    assert.equal(signed.key, publicKeyOf(signingKey(join(state, 'robot-program.key'))));
    for (const link of ready.links) {
      const file = await fetch(new URL(`/robot/v1/program/${signed.sha256}`, link.replace('ws:', 'http:')));
      assert.deepEqual(Buffer.from(await file.arrayBuffer()), signed.bytes);
    }
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

  it('exits with 0 after SIGTERM and has printed nothing else to stdout', async () => {
    assert.equal(await system.end(), 0, system.err);
    assert.equal(system.out.split('\n').length, 2, system.out);
  });
});
