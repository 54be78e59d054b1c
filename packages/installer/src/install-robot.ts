/** Installs the robot program through a serial port: recognises the firmware, joins the Wi-Fi, writes files and settings, restarts, reads the pairing code. */
import { textOf } from './bytes.js';
import { Connection, ReplyTimeout } from './connection.js';
import { InstallError } from './install-error.js';
import type { ProgramFile } from './program-files.js';
import { RawRepl } from './raw-repl.js';
import { readVersions, RobotDevice, type Firmware, type FirmwareState, type Wifi } from './robot-device.js';
import type { RobotPort } from './robot-port.js';

export type InstallStep = 'connect' | 'firmware' | 'wifi' | 'service' | 'files' | 'settings' | 'restart' | 'code';

export interface InstallProgress {
  step: InstallStep;
  /** Number of files that are written, in the step `files`. */
  done?: number;
  total?: number;
  file?: string;
}

export interface InstallOptions {
  port: RobotPort;
  files: readonly ProgramFile[];
  /** Null: the one that was entered in M5Burner. */
  wifi: Wifi | null;
  /** `ws(s)://HOST:PORT/robot/v1/link` */
  url: string;
  /** The authority that issued the service's certificate, in PEM; needed for wss. */
  ca?: string;
  /** Lets the robot connect by ws://, over which everyone in its network can read what it shows and take it over. */
  unencrypted?: boolean;
  /** 1: a rising position of the servo turns the head to the robot's left. If unset: as it is set on the robot, or -1. */
  yawSign?: 1 | -1;
  /** Installs on a version of UIFlow2 that nobody has read, too. */
  anyFirmware?: boolean;
  /** Zeros of the servos to store in the firmware, from a state that was saved. */
  servo?: Record<string, number>;
  /** Keeps what the firmware stores, before anything on the robot is changed. If it throws, nothing is. */
  saveState?: (state: FirmwareState) => Promise<void>;
  onProgress?: (progress: InstallProgress) => void;
  /** How long the robot may take to show a pairing code. */
  codeMs?: number;
  /** Interrupts the installation and starts the robot again. Once it has been restarted, only the wait for its code ends. */
  signal?: AbortSignal;
  /** How long the robot may take to reply after an interruption. */
  restoreMs?: number;
}

/** The first report of the robot on the port after its restart. */
export type FirstReport =
  | { kind: 'code'; code: string; uri: string }
  /** It was paired with this service before. */
  | { kind: 'online' }
  /** It reported neither in time; `reason` is why it does not reach the service, if it reported that. */
  | { kind: 'silent'; reason: string | null };

export interface Installed {
  firmware: Firmware;
  /** The robot's address in the Wi-Fi. */
  address: string;
  /** How many files differed from those on the robot. */
  written: number;
  /** False: UIFlow2's own calibration of the head was not done and no longer appears, and the robot has no head until it is calibrated on its screen. */
  headCalibrated: boolean;
  /** Values that the firmware stored before the installation. */
  state: FirmwareState;
  report: FirstReport;
}

const enterMs = 15_000;
const reopenMs = 30_000;
const codeMsDefault = 60_000;
/** Longer than any call that the robot cannot interrupt, such as a connection attempt. */
const restoreMsDefault = 20_000;

/** Opens the port, tells which firmware the robot has, and closes it. The program on the robot is stopped. @throws {InstallError} */
export async function recogniseRobot(port: RobotPort): Promise<Firmware> {
  const connection = await Connection.open(port);
  try {
    return await new RobotDevice(await RawRepl.enter(connection, enterMs)).identify();
  } catch (error) {
    await startFormerProgram(connection, port, error);
    throw error;
  } finally {
    await connection.close();
  }
}

/** Starts the program again that `recogniseRobot` has stopped. @throws {InstallError} */
export async function restartRobot(port: RobotPort): Promise<void> {
  const connection = await Connection.open(port);
  try {
    const device = new RobotDevice(await RawRepl.enter(connection, enterMs));
    port.restarting?.();
    await device.restart();
  } finally {
    await connection.close();
  }
}

/** A robot that worked before an installation failed works after it. One that does not reply is left as it is. @returns whether it was restarted */
async function startFormerProgram(connection: Connection, port: RobotPort, error: unknown, restoreMs = 0): Promise<boolean> {
  const code = error instanceof InstallError ? error.code : null;
  if (code === 'port_lost' || code === 'no_reply') return false;
  connection.resume();
  try {
    const device = new RobotDevice(await RawRepl.enter(connection, code === 'interrupted' ? restoreMs : 0));
    port.restarting?.();
    await device.restart();
    return true;
  } catch (failure) {
    if (!(failure instanceof InstallError)) throw failure;
    return false;
  }
}

/** Can be started again after every failure and continues where it stopped. @throws {InstallError} */
export async function installRobot({
  port,
  files,
  wifi,
  url,
  ca,
  unencrypted = false,
  yawSign,
  anyFirmware = false,
  servo = {},
  saveState = async () => {},
  onProgress = () => {},
  codeMs = codeMsDefault,
  signal,
  restoreMs = restoreMsDefault,
}: InstallOptions): Promise<Installed> {
  const isPlain = url.startsWith('ws:');
  if (isPlain && !unencrypted)
    throw new InstallError('not_encrypted', 'The address begins with ws://: the connection of the robot would not be encrypted.');
  onProgress({ step: 'connect' });
  const connection = await Connection.open(port);
  const interrupt = (): void => connection.interrupt();
  signal?.addEventListener('abort', interrupt);
  if (signal?.aborted) interrupt();
  let firmware: Firmware;
  let state: FirmwareState;
  let address: string;
  let written: number;
  let headCalibrated: boolean;
  try {
    const device = new RobotDevice(await RawRepl.enter(connection, enterMs));
    onProgress({ step: 'firmware' });
    firmware = await device.identify();
    if (!firmware.isRead && !anyFirmware) {
      const version = firmware.uiflow === '' ? 'of an unknown version' : firmware.uiflow;
      throw new InstallError(
        'unread_firmware',
        `The firmware is UIFlow2 ${version}; the developers of Perch have read ${readVersions.join(' and ')}.`,
      );
    }
    state = await device.firmwareState();
    await saveState(state);
    onProgress({ step: 'wifi' });
    address = await device.joinWifi(wifi);
    onProgress({ step: 'service' });
    await device.reachService(url);
    written = await device.install(files, (done, total, file) => onProgress({ step: 'files', done, total, file }));
    onProgress({ step: 'settings' });
    await device.writeSettings({
      url,
      ...(ca === undefined ? {} : { ca }),
      ...(isPlain && { unencrypted }),
      ...(yawSign === undefined ? {} : { yaw_sign: yawSign }),
    });
    await device.configureFirmware(wifi, servo);
    headCalibrated = await device.headCalibrated();
    onProgress({ step: 'restart' });
    port.restarting?.();
    await device.restart();
  } catch (error) {
    signal?.removeEventListener('abort', interrupt);
    const isStarted = await startFormerProgram(connection, port, error, restoreMs);
    await connection.close();
    if (isStarted || !(error instanceof InstallError) || error.code !== 'interrupted') throw error;
    throw new InstallError('interrupted_stopped', 'The installation was interrupted, and the robot could not be started again.', { cause: error });
  }
  signal?.removeEventListener('abort', interrupt);
  onProgress({ step: 'code' });
  return { firmware, address, written, headCalibrated, state, report: await readFirstReport(port, connection, codeMs, signal) };
}

/** Closes the connection. The port of a chip with its own USB disappears while it restarts. */
async function readFirstReport(port: RobotPort, first: Connection, timeoutMs: number, signal?: AbortSignal): Promise<FirstReport> {
  const until = Date.now() + timeoutMs;
  let connection = first;
  let reason: string | null = null;
  const interrupt = (): void => connection.interrupt();
  signal?.addEventListener('abort', interrupt);
  try {
    for (;;) {
      const leftMs = until - Date.now();
      if (leftMs <= 0 || signal?.aborted) return { kind: 'silent', reason };
      try {
        const event = eventOf(await connection.readUntil('\n', leftMs));
        if (event?.e === 'code') return { kind: 'code', code: String(event['code']), uri: String(event['uri']) };
        if (event?.e === 'session') return { kind: 'online' };
        if (event?.e === 'closed') reason = String(event['reason']);
      } catch (error) {
        if (error instanceof ReplyTimeout) return { kind: 'silent', reason };
        if (!(error instanceof InstallError)) throw error;
        if (signal?.aborted) return { kind: 'silent', reason };
        await connection.close();
        const again = await reopen(port, Math.min(reopenMs, until - Date.now()), signal);
        // The installation is complete all the same.
        if (again === null) return { kind: 'silent', reason };
        connection = again;
      }
    }
  } finally {
    signal?.removeEventListener('abort', interrupt);
    await connection.close();
  }
}

/** @returns null if the port does not come back */
async function reopen(port: RobotPort, withinMs: number, signal?: AbortSignal): Promise<Connection | null> {
  const until = Date.now() + withinMs;
  for (;;) {
    try {
      return await Connection.open(port);
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      if (Date.now() > until || signal?.aborted) return null;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** The robot program prints what happens as JSON lines, the firmware lines of its own, of which the first may have no end. */
function eventOf(line: string): { e: string; [field: string]: unknown } | null {
  try {
    const event = JSON.parse(textOf(line.slice(line.indexOf('{')))) as {
      e?: unknown;
    } | null;
    return typeof event?.e === 'string' ? (event as { e: string }) : null;
  } catch {
    return null;
  }
}
