/** Updates of the robot program in MicroPython: two slots, a checksum, and the way back from a program that does not work. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { updateFile, type UpdateFile } from '@perch/installer/node';
import type { Micropython } from '@perch/micropython-robot';
import { needsMicropython, until } from '@perch/testkit';
import { serveProgram } from '../fixture/robots/changed-program.js';
import { MicropythonDevice, shippedProgram } from '../fixture/robots/micropython-device.js';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

const linkStop = fileURLToPath(new URL('../programs/link-stop.py', import.meta.url));

onSingleInstances('updates of the robot program in MicroPython', (system) => {
  let micropython: Micropython;
  before(async function () {
    micropython = await needsMicropython(this);
  });

  async function deviceWith(file: Pick<UpdateFile, 'bytes' | 'sha256'>, missing = 0) {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const device = new MicropythonDevice(micropython, {
      url: await serveProgram(system(), { path: '/program', bytes: file.bytes, missing }),
      token,
      serial: id,
      reconnect_min_ms: 40,
      update_again_ms: 40,
    });
    system().keep(device);
    await until(() => device.count('session') === 1, { what: 'the first session' });
    const api = await checkedApi(tenant);
    const offer = { version: '9.9', url: '/program', sha256: file.sha256, size: file.bytes.byteLength };
    const logged = async (what: RegExp): Promise<void> => {
      const read = async (): Promise<string[]> => (await system().store.robotLines.read(id)).map(({ text }) => text);
      await until(async () => (await read()).some((text) => what.test(text)), { what: `${what} in the robot's log` });
    };
    return { id, device, api, offer, logged };
  }

  const next = (path: string, text: string): string => (path === 'perch/robot.py' ? text.replace(/^VERSION = .*$/m, 'VERSION = "9.9"') : text);
  const broken = (path: string, text: string): string => (path === 'perch/face.py' ? `${text}\nraise RuntimeError("no face today")\n` : text);

  it('installs an offered version in a slot and starts it, and the next one in the other slot', async () => {
    const { device, offer, logged } = await deviceWith(updateFile(shippedProgram, next));
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 2, { what: 'a session of the new program' });
    assert.deepEqual(device.slots, { slot: 'a', version: '9.9' }, 'it has proven itself');
    await logged(/^update 9\.9: installed, restarts$/);
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 3, { what: 'a session of the third program' });
    assert.deepEqual(device.slots, { slot: 'b', version: '9.9' });
    assert.equal(device.starts, 3);
  });

  it('asks again where an instance of another release does not have the file, and installs it from one that has', async () => {
    const { device, offer } = await deviceWith(updateFile(shippedProgram, next), 4);
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 2, { what: 'a session of the new program' });
    assert.deepEqual(device.slots, { slot: 'a', version: '9.9' });
  });

  it('says that the service does not have the file where no instance has it, goes on, and can be updated later', async () => {
    const { id, device, api, offer, logged } = await deviceWith(updateFile(shippedProgram, next), 6);
    device.send({ c: 'update', offer });
    await logged(/^update 9\.9: status 404, 6 times: the service does not have the file of this version now; micropython-.* stays$/);
    assert.deepEqual([device.starts, device.count('session')], [1, 1]);
    assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 2, { what: 'a session of the new program' });
  });

  it('gives way to the program before where the service does not have the version of the link that the new program speaks', async () => {
    const newer = (path: string, text: string): string => (path === 'perch/robot.py' ? text.replace('"v": [1]', '"v": [2]') : text);
    const { device, offer, logged } = await deviceWith(updateFile(shippedProgram, newer));
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 2, { what: 'a session of the program before' });
    assert.equal(device.starts, 1 + 3 + 1);
    await logged(/^update 9\.9: three starts without a welcome \(no common version of the link\); the program before runs again$/);
  });

  it('keeps the program that runs where the sha256 is another one, and says so', async () => {
    const { device, offer, logged } = await deviceWith(updateFile(shippedProgram, next));
    device.send({ c: 'update', offer: { ...offer, sha256: '0'.repeat(64) } });
    await logged(/^update 9\.9: the file has another sha256; micropython-.* stays$/);
    device.send({ c: 'update', offer: { ...offer, size: offer.size + 1 } });
    await logged(/^update 9\.9: \d+ of \d+ bytes arrived; micropython-.* stays$/);
    assert.deepEqual([device.starts, device.slots, device.count('session')], [1, {}, 1]);
    assert.deepEqual(readdirSync(device.folder).toSorted(), ['settings.json'], 'nothing is left');
  });

  it('starts a program that fails three times, and then the one before, which tells the reason', async () => {
    const { device, offer, logged } = await deviceWith(updateFile(shippedProgram, broken));
    device.send({ c: 'update', offer });
    await until(() => device.count('session') === 2, { what: 'a session of the program before' });
    assert.equal(device.starts, 1 + 3 + 1);
    await logged(/^update 9\.9: three starts without a welcome \(.*no face today.*\); the program before runs again$/);
    await until(() => device.slots.slot === undefined && device.slots.version === undefined, { what: 'no slot' });
  });

  it('stops, to restart after an update, although the service answers the close of its connection first', async () => {
    const { stdout } = await promisify(execFile)(micropython.command, [...micropython.args, linkStop, shippedProgram]);
    assert.equal(stdout, 'stopped\ndone\n');
  });

  it('writes no file outside of the slot, and starts no slot in which a file is cut off', async () => {
    for (const [path, size, problem] of [
      ['perch/../../main.py', 3, /^update 9\.9: a file called perch\/\.\.\/\.\.\/main\.py; .* stays$/],
      ['settings.json', 3, /^update 9\.9: a file called settings\.json; .* stays$/],
      ['perch/robot.py', 4, /^update 9\.9: perch\/robot\.py is cut off; .* stays$/],
    ] as const) {
      const bytes = Buffer.from(`${JSON.stringify({ files: [[path, size]] })}\nabc`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const { device, offer, logged } = await deviceWith({ bytes, sha256 });
      device.send({ c: 'update', offer });
      await logged(problem);
      assert.deepEqual([device.starts, device.slots], [1, {}]);
      assert.deepEqual(readdirSync(device.folder).toSorted(), ['settings.json', 'slots']);
    }
  });

  it('goes on with the program that runs after a power cut during an update', async () => {
    const { device, offer } = await deviceWith(updateFile(shippedProgram, next));
    device.send({ c: 'update', offer });
    await until(() => readdirSync(device.folder).length > 1, { what: 'the beginning of a download' });
    device.cutPower();
    await until(() => device.count('session') >= 2, { what: 'a session after the power cut' });
    assert.ok(device.slots.slot === undefined || device.slots.version === '9.9', 'one program or the other as a whole');
  });

  it('begins no update while a question waits', async () => {
    const { id, device, api, offer } = await deviceWith(updateFile(shippedProgram, next));
    const asked = api.act(id, 'ask', { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 30 });
    await until(() => device.told.some(({ e, layer }) => e === 'picture' && layer === 'question'), { what: 'the question' });
    device.send({ c: 'update', offer });
    await until(() => device.count('refused') === 1, { what: 'a refusal' });
    assert.equal(device.told.find(({ e }) => e === 'refused')?.['code'], 'busy');
    assert.equal(device.starts, 1);
    await api.act(id, 'stop', {});
    await asked;
  });
});
