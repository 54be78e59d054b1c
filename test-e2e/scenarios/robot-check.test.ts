import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '@perch/cli';
import { until } from '@perch/testkit';
import { Nack, Person, type OwnCommand, type VirtualRobot } from '@perch/virtual-robot';
import { waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

interface Report {
  robot: string;
  firmware: string;
  results: { check: string; outcome: string; detail: string }[];
  readings: Record<string, unknown>;
}

/** What the person does at each card but the first, in the order of the checks. */
const deeds: ((robot: VirtualRobot) => unknown)[] = [
  (robot) => robot.pat(),
  (robot) => robot.holdTag({ uid: '04a1b2c3d4e5f6' }),
  (robot) => robot.tap(160, 120),
  // Movements are ignored while the head moves by its latest reading.
  (robot) => robot.shake(),
];

onSharedSystems('perch robot check', (system) => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-check-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function check(key: string, id: string, ...more: string[]): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const environment = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: key, HOME: folder };
    const args = ['robot', 'check', id, '--led-ms', '1', ...more];
    const code = await runProgram(args, { environment, folder, out: (text) => (out += text), err: (text) => (err += text) });
    return { code, out, err };
  }

  async function reportIn(name: string): Promise<Report> {
    return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Report;
  }

  it('tries every part with the person at the robot, and writes a report as JSON and as a page', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    robot.setReading('heap_free_kb', 81);
    robot.setReading('wifi_rssi_dbm', -52);
    robot.setReading('wifi_ssid', 'Home');
    robot.reportNow();
    // Taps the left answer first: that the robot looked to the left, and yes.
    const person = new Person(robot, { thinkMs: 300, random: () => 0.4 });
    let card = 0;
    let repeating: NodeJS.Timeout | undefined;
    const off = robot.on('picture', ({ layer }) => {
      if (layer !== 'card') return;
      // A tap before the question waits would be an event.
      if (card === 0) void waitArmed(system(), id, robot).then(() => robot.tap(250, 180));
      else void deeds[card - 1]?.(robot);
      if (card === deeds.length) repeating ??= setInterval(() => robot.shake(), 500);
      card += 1;
    });
    try {
      const { code, out, err } = await check(tenant.key, id, '--out', 'desk', '--answer-s', '20');
      const report = await reportIn('desk');
      const outcomes = Object.fromEntries(report.results.map(({ check: name, outcome }) => [name, outcome]));
      assert.deepEqual(
        outcomes,
        {
          latency: 'passed',
          face: 'passed',
          head: 'failed',
          LEDs: 'passed',
          touch: 'passed',
          'head touch': 'passed',
          tag: 'passed',
          remote: 'skipped',
          motion: 'passed',
          sound: 'passed',
          memory: 'passed',
          'Wi-Fi': 'passed',
          clock: 'skipped',
          update: 'skipped',
        },
        err,
      );
      assert.equal(code, 1, 'a failed check');
      assert.match(out, /^head +failed +positive yaw turns to the robot's right: run perch robot install once more, with --yaw-sign 1 \(or -1/m);
      assert.match(err, /^perch: tag: passed, reported tag$/m);
      assert.deepEqual([report.robot, report.readings['heap_free_kb'], report.readings['wifi_ssid']], [id, 81, undefined]);
      const page = await readFile(join(folder, 'desk.html'), 'utf8');
      assert.match(page, /<td>memory<\/td><td>passed<\/td><td>81 KB free/);
      assert.ok(!page.includes('Home'));
    } finally {
      clearInterval(repeating);
      off();
      person.stop();
    }
  });

  it('skips what the robot does not offer, and reports that nobody answered', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot({ instant: true, features: ['screen', 'touch'] });
    const { out } = await check(tenant.key, id, '--answer-s', '1', '--json');
    const { results } = JSON.parse(out) as Report;
    const of = (outcome: string): string[] => results.filter((result) => result.outcome === outcome).map((result) => result.check);
    assert.deepEqual(of('skipped'), ['latency', 'face', 'head', 'LEDs', 'sound', 'clock', 'update']);
    assert.deepEqual(of('not_seen'), ['touch', 'head touch', 'tag', 'remote', 'motion']);
  });

  it('says that the firmware checks certificates by a shifted clock, and fails a clock that is wrong', async () => {
    const tenant = await system().tenant();
    let aheadS = 1;
    const clock: OwnCommand = {
      name: 'clock',
      description: 'Tells the time',
      class: 'program',
      args: { type: 'object', properties: {}, additionalProperties: false },
      run: () => ({ unix_s: Math.round(Date.now() / 1000) + aheadS, tls_shift_s: 946_684_800 }),
    };
    const { id } = await tenant.robot({ instant: true, features: ['screen', 'touch'], commands: [clock] });
    const right = await check(tenant.key, id, '--answer-s', '1');
    assert.match(right.err, /^perch: clock: passed, .*; its firmware checks certificates by a clock that is 946684800 s ahead/m);
    aheadS = 32_400;
    assert.match((await check(tenant.key, id, '--answer-s', '1')).err, /^perch: clock: failed, 32\d{3} s ahead of this computer's clock/m);
  });

  it('says why the robot refused its last update', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true, features: [], firmware: 'micropython-1.27.0 perch-0.0' });
    const updates = system().store.robots.updates;
    const stored = await until(() => updates.read(id), { what: 'the offer of a version' });
    const version = stored.offered!;
    await updates.change(tenant.account, id, (before) => ({ ...before!, state: 'updating', version }));
    robot.faults.sendRaw(JSON.stringify({ t: 'update_failed', version, error: 'the update is not signed', refused: 'unsigned' }));
    await until(async () => (await updates.read(id))?.state === 'failed', { what: 'a failed update' });
    const { err } = await check(tenant.key, id, '--answer-s', '1');
    assert.match(err, new RegExp(`^perch: update: failed, the update from 0\\.0 to ${version} failed: the update is not signed$`, 'm'));
  });

  it('has a robot without a head calibrate it first, and checks the head that the robot has then', async () => {
    const tenant = await system().tenant();
    const features = ['screen', 'touch'];
    const calibrateHead: OwnCommand = {
      name: 'calibrate_head',
      description: 'Calibrates the head',
      class: 'program',
      args: { type: 'object', properties: {}, additionalProperties: false },
      run() {
        // It comes back with the head, as the robot program does once the person has answered.
        setTimeout(() => {
          features.push('head');
          robot.faults.dropConnection();
        }, 1000);
        return { why: 'not calibrated: tap here' };
      },
    };
    const { id, robot } = await tenant.robot({ instant: true, features, commands: [calibrateHead] });
    // Taps the right answer.
    const person = new Person(robot, { thinkMs: 300, random: () => 0.9 });
    try {
      const { err } = await check(tenant.key, id, '--answer-s', '3');
      assert.match(err, /^perch: head: passed, positive yaw turns to the robot's left$/m);
    } finally {
      person.stop();
    }
  });

  it('says why a robot has no head, whose person did not calibrate it', async () => {
    const tenant = await system().tenant();
    const calibrateHead: OwnCommand = {
      name: 'calibrate_head',
      description: 'Calibrates the head',
      class: 'program',
      args: { type: 'object', properties: {}, additionalProperties: false },
      run() {
        throw new Nack('hardware', 'servo 1 does not answer');
      },
    };
    const { id } = await tenant.robot({ instant: true, features: ['screen', 'touch'], commands: [calibrateHead] });
    const { err } = await check(tenant.key, id, '--answer-s', '1');
    assert.match(err, /^perch: head: failed, .*servo 1 does not answer/m);
  });

  it('fails with the exit code of an offline robot before it tries anything', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    await robot.stop();
    const headers = { authorization: `Bearer ${tenant.key}` };
    await until(async () => {
      const response = await fetch(`${system().gateway()}/v1/robots/${id}`, { headers });
      return !((await response.json()) as { online: boolean }).online;
    });
    const { code, err } = await check(tenant.key, id);
    assert.equal(code, 4, err);
  });
});
