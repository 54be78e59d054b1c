import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signedProgramFiles } from '@perch/installer';
import { programFolder, signedUpdateText, signUpdate, type SignedUpdate } from '@perch/installer/node';
import { MicropythonRobot } from '@perch/micropython-robot';
import { needsMicropython, SerialRobot, until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { offerSerialPort, removeWebSerial } from './fixture/serial-shim.js';

const signed = signUpdate(generateKeyPairSync('ed25519').privateKey);
const wifiName = 'Home';
/** The interpreter's WebAssembly build decodes base64 slowly. */
const slowMs = 180_000;

/** As by a gateway with this signed robot program. */
async function serveProgram(page: Page, program: SignedUpdate): Promise<void> {
  await page.route('**/console/robot-program', async (route) => {
    await route.fulfill({ json: { ok: true, program: JSON.parse(signedUpdateText(program)) } });
  });
}

async function openInstaller(page: Page): Promise<void> {
  await page.goto('/robots');
  await page.getByRole('button', { name: 'I have a robot' }).click();
  await page.getByRole('button', { name: 'Install Perch on it' }).click();
}

async function install(page: Page, password: string): Promise<void> {
  await page.getByLabel('Wi-Fi name', { exact: true }).fill(wifiName);
  await page.getByLabel('Wi-Fi password', { exact: true }).fill(password);
  await page.getByLabel('Address of Perch for robots').fill('ws://192.0.2.1:8081/robot/v1/link');
  const plain = 'Install without encryption all the same';
  // Kept over a failure.
  if (!(await page.getByRole('checkbox', { name: plain }).isChecked())) await page.getByText(plain).click();
  await page.getByRole('button', { name: 'Install', exact: true }).click();
}

onBrowserSystem('the installer on the web page', ({ system, visit }) => {
  it('installs the signed robot program of the service byte for byte over Web Serial, no changed one, and pairs the robot, which comes online', async function () {
    this.timeout(400_000);
    const micropython = await needsMicropython(this);
    const link = system().link();
    const started: MicropythonRobot[] = [];
    const device = await SerialRobot.start({
      onRestart(restarted) {
        // A failed attempt restarts the robot, too: nothing is installed then.
        if (restarted.files.size === 0) return;
        // The robot program as it is started on a computer: at the address of the test's robot-link, not at the one that was typed.
        const robot = new MicropythonRobot({ micropython, url: link });
        started.push(robot);
        robot.on('code', (told) => restarted.print(JSON.stringify({ e: 'code', ...told })));
        robot.boot();
      },
    });
    const user = await visit({ own: true });
    const { page } = user;
    try {
      await offerSerialPort(user.context, device);
      await user.signUp();
      await serveProgram(page, { ...signed, program: signed.program.replace('Robot', 'Robut') });
      await openInstaller(page);
      await page.getByRole('button', { name: 'Choose port' }).click();
      await page.getByText('Found a StackChan with UIFlow2 V2.5.3 (MicroPython 1.27.0).').waitFor();
      assert.deepEqual(await user.axe(), []);
      await page.getByLabel('Address of Perch for robots').fill('wss://perch-1a2b3c.local:8081');
      await page.getByText('npm start -- --lan prints it. The robot must reach it from its network.').waitFor();
      await page.getByLabel('Address of Perch for robots').fill('wss://192.0.2.1:8081');
      await page.getByText('The robot keeps this IP address.', { exact: false }).waitFor();
      assert.deepEqual(await user.axe(), []);

      await install(page, 'secret-1');
      await page
        .getByText('The signed robot program of this Perch is damaged: its program has another sha256. Nothing was written to the robot.')
        .waitFor();
      assert.deepEqual(await user.axe(), []);
      assert.deepEqual([...device.files.keys()], []);
      await page.unroute('**/console/robot-program');
      await serveProgram(page, signed);

      await install(page, 'wrong');
      await page.getByText('The Wi-Fi "Home" does not accept the password. Enter the password again.').waitFor();
      assert.deepEqual([...device.files.keys()], []);

      await install(page, 'secret-1');
      await page.getByText(/Writing file \d+ of \d+/).waitFor({ timeout: slowMs });
      assert.deepEqual(await user.axe(), []);
      await page.getByText(/^The robot program is installed\. The robot shows the code [A-Z0-9]{4}-[A-Z0-9]{4}\.$/).waitFor({ timeout: slowMs });
      assert.deepEqual(await user.axe(), []);
      const files = await signedProgramFiles(signed, 'the program');
      assert.equal(files.length, (await programFolder()).length);
      for (const { path, bytes } of files) assert.deepEqual(Buffer.from(device.files.get(path)!), Buffer.from(bytes), path);

      await page.getByRole('button', { name: 'Pair the robot' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Add robot' }).click();
      await page.waitForURL(/\/robots\/r-/);
      await until(() => started[0]!.online);
    } finally {
      for (const robot of started) await robot.stop();
    }
  });

  it('continues in the page where the installation stopped when the cable was pulled', async function () {
    this.timeout(400_000);
    const device = await SerialRobot.start({ onRestart: (restarted) => restarted.print('{"e": "code", "code": "BCDF-2345", "uri": "x"}') });
    device.cutAfterBytes = 30_000;
    const user = await visit({ own: true });
    const { page } = user;
    await offerSerialPort(user.context, device);
    await user.signUp();
    await openInstaller(page);
    await page.getByRole('button', { name: 'Choose port' }).click();
    await install(page, 'secret-1');
    await page.getByText('The connection to the robot was lost. Check the cable').waitFor({ timeout: slowMs });
    assert.ok([...device.files.keys()].some((path) => path.endsWith('.part')));
    assert.ok(!device.files.has('main.py'));
    device.cutAfterBytes = Infinity;
    await device.powerOn();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByText('The robot shows the code BCDF-2345.').waitFor({ timeout: slowMs });
    assert.ok(device.files.has('main.py'));
  });

  it('names the firmware to install when the robot has another one', async () => {
    const device = await SerialRobot.start({ board: null });
    const user = await visit({ own: true });
    await offerSerialPort(user.context, device);
    await user.signUp();
    await openInstaller(user.page);
    await user.page.getByRole('button', { name: 'Choose port' }).click();
    await user.page.getByText(/without UIFlow2's modules\. Install "UIFlow2 for StackChan" with M5Burner/).waitFor();
    assert.deepEqual(await user.axe(), []);
  });

  it('installs on a version of UIFlow2 that was not read once a tick confirms it, and offers the zeros of the servos to save', async function () {
    this.timeout(400_000);
    const device = await SerialRobot.start({
      uiflow: 'V2.6.0',
      onRestart: (restarted) => restarted.print('{"e": "code", "code": "BCDF-2345", "uri": "x"}'),
    });
    device.run('import esp32\nn = esp32.NVS("servo")\nn.set_i32("zero_pos_1", 466)\nn.set_i32("zero_pos_2", 598)\nn.commit()');
    const user = await visit({ own: true });
    const { page } = user;
    await offerSerialPort(user.context, device);
    await user.signUp();
    await openInstaller(page);
    await page.getByRole('button', { name: 'Choose port' }).click();
    await page.getByText('The developers have read the sources of UIFlow2 2.4.8 and 2.5.3.').waitFor();
    await install(page, 'secret-1');
    await page.getByText('Tick this to install on this version.').waitFor();
    assert.deepEqual(await user.axe(), []);
    assert.deepEqual([...device.files.keys()], []);
    await page.getByText('Install on this version all the same').click();
    await page.getByRole('button', { name: 'Install', exact: true }).click();
    await page.getByText('The robot shows the code BCDF-2345.').waitFor({ timeout: slowMs });
    assert.deepEqual(await user.axe(), []);
    const link = page.getByRole('link', { name: 'Save that' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), 'stackchan-010203040506.json');
    assert.match(readFileSync(await download.path(), 'utf8'), /"zero_pos_2": 598/);
  });

  it('names the browsers that have Web Serial where there is none', async () => {
    const user = await visit({ own: true });
    await removeWebSerial(user.context);
    await user.signUp();
    await openInstaller(user.page);
    await user.page.getByText('Chrome, Edge, Opera and Firefox (151 or newer) on a computer can').waitFor();
    assert.deepEqual(await user.axe(), []);
  });
});
