/** Which updates a robot program in MicroPython with keys installs, and which it refuses, whatever the other end of its link says. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicKeyOf, signedUpdateText, signUpdate, updateFile, withKeys, type SignedUpdate } from '@perch/installer/node';
import type { Micropython } from '@perch/micropython-robot';
import { needsMicropython, releases, skipTest, until } from '@perch/testkit';
import { PageSession } from '../fixture/clients/page-session.js';
import { serveProgram } from '../fixture/robots/changed-program.js';
import { MicropythonDevice, shippedProgram } from '../fixture/robots/micropython-device.js';
import { onSingleInstances } from '../fixture/system/shared-systems.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

const clone = fileURLToPath(new URL('../..', import.meta.url));
const { version: shippedVersion } = updateFile(shippedProgram);
const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

onSingleInstances('signed updates of the robot program in MicroPython', (system) => {
  const [own, foreign, next] = [newKey(), newKey(), newKey()];
  const folders: string[] = [];
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  function newFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'perch-signed-'));
    folders.push(folder);
    return folder;
  }

  /** The program of this clone as its owner has installed it: with keys. */
  function programWith(keys: readonly KeyObject[], version = shippedVersion): string {
    const folder = newFolder();
    cpSync(shippedProgram, folder, { recursive: true });
    const change = (path: string, edit: (text: string) => string) =>
      writeFileSync(join(folder, path), edit(readFileSync(join(folder, path), 'utf8')));
    change('perch/keys.py', (text) => withKeys('perch/keys.py', text, keys.map(publicKeyOf)));
    change('perch/robot.py', (text) => text.replace(/^VERSION = .*$/m, `VERSION = "${version}"`));
    return folder;
  }

  async function deviceWith(program: string, url: string) {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const device = new MicropythonDevice(micropython, { url, token, serial: id, reconnect_min_ms: 40, update_again_ms: 40 }, program);
    system().keep(device);
    await until(() => device.count('session') === 1, { what: 'the first session' });
    const lines = async (): Promise<string[]> => (await system().store.robotLines.read(id)).map(({ text }) => text);
    const logged = (what: RegExp): Promise<unknown> =>
      until(async () => (await lines()).some((text) => what.test(text)), { what: `${what} in the robot's log` });
    return { id, tenant, device, logged };
  }

  const serve = (update: { bytes: Buffer }): Promise<string> => serveProgram(system(), { path: '/program', bytes: update.bytes });

  function offerOf({ version, lowest, highest, key, signature, sha256, bytes }: SignedUpdate) {
    return { version, lowest, highest, key, signature, sha256, size: bytes.byteLength, url: '/program' };
  }

  const right = signUpdate(own, { version: '9.9', folder: shippedProgram });

  /** The robot goes on, in the program that it had, and nothing was fetched. */
  function assertUntouched(device: MicropythonDevice): void {
    assert.deepEqual([device.starts, device.slots, device.count('session')], [1, {}, 1]);
    assert.deepEqual(readdirSync(device.folder), ['settings.json']);
  }

  it('installs what is signed with its key, and the installed program has that key too', async () => {
    const { device, logged } = await deviceWith(programWith([own]), await serve(right));
    device.send({ c: 'update', offer: offerOf(right) });
    await until(() => device.count('session') >= 2, { what: 'a session of the new program', timeoutMs: 30_000 });
    assert.deepEqual(device.slots, { slot: 'a', version: '9.9' });
    await logged(/^update 9\.9: installed, restarts$/);
    device.send({ c: 'update', offer: offerOf(signUpdate(foreign, { version: '9.10', folder: shippedProgram })) });
    await logged(/^update 9\.10: the update is signed with the key [0-9a-f]{8}, which this robot does not know; .* perch-9\.9 stays$/);
  });

  it('refuses an unsigned, a foreign and a changed update, and fetches none of them', async () => {
    const { device, logged } = await deviceWith(programWith([own]), await serve(right));
    const { signature: _, ...unsigned } = offerOf(right);
    device.send({ c: 'update', offer: unsigned });
    await logged(/^update 9\.9: the update is not signed; .* stays$/);
    device.send({ c: 'update', offer: offerOf(signUpdate(foreign, { version: '9.8', folder: shippedProgram })) });
    await logged(/^update 9\.8: the update is signed with the key .*, which this robot does not know; .* stays$/);
    device.send({ c: 'update', offer: { ...offerOf(right), highest: '99' } });
    await logged(/^update 9\.9: the update is not the one that was signed; .* stays$/);
    assertUntouched(device);
  });

  it('refuses a file that is not the signed one, and leaves nothing of it', async () => {
    const changed = Buffer.from(right.bytes.toString().replace('"""', "'''"));
    const { device, logged } = await deviceWith(programWith([own]), await serve({ bytes: changed }));
    device.send({ c: 'update', offer: offerOf(right) });
    await logged(/^update 9\.9: the file has another sha256; .* stays$/);
    assertUntouched(device);
  });

  it('replaces a higher version, and one that is too low, only where that is signed', async () => {
    const back = signUpdate(own, { version: '9.8', highest: '9.10', lowest: '9.9', folder: shippedProgram });
    const { device, logged } = await deviceWith(programWith([own], '9.10'), await serve(back));
    device.send({ c: 'update', offer: offerOf(right) });
    await logged(/^update 9\.9: 9\.9 is lower than 9\.10, and is not signed to replace it; .* stays$/);
    device.send({ c: 'update', offer: offerOf(signUpdate(own, { version: '9.12', lowest: '9.11', folder: shippedProgram })) });
    await logged(/^update 9\.12: 9\.12 replaces 9\.11 and later versions only; .* stays$/);
    assertUntouched(device);
    device.send({ c: 'update', offer: offerOf(back) });
    await until(() => device.count('session') >= 2, { what: 'a session of the version before', timeoutMs: 30_000 });
    assert.deepEqual(device.slots, { slot: 'a', version: '9.8' });
  });

  it('knows another key once a signed update names it, and no longer the former one where the next leaves it out', async () => {
    const both = signUpdate(own, { version: '9.9', otherKeys: [publicKeyOf(next)], folder: shippedProgram });
    const { device, logged } = await deviceWith(programWith([own]), await serve(both));
    device.send({ c: 'update', offer: offerOf(both) });
    await until(() => device.count('session') >= 2, { what: 'a session of the program with both keys', timeoutMs: 30_000 });
    const later = signUpdate(next, { version: '9.10', folder: shippedProgram });
    // The same robot at another server: the path of the program is the same.
    device.send({ c: 'url', url: await serve(later) });
    device.send({ c: 'update', offer: offerOf(later) });
    await until(() => device.slots.version === '9.10' && device.slots.starts === undefined, {
      what: 'the program with the new key alone',
      timeoutMs: 30_000,
    });
    device.send({ c: 'update', offer: offerOf(signUpdate(own, { version: '9.11', folder: shippedProgram })) });
    await logged(/^update 9\.11: the update is signed with the key .*, which this robot does not know; .* stays$/);
  });

  for (const { commit, version } of releases())
    it(`has keys once the program of ${version} has installed its first signed update, by that sha256 alone`, async function () {
      const folder = newFolder();
      if (spawnSync('git', ['cat-file', '-e', commit], { cwd: clone }).status !== 0) skipTest(this, `git has no ${version} here`);
      execFileSync('tar', ['-x', '-C', folder], {
        input: execFileSync('git', ['archive', commit, 'robots/micropython'], { cwd: clone, maxBuffer: 1 << 26 }),
      });
      const { device, logged } = await deviceWith(join(folder, 'robots/micropython'), await serve(right));
      device.send({ c: 'update', offer: offerOf(right) });
      await until(() => device.count('session') >= 2, { what: 'a session of the first signed program', timeoutMs: 30_000 });
      device.send({ c: 'update', offer: { version: '9.10', url: '/program', sha256: right.sha256, size: right.bytes.byteLength } });
      await logged(/^update 9\.10: the update is not signed; .* perch-9\.9 stays$/);
    });

  it('refuses the unsigned program of one robot-link and stays connected, and installs the signed one of a robot-link beside it', async () => {
    const { id, tenant, device } = await deviceWith(programWith([own], '0.0.1'), system().link());
    const page = await PageSession.begin(system(), tenant.account);
    const comesTo = (state: string): Promise<unknown> =>
      until(
        async () => {
          const { update } = (await page.ask('GET', `robots/${id}`)).body.robot;
          return update.state === state ? update : null;
        },
        { what: `the state ${state}`, timeoutMs: 60_000, everyMs: 300 },
      );
    assert.equal((await page.ask('POST', `robots/${id}/update`, {})).status, 200);
    const failed = { state: 'failed', current: '0.0.1', offered: shippedVersion, error: 'the update is not signed' };
    assert.deepEqual(await comesTo('failed'), failed);
    assertUntouched(device);

    const file = join(newFolder(), 'robot-program.json');
    writeFileSync(file, signedUpdateText(signUpdate(own, { folder: shippedProgram })));
    const signing = await SystemUnderTest.open({ gateways: 0, links: 1, renderers: 0, env: { PERCH_ROBOT_PROGRAM: file } });
    try {
      device.send({ c: 'url', url: signing.link() });
      device.send({ c: 'drop' });
      await until(() => device.count('session') === 2, { what: 'a session at the other robot-link' });
      assert.equal((await page.ask('POST', `robots/${id}/update`, {})).status, 200);
      await comesTo('up_to_date');
      assert.deepEqual(device.slots, { slot: 'a', version: shippedVersion });
      await device.stop();
    } finally {
      await signing.close();
    }
    assert.deepEqual(signing.errors, []);
  });
});
