import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { InstallError, installRobot, recogniseRobot, restartRobot, type InstallErrorCode, type InstallOptions } from '@perch/installer';
import { programFolder } from '@perch/installer/node';
import { SerialRobot, type SerialRobotOptions } from '@perch/testkit';
import { assertFails, assertInstalled, code, fewFiles, optionsFor, settingsOn, showCode, textOn, url } from './installed-robot.js';

/** Code that stores pairs of key and value in the firmware's namespace of the servos. */
const storedInFirmware = (pairs: string): string =>
  `import esp32\nn = esp32.NVS("servo")\nfor key, value in (${pairs}):\n    n.set_i32(key, value)\nn.commit()`;

describe('installRobot', function () {
  it('installs the program byte for byte through the raw REPL, writes settings, restarts the robot and reads its pairing code', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    const program = await programFolder();
    const steps = new Set<string>();
    const installed = await installRobot(await optionsFor(robot, { files: program, onProgress: ({ step }) => steps.add(step) }));
    assert.deepEqual(installed.report, { kind: 'code', ...code });
    assert.deepEqual([...steps], ['connect', 'firmware', 'wifi', 'service', 'files', 'settings', 'restart', 'code']);
    assert.equal(installed.written, program.length);
    assert.equal(robot.restarts, 1);
    await assertInstalled(robot, program);
  });

  it('stops the program that runs, writes only what has changed, and keeps the token and other settings of the robot', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    await installRobot(await optionsFor(robot));
    robot.putFile('settings.json', JSON.stringify({ url, token: 'rt_1', yaw_sign: -1 }));
    robot.putFile('perch/clock.py', '# changed on the robot');
    robot.putFile('boot.json', '{"slot": "a"}');
    const { written } = await installRobot(await optionsFor(robot));
    assert.equal(written, 1);
    assert.ok(!robot.files.has('boot.json'), 'an update before the installation is still chosen');
    assert.deepEqual(settingsOn(robot), { url, token: 'rt_1', unencrypted: true, yaw_sign: -1 });
    await installRobot(await optionsFor(robot, { yawSign: 1 }));
    assert.deepEqual(settingsOn(robot), { url, token: 'rt_1', unencrypted: true, yaw_sign: 1 });
    assert.match(textOn(robot, 'perch/clock.py'), /SPDX/);
  });

  const zeros: [title: string, calibrated: boolean, prepare: (robot: SerialRobot) => void][] = [
    ['nothing has calibrated the head', false, () => undefined],
    ['the calibration of UIFlow2 was done', true, (robot) => robot.run(storedInFirmware('("zero_pos_1", 466), ("zero_pos_2", 598)'))],
    ['UIFlow2 has one zero alone', false, (robot) => robot.run(storedInFirmware('("zero_pos_1", 466),'))],
    ['UIFlow2 would not take its zero', false, (robot) => robot.run(storedInFirmware('("zero_pos_1", 466), ("zero_pos_2", -1)'))],
    ['the robot program has calibrated it', true, (robot) => robot.putFile('settings.json', '{"yaw_zero": 466, "pitch_zero": 598}')],
  ];
  for (const [title, calibrated, prepare] of zeros) {
    it(`says ${calibrated ? 'nothing of' : "that UIFlow2's own screen no longer offers"} the calibration of the head where ${title}`, async () => {
      const robot = await SerialRobot.start({ onRestart: showCode });
      prepare(robot);
      const { headCalibrated } = await installRobot(await optionsFor(robot));
      assert.deepEqual([headCalibrated, robot.nvs['boot_option']], [calibrated, 0]);
    });
  }

  it('holds the watchdog of the program that it has interrupted, which nothing else feeds', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    const files = [...(await fewFiles()), ...(await programFolder()).filter(({ path }) => path === 'perch/watchdog.py')];
    await installRobot(await optionsFor(robot, { files }));
    assert.equal(robot.watchdog.ms, null, 'the installer has started one');
    robot.run('import machine, sys\nsys.path.append("/flash")\nfrom perch import watchdog\nwatchdog.start(lambda ms: machine.WDT(timeout=ms))');
    assert.equal(robot.watchdog.ms, 60_000);
    await installRobot(await optionsFor(robot, { files }));
    assert.equal(robot.watchdog.ms, 600_000);
    assert.ok(robot.watchdog.fed > 5, 'it is not fed by each program of the installer');
  });

  it('removes the token and the authority of another service', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    robot.putFile('settings.json', JSON.stringify({ url: 'wss://other.example/robot/v1/link', token: 'rt_1', ca: 'PEM' }));
    await installRobot(await optionsFor(robot));
    assert.deepEqual(settingsOn(robot), { url, unencrypted: true });
  });

  it('refuses an address with ws:// that was not allowed by name, before it opens the port', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    const opened: string[] = [];
    const port = { ...robot.port, open: () => (opened.push('open'), robot.port.open()) };
    await assertFails(robot, 'not_encrypted', { port, unencrypted: false });
    assert.deepEqual(opened, []);
  });

  it('installs the authority with an address in wss://, of which the firmware need not know the name in .local, and takes back ws://', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    await installRobot(await optionsFor(robot));
    const secure = { url: 'wss://perch-1a2b3c.local:8081/robot/v1/link', ca: 'PEM', unencrypted: false };
    await installRobot(await optionsFor(robot, secure));
    assert.deepEqual(settingsOn(robot), { url: secure.url, ca: 'PEM' });
  });

  it("keeps the owner's own main.py under another name", async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    robot.putFile('main.py', 'print("mine")');
    await installRobot(await optionsFor(robot));
    assert.equal(textOn(robot, 'main-before-perch.py'), 'print("mine")');
    await installRobot(await optionsFor(robot));
    assert.equal(textOn(robot, 'main-before-perch.py'), 'print("mine")');
  });

  it("replaces the firmware's boot.py, which has the menu that removes main.py, and keeps it under another name", async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    robot.putFile('boot.py', 'from startup import startup');
    await installRobot(await optionsFor(robot));
    assert.equal(textOn(robot, 'boot-before-perch.py'), 'from startup import startup');
    assert.doesNotMatch(textOn(robot, 'boot.py'), /startup/);
    robot.putFile('boot.py', `${textOn(robot, 'boot.py')}# of an earlier release`);
    await installRobot(await optionsFor(robot));
    assert.doesNotMatch(textOn(robot, 'boot.py'), /earlier release/);
    assert.equal(textOn(robot, 'boot-before-perch.py'), 'from startup import startup');
  });

  it('changes nothing on a version of UIFlow2 that was not read, and installs on it when that is confirmed', async () => {
    for (const uiflow of ['V2.6.0', 'V2.5.3-rc1', '']) {
      const robot = await SerialRobot.start({ uiflow, onRestart: showCode });
      await assertFails(robot, 'unread_firmware');
      assert.deepEqual([[...robot.files.keys()], robot.nvs], [[], {}]);
      assert.deepEqual((await recogniseRobot(robot.port)).isRead, false);
    }
    const robot = await SerialRobot.start({ uiflow: 'V2.6.0', onRestart: showCode });
    await installRobot(await optionsFor(robot, { anyFirmware: true }));
    await assertInstalled(robot);
  });

  it('has the zeros of the servos saved before it changes anything, and stores saved ones', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    robot.run(storedInFirmware('("zero_pos_1", 466), ("zero_pos_2", 598)'));
    const refuses = optionsFor(robot, { saveState: () => Promise.reject(new InstallError('state_not_saved', 'no space left')) });
    await assert.rejects(installRobot(await refuses), /no space left/);
    assert.deepEqual([[...robot.files.keys()], robot.nvs], [[], {}]);
    const states: unknown[] = [];
    const { state } = await installRobot(await optionsFor(robot, { saveState: async (given) => void states.push(given) }));
    assert.deepEqual(states.slice(0), [{ id: '010203040506', servo: { zero_pos_1: 466, zero_pos_2: 598 }, uiflow: {} }]);
    const erased = await SerialRobot.start({ onRestart: showCode });
    const { headCalibrated } = await installRobot(await optionsFor(erased, { servo: state.servo }));
    assert.equal(headCalibrated, true);
    await installRobot(await optionsFor(erased, { saveState: async (given) => void states.push(given) }));
    assert.deepEqual(states.slice(1), [{ ...state, uiflow: { server: '127.0.0.1', sntp0: '127.0.0.1' } }]);
  });

  it('does not send boards of computers to the robot, and sends what starts the program last', async () => {
    const paths = (await programFolder()).map(({ path }) => path);
    assert.deepEqual(paths.slice(-2), ['boot.py', 'main.py']);
    assert.deepEqual(
      paths.filter((path) => path.includes('host')),
      [],
    );
    assert.ok(paths.includes('perch/boards/__init__.py'));
  });

  const refused: [title: string, code: InstallErrorCode, state: SerialRobotOptions, more?: Partial<InstallOptions>][] = [
    ["MicroPython without UIFlow2's modules", 'wrong_firmware', { board: null }],
    ['UIFlow2 for the CoreS3 without a body', 'wrong_board', { board: 'M5StackCoreS3' }],
    ['UIFlow2 for a device that Perch does not know', 'wrong_board', { board: 'M5Tab5' }],
    ['a wrong Wi-Fi password', 'wifi_password', {}, { wifi: { ssid: 'Home', password: 'wrong' } }],
    ['a Wi-Fi that the robot does not find', 'wifi_not_found', {}, { wifi: { ssid: 'Nowhere', password: 'x' } }],
    ['no Wi-Fi, neither given nor entered in M5Burner', 'wifi_missing', {}, { wifi: null }],
    ['a service that the robot does not reach', 'service_unreachable', { reachable: false }],
  ];
  for (const [title, expected, state, more] of refused) {
    it(`changes nothing on the robot and reports ${expected} for ${title}`, async () => {
      const robot = await SerialRobot.start(state);
      await assertFails(robot, expected, more);
      assert.deepEqual([...robot.files.keys()], []);
      assert.deepEqual(robot.nvs, {});
      assert.equal(robot.restarts, 1, 'its program is not started again');
    });
  }

  it('uses the Wi-Fi that was entered in M5Burner when none is given', async () => {
    const robot = await SerialRobot.start({ onRestart: showCode });
    await installRobot(await optionsFor(robot));
    const installed = await installRobot(await optionsFor(robot, { wifi: null }));
    assert.equal(installed.address, '192.0.2.20');
    await assertInstalled(robot);
  });

  it('says that the robot is online when it was paired before, and why it is not when it says so', async () => {
    const online = await SerialRobot.start({ onRestart: (robot) => robot.print('{"e": "session"}') });
    assert.deepEqual((await installRobot(await optionsFor(online))).report, { kind: 'online' });
    const lines = ['boot: a line of the firmware', '{"e": "closed", "reason": "EHOSTUNREACH"}'];
    const silent = await SerialRobot.start({ onRestart: (robot) => lines.forEach((line) => robot.print(line)) });
    const { report } = await installRobot(await optionsFor(silent, { codeMs: 1000 }));
    assert.deepEqual(report, { kind: 'silent', reason: 'EHOSTUNREACH' });
  });

  for (const wifiReason of [201, 202]) {
    it(`joins the Wi-Fi although its status is still that of a failure before (${wifiReason})`, async () => {
      const robot = await SerialRobot.start({ onRestart: showCode, wifiReason });
      assert.equal((await installRobot(await optionsFor(robot))).address, '192.0.2.20');
    });
  }

  it('says that it is installed when the port does not come back after the restart', async () => {
    const robot = await SerialRobot.start({ onRestart: (restarted) => (restarted.busy = true) });
    const { report } = await installRobot(await optionsFor(robot, { codeMs: 1000 }));
    assert.deepEqual(report, { kind: 'silent', reason: null });
    await assertInstalled(robot);
  });

  it('starts the program again that it has stopped to recognise the firmware', async () => {
    const robot = await SerialRobot.start();
    await recogniseRobot(robot.port);
    assert.equal(robot.restarts, 0);
    await restartRobot(robot.port);
    assert.equal(robot.restarts, 1);
  });

  it('recognises the firmware, and closes the port', async () => {
    const robot = await SerialRobot.start();
    assert.deepEqual(await recogniseRobot(robot.port), {
      version: '1.27.0',
      machine: 'JS with Emscripten',
      board: 'M5StackChan',
      uiflow: 'V2.5.3',
      isRead: true,
    });
    assert.equal((await recogniseRobot(robot.port)).board, 'M5StackChan');
  });

  it('names a file of the program that it reads, so that this test fails if the folder moves', async () => {
    const main = (await programFolder()).at(-1)!;
    assert.deepEqual(Buffer.from(main.bytes), readFileSync(new URL('../../../robots/micropython/main.py', import.meta.url)));
  });
});
