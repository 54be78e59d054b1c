/** The robot behind a raw REPL: its firmware, files, settings and network. */
import { base64Of } from './bytes.js';
import * as code from './device-code.js';
import { InstallError } from './install-error.js';
import type { ProgramFile } from './program-files.js';
import { DeviceError, type RawRepl } from './raw-repl.js';

export interface Firmware {
  /** Version of MicroPython. */
  version: string;
  machine: string;
  board: string;
  /** Version of UIFlow2, as it reports it: `V2.5.3`. */
  uiflow: string;
  /** False: nobody has read the sources of this version of UIFlow2. */
  isRead: boolean;
}

/** Values of one robot's firmware that its owner cannot measure again. */
export interface FirmwareState {
  /** Number of the chip. */
  id: string;
  /** Positions of the servos at 0 degrees: `zero_pos_1`, `zero_pos_2`; without those that are not stored. */
  servo: Record<string, number>;
  /** The servers from which UIFlow2 takes programs and the time: `server`, `sntp0`; those alone that are stored. */
  uiflow: Record<string, string>;
}

/** Versions of UIFlow2 whose sources the developers have read. */
export const readVersions: readonly string[] = ['2.4.8', '2.5.3'];

export interface Wifi {
  ssid: string;
  password: string;
}

/** Folder of UIFlow2 in which programs may write. */
const root = '/flash';
const board = 'M5StackChan';
const otherBoards = ['M5StackCoreS3', 'M5StackCoreS3SE'];
const micropythonMin = [1, 25] as const;
const part = '.part';
const chunkBytes = 3 * 1024;
const spareBytes = 32 * 1024;
const replyMs = 10_000;
const longReplyMs = 60_000;
const joinMs = 25_000;
/** Until then, the status may still be that of the last disconnection. */
const finalAfterMs = 10_000;

/** Status of network.WLAN; which of them the firmware reports for a wrong password differs by its version. */
const wifiStatus = { wrongPassword: [15, 202, 204], notFound: [201, 210, 211, 212] };

export class RobotDevice {
  readonly #repl: RawRepl;

  constructor(repl: RawRepl) {
    this.#repl = repl;
  }

  /** @throws {InstallError} wrong_firmware, wrong_board, old_firmware */
  async identify(): Promise<Firmware> {
    const found = (await this.#run(code.identify, { boards: [board, ...otherBoards] }, replyMs)) as {
      name: string;
      version: number[];
      machine: string;
      board: string | null;
      uiflow: string;
    };
    const version = found.version.join('.');
    if (found.board === null)
      throw new InstallError('wrong_firmware', `The firmware is MicroPython ${version} (${found.machine}) without UIFlow2's modules.`);
    if (found.board !== board)
      throw new InstallError('wrong_board', `The firmware is UIFlow2 for another device (${found.board === 'other' ? found.machine : found.board}).`);
    const [major = 0, minor = 0] = found.version;
    if (major < micropythonMin[0] || (major === micropythonMin[0] && minor < micropythonMin[1]))
      throw new InstallError('old_firmware', `The firmware has MicroPython ${version}; Perch needs ${micropythonMin.join('.')} or newer.`);
    const isRead = readVersions.includes(found.uiflow.replace(/^v/i, ''));
    return { version, machine: found.machine, board: found.board, uiflow: found.uiflow, isRead };
  }

  /** @throws {InstallError} wifi_password, wifi_not_found, wifi_no_connection, wifi_missing. @returns the robot's address */
  async joinWifi(wifi: Wifi | null): Promise<string> {
    const final = Object.values(wifiStatus).flat();
    const joined = (await this.#run(code.joinWifi, { wifi, final, final_after_ms: finalAfterMs, timeout_ms: joinMs }, joinMs + longReplyMs)) as {
      ssid: string;
      status: number | null;
      address: string | null;
    };
    if (joined.address !== null) return joined.address;
    const { ssid, status } = joined;
    if (ssid === '') throw new InstallError('wifi_missing', 'The robot does not know a Wi-Fi yet.');
    if (wifiStatus.notFound.includes(status ?? 0)) throw new InstallError('wifi_not_found', `The robot does not find the Wi-Fi "${ssid}".`);
    if (wifiStatus.wrongPassword.includes(status ?? 0)) throw new InstallError('wifi_password', `The Wi-Fi "${ssid}" does not accept the password.`);
    throw new InstallError('wifi_no_connection', `The robot did not get into the Wi-Fi "${ssid}" within ${joinMs / 1000} s (status ${status}).`);
  }

  /** @throws {InstallError} service_unreachable */
  async reachService(url: string): Promise<void> {
    const { hostname, port, protocol } = new URL(url);
    const address = { host: hostname, port: port === '' ? (protocol === 'wss:' ? 443 : 80) : Number(port) };
    const problem = (await this.#run(code.reachService, { ...address, timeout_s: 8 }, longReplyMs)) as string | null;
    if (problem !== null) {
      throw new InstallError('service_unreachable', `The robot does not reach Perch at ${address.host}, port ${address.port} (${problem}).`);
    }
  }

  /**
   * Writes what differs under temporary names, checks it, and then puts all of it in place, the last file last: a robot that loses power before has the
   * program that it had. What has arrived is not sent again.
   * @returns how many files were written
   */
  async install(files: readonly ProgramFile[], onFile: (done: number, total: number, path: string) => void): Promise<number> {
    const paths = files.map(({ path }) => `${root}/${path}`);
    const inPlace = await this.#hashes(paths);
    const changed = files.filter(({ path, sha256 }) => inPlace[`${root}/${path}`] !== sha256);
    const arrived = await this.#hashes(changed.map(({ path }) => `${root}/${path}${part}`));
    const missing = changed.filter(({ path, sha256 }) => arrived[`${root}/${path}${part}`] !== sha256);
    await this.#requireSpace(missing);
    for (const [done, file] of missing.entries()) {
      onFile(done, missing.length, file.path);
      await this.#upload(file);
    }
    onFile(missing.length, missing.length, '');
    if (changed.length > 0) await this.#putInPlace(changed);
    const after = await this.#hashes(paths);
    const wrong = files.filter(({ path, sha256 }) => after[`${root}/${path}`] !== sha256);
    if (wrong.length > 0) throw new InstallError('write_failed', `${wrong[0]!.path} did not arrive as it was sent.`);
    return changed.length;
  }

  async writeSettings(settings: object): Promise<void> {
    await this.#run(code.writeSettings, { path: `${root}/settings.json`, boot: `${root}/boot.json`, settings }, replyMs);
  }

  /** True if the robot program will have a head: without a zero of its servos it has none. */
  async headCalibrated(): Promise<boolean> {
    return (await this.#run(code.headCalibrated, { settings: `${root}/settings.json` }, replyMs)) as boolean;
  }

  async firmwareState(): Promise<FirmwareState> {
    return (await this.#run(code.firmwareState, {}, replyMs)) as FirmwareState;
  }

  /** From then on the robot starts the program, and no screen of the firmware. */
  async configureFirmware(wifi: Wifi | null, servo: Record<string, number>): Promise<void> {
    await this.#run(code.configureFirmware, { wifi, servo }, replyMs);
  }

  restart(): Promise<void> {
    return this.#repl.execLast(code.restart);
  }

  async #upload(file: ProgramFile): Promise<void> {
    const path = `${root}/${file.path}${part}`;
    let data = base64Of(file.bytes.subarray(0, chunkBytes));
    await this.#run(code.beginFile + code.appendToFile, { path, data }, replyMs);
    for (let at = chunkBytes; at < file.bytes.length; at += chunkBytes) {
      data = base64Of(file.bytes.subarray(at, at + chunkBytes));
      await this.#run(code.appendToFile, { data }, replyMs);
    }
    const { [path]: sha256 } = (await this.#run(code.endFile + code.hashes, { paths: [path] }, longReplyMs)) as Record<string, string | null>;
    if (sha256 !== file.sha256) throw new InstallError('write_failed', `${file.path} did not arrive as it was sent.`);
  }

  async #putInPlace(files: readonly ProgramFile[]): Promise<void> {
    const keep = [
      { path: `${root}/main.py`, mark: '"""Starts the robot', as: `${root}/main-before-perch.py` },
      { path: `${root}/boot.py`, mark: '"""Perch: ', as: `${root}/boot-before-perch.py` },
    ];
    await this.#run(code.putInPlace, { paths: files.map(({ path }) => `${root}/${path}`), part, keep }, longReplyMs);
  }

  async #requireSpace(files: readonly ProgramFile[]): Promise<void> {
    const free = (await this.#run(code.freeBytes, { root }, replyMs)) as number | null;
    const needed = files.reduce((sum, { bytes }) => sum + bytes.length, spareBytes);
    if (free !== null && files.length > 0 && free < needed)
      throw new InstallError('no_space', `The robot has ${Math.floor(free / 1024)} KB free; the program needs ${Math.ceil(needed / 1024)} KB.`);
  }

  async #hashes(paths: readonly string[]): Promise<Record<string, string | null>> {
    return (await this.#run(code.hashes, { paths }, longReplyMs)) as Record<string, string | null>;
  }

  async #run(program: string, args: object, timeoutMs: number): Promise<unknown> {
    try {
      const output = await this.#repl.exec(code.programOf(program, args), timeoutMs);
      const line = output.split(/\r?\n/).findLast((one) => one.startsWith(code.resultMark));
      if (line === undefined) throw new InstallError('device_failed', 'The robot printed no result.');
      return JSON.parse(line.slice(code.resultMark.length));
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      const last = error.message.split('\n').at(-1)!.trim();
      if (/\bENOSPC\b|OSError: 28\b/.test(last)) throw new InstallError('no_space', "The robot's memory is full.", { cause: error });
      throw new InstallError('device_failed', `The robot failed with ${last}.`, { cause: error });
    }
  }
}
