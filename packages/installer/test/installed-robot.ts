/** Helpers of the installer's tests: the robot that shows a code after its restart, and what is on it in the end. */
import assert from 'node:assert/strict';
import { InstallError, installRobot, readVersions, type InstallErrorCode, type InstallOptions, type ProgramFile } from '@perch/installer';
import { programFolder } from '@perch/installer/node';
import type { SerialRobot } from '@perch/testkit';

export const url = 'ws://192.0.2.1:8081/robot/v1/link';
export const wifi = { ssid: 'Home', password: 'secret-1' };
export const code = { code: 'BCDF-2345', uri: 'http://192.0.2.1:8080/pair?code=BCDF-2345' };

export const showCode = (robot: SerialRobot): void => robot.print(JSON.stringify({ e: 'code', ...code }));

/** A few files of the program: base64 in the interpreter's WebAssembly build is slow. */
export async function fewFiles(): Promise<ProgramFile[]> {
  const few = ['boot.py', 'main.py', 'perch/__init__.py', 'perch/boards/__init__.py', 'perch/clock.py', 'perch/link.py', 'perch/settings.py'];
  return (await programFolder()).filter(({ path }) => few.includes(path));
}

export async function optionsFor(robot: SerialRobot, more: Partial<InstallOptions> = {}): Promise<InstallOptions> {
  return { port: robot.port, files: await fewFiles(), wifi, url, unencrypted: true, ...more };
}

/** Every file is there byte for byte, with settings and without temporary files. */
export async function assertInstalled(robot: SerialRobot, program?: readonly ProgramFile[]): Promise<void> {
  const { files } = robot;
  for (const { path, bytes } of program ?? (await fewFiles())) assert.deepEqual(Buffer.from(files.get(path)!), Buffer.from(bytes), path);
  const temporary = [...files.keys()].filter((path) => /\.(?:part|new)$/.test(path));
  assert.deepEqual(temporary, []);
  assert.deepEqual(settingsOn(robot), { url, unencrypted: true });
  assert.deepEqual(robot.nvs, { net_mode: 'WIFI', ssid0: 'Home', pswd0: 'secret-1', server: '127.0.0.1', sntp0: '127.0.0.1', boot_option: 0 });
}

export function settingsOn(robot: SerialRobot): unknown {
  return JSON.parse(textOn(robot, 'settings.json'));
}

export function textOn(robot: SerialRobot, path: string): string {
  return Buffer.from(robot.files.get(path) ?? assert.fail(`there is no ${path}`)).toString();
}

export async function assertFails(robot: SerialRobot, expected: InstallErrorCode, more: Partial<InstallOptions> = {}): Promise<void> {
  const options = await optionsFor(robot, more);
  await assert.rejects(installRobot(options), (error: unknown) => {
    assert.ok(error instanceof InstallError, String(error));
    assert.equal(error.code, expected, error.message);
    assert.ok(error.advice.length > 20);
    if (error.advice.includes('were read')) for (const version of readVersions) assert.ok(error.advice.includes(version), error.advice);
    return true;
  });
}
