import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { signedProgramFiles } from '@perch/installer';
import { programFolder, signedUpdateText, signUpdate } from '@perch/installer/node';
import { SerialRobot, skipTest, type SerialRobotOptions } from '@perch/testkit';
import { connectTerminal, type PseudoTerminal } from './pseudo-terminal.js';
import { runPerch, type Ran } from './run-perch.js';

const shown = { e: 'code', code: 'BCDF-2345', uri: 'http://192.0.2.1:8080/pair?code=BCDF-2345' };
const environment = { PERCH_WIFI_PASSWORD: 'secret-1' };
const wanted = ['--wifi', 'Home', '--url', 'ws://192.0.2.1:8081', '--unencrypted'];

/** Of any authority. */
const certificate = rootCertificates[0]!;

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('perch robot install', function () {
  let terminal: PseudoTerminal | null = null;
  afterEach(async () => {
    await terminal?.close();
    terminal = null;
  });

  async function robotOnPort(test: Mocha.Context, options: SerialRobotOptions = {}): Promise<{ robot: SerialRobot; port: string }> {
    const robot = await SerialRobot.start({ onRestart: (restarted) => restarted.print(JSON.stringify(shown)), ...options });
    terminal = await connectTerminal(robot);
    return { robot, port: terminal?.path ?? skipTest(test, 'there is no python3 on PATH, which opens a pseudo-terminal') };
  }

  const install = (port: string, more: readonly string[] = wanted, given: Record<string, string> = environment): Promise<Ran> =>
    runPerch(given, ['robot', 'install', '--port', port, ...more]);

  it('installs the program through a serial port, and prints the pairing code; a second time it writes nothing', async function () {
    const { robot, port } = await robotOnPort(this);
    const { code, out, err } = await install(port);
    assert.equal(code, 0, err);
    const program = await programFolder();
    assert.equal(
      out,
      [
        `installed: ${program.length} files written; the robot has the address 192.0.2.20 in the Wi-Fi`,
        'pairing code BCDF-2345',
        `enter it at ${shown.uri}`,
        'the head is off: UIFlow2 has not calibrated it, and its screen "Head Calibration" does not appear any more, because the robot starts Perch',
        'tap "Head off" on the robot\'s screen, or run perch robot check: it asks you to hold the head level\n',
      ].join('\n'),
    );
    assert.match(err, /^perch: opening the port$.*^perch: writing main\.py \(\d+ of \d+\)$.*^perch: waiting for its pairing code$/ms);
    for (const { path, bytes } of program) assert.deepEqual(Buffer.from(robot.files.get(path)!), Buffer.from(bytes), path);
    const second = await install(port, [...wanted, '--yaw-sign', '-1', '--json']);
    const { written, pairing_code: pairing, online, head_calibrated: calibrated } = JSON.parse(second.out) as Record<string, unknown>;
    assert.deepEqual([written, pairing, online, calibrated], [0, 'BCDF-2345', false, false]);
    assert.match(Buffer.from(robot.files.get('settings.json')!).toString(), /"yaw_sign": -1/);
  });

  it('installs the authority that the page of PERCH_BASE_URL serves, and prints its fingerprint', async function () {
    const { robot, port } = await robotOnPort(this);
    const pages = createServer(({ url }, response) => response.writeHead(url === '/ca.crt' ? 200 : 404).end(certificate));
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    try {
      const given = { ...environment, PERCH_BASE_URL: `http://127.0.0.1:${(pages.address() as AddressInfo).port}` };
      const { code, err } = await install(port, ['--wifi', 'Home', '--url', 'wss://192.0.2.1:8081'], given);
      assert.equal(code, 0, err);
      assert.ok(err.includes(new X509Certificate(certificate).fingerprint256), err);
      const { ca, url } = JSON.parse(Buffer.from(robot.files.get('settings.json')!).toString()) as Record<string, unknown>;
      assert.deepEqual([ca, url], [certificate, 'wss://192.0.2.1:8081/robot/v1/link']);
    } finally {
      pages.close();
    }
  });

  it('saves the zeros of the servos for the owner alone, keeps a file that is there, and stores them again', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'perch-servo-'));
    try {
      const file = join(folder, 'servo.json');
      const { robot, port } = await robotOnPort(this);
      robot.run('import esp32\nn = esp32.NVS("servo")\nn.set_i32("zero_pos_1", 466)\nn.set_i32("zero_pos_2", 598)\nn.commit()');
      const { code, out, err } = await install(port, [...wanted, '--save', file, '--json']);
      assert.equal(code, 0, err);
      const { saved, firmware, head_calibrated: calibrated } = JSON.parse(out) as Record<string, unknown>;
      assert.deepEqual([saved, firmware, calibrated], [file, 'UIFlow2 V2.5.3, MicroPython 1.27.0', true]);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const state = await readFile(file, 'utf8');
      assert.deepEqual((JSON.parse(state) as { servo: unknown }).servo, { zero_pos_1: 466, zero_pos_2: 598 });
      await writeFile(join(folder, 'other.json'), '{"servo": {"zero_pos_1": 470, "zero_pos_2": 601}}');
      assert.equal((await install(port, [...wanted, '--save', file, '--servo', join(folder, 'other.json')])).code, 0);
      assert.equal(await readFile(file, 'utf8'), state, 'what was measured first is not kept');
      const later = await install(port, [...wanted, '--save', join(folder, 'later.json')]);
      assert.match(later.out, /^the zeros of its servos are in .*later\.json: keep that file$/m);
      assert.match(await readFile(join(folder, 'later.json'), 'utf8'), /"zero_pos_1": 470/);
      await writeFile(join(folder, 'wrong.json'), '{"servo": {"zero_pos_1": 1466}}');
      const wrong = await install(port, [...wanted, '--servo', join(folder, 'wrong.json')]);
      assert.deepEqual([wrong.code, /must have zero_pos_1 and zero_pos_2, from 0 to 1000/.test(wrong.err)], [64, true], wrong.err);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names the versions of UIFlow2 that were read, and goes on with another one where that is confirmed', async function () {
    const { robot, port } = await robotOnPort(this, { uiflow: 'V2.6.0' });
    const refused = await install(port);
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /The firmware is UIFlow2 V2\.6\.0; the developers of Perch have read 2\.4\.8 and 2\.5\.3\.\nWhat it does differently is not known/,
    );
    assert.equal(robot.files.size, 0);
    const { code, err } = await install(port, [...wanted, '--any-firmware']);
    assert.equal(code, 0, err);
  });

  it('installs a signed program with its keys, and none that is damaged', async function () {
    const { robot, port } = await robotOnPort(this);
    const folder = await mkdtemp(join(tmpdir(), 'perch-signed-'));
    try {
      const file = join(folder, 'robot-program.json');
      const signed = signUpdate(generateKeyPairSync('ed25519').privateKey);
      const damaged: [from: string, to: string, problem: string][] = [
        ['Robot', 'Robut', 'its program has another sha256'],
        ['"highest":"', '"highest":"9', 'its signature does not fit'],
        ['def main', 'def  main', 'its main.py has another sha256'],
      ];
      for (const [from, to, problem] of damaged) {
        await writeFile(file, signedUpdateText(signed).replace(from, to));
        const refused = await install(port, [...wanted, '--program', file]);
        assert.deepEqual([refused.code, refused.err.includes(`cannot be installed: the file is damaged: ${problem}`)], [64, true], refused.err);
      }
      assert.equal(robot.received, 0, 'nothing reached the robot');
      await writeFile(file, signedUpdateText(signed));
      const { code, err } = await install(port, wanted, { ...environment, PERCH_ROBOT_PROGRAM: file });
      assert.equal(code, 0, err);
      assert.match(
        err,
        new RegExp(`^perch: program ${signed.version}, signed with the key ${signed.key}; the robot accepts updates with it alone$`, 'm'),
      );
      const files = await signedProgramFiles(signed, file);
      assert.deepEqual(files.map(({ path }) => path).toSorted(), (await programFolder()).map(({ path }) => path).toSorted());
      for (const { path, bytes } of files) assert.deepEqual(Buffer.from(robot.files.get(path)!), Buffer.from(bytes), path);
      assert.ok(Buffer.from(robot.files.get('perch/keys.py')!).toString().includes(signed.key.slice(32)));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('leaves the robot running and says how to continue when Ctrl-C interrupts it', async function () {
    const { robot, port } = await robotOnPort(this);
    const perch = spawn(process.execPath, [main, 'robot', 'install', '--port', port, ...wanted], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(perch, 'close');
    let err = '';
    let sent = false;
    perch.stderr.on('data', (text: Buffer) => {
      err += text.toString();
      if (!sent && /writing perch\/args\.py/.test(err)) sent = perch.kill('SIGINT');
    });
    const [code] = await ended;
    assert.equal(code, 1, err);
    assert.match(err, /interrupted: starting the robot again/);
    assert.match(err, /The installation was interrupted\.\nThe robot has been restarted and runs what is on it\. Start the installation once more/);
    assert.equal(robot.restarts, 1);
  });

  it('prints what is wrong and what to do about it, with --json also as fields', async function () {
    const { port } = await robotOnPort(this);
    const { code, out, err } = await install(port, [...wanted, '--json'], { PERCH_WIFI_PASSWORD: 'wrong' });
    assert.equal(code, 1);
    assert.match(err, /perch: The Wi-Fi "Home" does not accept the password\.\nEnter the password again/);
    assert.deepEqual(JSON.parse(out), {
      ok: false,
      error: 'The Wi-Fi "Home" does not accept the password.',
      code: 'wifi_password',
      advice: 'Enter the password again. Upper and lower case matter.',
    });
  });

  it('names the firmware to install when it finds another one', async function () {
    const { port } = await robotOnPort(this, { board: null });
    const { code, err } = await install(port);
    assert.equal(code, 1);
    assert.match(err, /MicroPython 1\.27\.0 .* without UIFlow2's modules\.\nInstall "UIFlow2 for StackChan" with M5Burner/);
  });

  it('rejects ports that do not exist or are files, and addresses that a robot cannot use, and says that a robot does not follow an IP address', async () => {
    assert.match((await install('/dev/ttyACM-none')).err, /There is no port \/dev\/ttyACM-none\.\nPlug the robot in/);
    assert.match((await install(import.meta.filename)).err, /is not a serial port/);
    for (const [url, problem] of [
      ['http://192.0.2.1', /must begin with ws:\/\/ or wss:\/\//],
      ['ws://127.0.0.1:8081', /a robot cannot reach this machine by that name/],
      ['wss://perch.example.org', /needs --ca.*PERCH_BASE_URL/],
    ] as const) {
      const { code, err } = await install('/dev/ttyACM0', ['--url', url]);
      assert.equal(code, 64);
      assert.match(err, problem);
    }
    for (const [host, keeps] of [
      ['192.0.2.1', true],
      ['[fd00::1]', true],
      ['perch-1a2b3c.local', false],
      ['192.example.org', false],
    ] as const) {
      const { err } = await install('/dev/ttyACM0', ['--url', `ws://${host}:8081`]);
      assert.equal(
        err.includes(`perch: the robot keeps the IP address ${host}, and does not find Perch at another one: take the name in .local`),
        keeps,
        err,
      );
    }
    const plain = await install('/dev/ttyACM0', ['--url', 'ws://192.0.2.1:8081']);
    assert.deepEqual([plain.code, /not be encrypted.*--unencrypted/s.test(plain.err)], [1, true], plain.err);
    assert.match((await install('/dev/ttyACM0', ['--url', 'ws://192.0.2.1', '--yaw-sign', '2'])).err, /--yaw-sign 2: must be 1 or -1/);
    const { code, err } = await install('/dev/ttyACM0', ['--url', 'ws://192.0.2.1', '--wifi-password', 'x']);
    assert.equal(code, 64);
    assert.match(err, /--wifi-password needs --wifi/);
  });
});
