/** The service updates a robot that runs an older version of the robot program in MicroPython. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { updateFile } from '@perch/installer/node';
import type { Micropython } from '@perch/micropython-robot';
import { needsMicropython, until } from '@perch/testkit';
import { PageSession } from '../fixture/clients/page-session.js';
import { serveProgram } from '../fixture/robots/changed-program.js';
import { MicropythonDevice, shippedProgram } from '../fixture/robots/micropython-device.js';
import { onSingleInstances } from '../fixture/system/shared-systems.js';

const shipped = updateFile(shippedProgram);
const oldVersion = '0.0.1';
/** Slower than the rate limit of the page. */
const patience = { timeoutMs: 60_000, everyMs: 300 };

onSingleInstances('updates that the service offers to a robot in MicroPython', (system) => {
  let micropython: Micropython;
  let oldProgram: string;
  before(async function () {
    micropython = await needsMicropython(this);
    oldProgram = mkdtempSync(join(tmpdir(), 'perch-old-program-'));
    cpSync(shippedProgram, oldProgram, { recursive: true });
    const path = join(oldProgram, 'perch/robot.py');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^VERSION = .*$/m, `VERSION = "${oldVersion}"`));
  });
  after(() => {
    if (oldProgram !== undefined) rmSync(oldProgram, { recursive: true, force: true });
  });

  /** Offers and serves another file of the same size. */
  function serverOf(sha256: string, bytes: Buffer): Promise<string> {
    return serveProgram(system(), { path: `/robot/v1/program/${sha256}`, bytes, change: (text) => text.replaceAll(shipped.sha256, sha256) });
  }

  async function oldRobot(url = system().link()) {
    const tenant = await system().tenant();
    const { robot: id, token } = await system().store.robots.create({ account: tenant.account });
    const device = new MicropythonDevice(micropython, { url, token, serial: id, reconnect_min_ms: 40 }, oldProgram);
    system().keep(device);
    const page = await PageSession.begin(system(), tenant.account);
    const status = async (): Promise<any> => (await page.ask('GET', `robots/${id}`)).body.robot.update;
    const comesTo = (state: string): Promise<any> =>
      until(
        async () => {
          const now = await status();
          return now?.state === state ? now : null;
        },
        { ...patience, what: `the state ${state}` },
      );
    assert.deepEqual(await comesTo('offered'), { state: 'offered', current: oldVersion, offered: shipped.version, error: null });
    const update = () => page.ask('POST', `robots/${id}/update`, {});
    const activity = async (): Promise<string[]> => {
      const query = { after: 0, before: null, limit: 100, kind: 'changes', accept: () => true } as const;
      const { entries } = await system().store.activity.read(tenant.account, query);
      return entries
        .filter(({ robot, action }) => robot === id && action.startsWith('robot_update'))
        .map(({ action, outcome }) => `${action} ${outcome}`);
    };
    const robotLog = async (): Promise<string[]> => (await system().store.robotLines.read(id)).map(({ text }) => text);
    return { id, device, page, comesTo, update, activity, robotLog };
  }

  it('an old version connects, its owner updates it, and it comes back with the version of the service', async () => {
    const { id, device, page, comesTo, update, activity, robotLog } = await oldRobot();
    const asked = await update();
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    assert.deepEqual(await comesTo('up_to_date'), { state: 'up_to_date', current: shipped.version, offered: null, error: null });
    const { firmware } = (await page.ask('GET', `robots/${id}`)).body.robot;
    assert.match(firmware, new RegExp(`^micropython-.* perch-${shipped.version}$`));
    assert.deepEqual([device.starts, device.slots], [2, { slot: 'a', version: shipped.version }]);
    await until(async () => (await activity()).length === 3, { ...patience, what: 'three entries' });
    assert.deepEqual(new Set(await activity()), new Set(['robot_update ok', 'robot_update_started ok', 'robot_update_installed ok']));
    await until(async () => (await robotLog()).includes(`update ${shipped.version}: installed, restarts`), patience);
    const again = await update();
    assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  });

  it('a file with another sha256 is not installed: the page and the log of the robot say why, and the old version goes on', async () => {
    const { device, comesTo, update, activity, robotLog } = await oldRobot(await serverOf('0'.repeat(64), shipped.bytes));
    assert.equal((await update()).status, 200);
    assert.equal((await comesTo('failed')).error, 'the file has another sha256');
    assert.equal(device.starts, 1);
    await until(async () => (await activity()).includes('robot_update_failed failed'), patience);
    await until(async () => (await robotLog()).some((text) => text.startsWith(`update ${shipped.version}: the file has another sha256`)), patience);
  });

  it('a program that does not start gives way to the old version, and the page and the log of the robot say why', async () => {
    const imports = 'import asyncio\nimport binascii\nimport os\nimport sys\nimport time\n';
    const failing = `${'raise OSError("no day")'.padEnd(imports.length - 1)}\n`;
    const broken = Buffer.from(shipped.bytes.toString('latin1').replace(imports, failing), 'latin1');
    assert.equal(broken.byteLength, shipped.bytes.byteLength);
    const sha256 = createHash('sha256').update(broken).digest('hex');
    assert.notEqual(sha256, shipped.sha256);
    const { device, comesTo, update, activity, robotLog } = await oldRobot(await serverOf(sha256, broken));
    assert.equal((await update()).status, 200);
    assert.match((await comesTo('failed')).error, /no day/);
    assert.equal(device.starts, 1 + 3 + 1);
    await until(async () => (await activity()).includes('robot_update_failed failed'), patience);
    await until(async () => (await robotLog()).some((line) => /three starts without a welcome .*no day/.test(line)), patience);
  });
});
