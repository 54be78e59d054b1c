/** `perch robot install`: writes the robot program to a robot on a USB cable. Needs neither Redis nor a key. */
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  hasIpAddress,
  InstallError,
  installRobot,
  linkUrlOf,
  readVersions,
  signedProgramFiles,
  type FirmwareState,
  type Installed,
  type InstallProgress,
  type ProgramFile,
  type Wifi,
} from '@perch/installer';
import { programFolder, readSignedUpdate, serialDevice, shippedSignedProgram } from '@perch/installer/node';
import { Command } from 'commander';
import { exitCodes } from '../exit-codes.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

interface InstallFlags {
  port: string;
  url: string;
  wifi?: string;
  wifiPassword?: string;
  ca?: string;
  unencrypted?: boolean;
  yawSign?: 1 | -1;
  anyFirmware?: boolean;
  save?: string;
  servo?: string;
  program?: string;
  json?: boolean;
}

/** npm forwards the Ctrl-C that the terminal has sent to this program, too. */
const forwardedMs = 1000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const more = `
The robot must have the firmware "UIFlow2 for StackChan", which M5Burner installs. The command joins the Wi-Fi first, writes only files that differ, and
continues where it stopped if it is started again. Then it restarts the robot and prints the pairing code. Ctrl-C leaves the robot running what is on it.
Versions of UIFlow2 whose sources were read: ${readVersions.join(', ')}. With another one it stops, unless --any-firmware is given.
Before it changes anything it writes the zeros of the servos that the firmware has measured to a file that only you may read; --servo stores them again,
after M5Burner has erased the robot.
Linux and macOS; on Windows, and wherever the page is nearer, the web page does the same ("I have a robot", in Chrome or Edge).

Examples:
  $ PERCH_WIFI_PASSWORD=... perch robot install --port /dev/ttyACM0 --wifi Home --url wss://perch-1a2b3c.local:8081
  $ perch robot install --port /dev/cu.usbmodem101 --url wss://perch.example.org --ca ca.pem`;

export function robotInstallCommand(session: Session): Command {
  return new Command('install')
    .description('installs the robot program on a StackChan on a USB cable, without Redis')
    .requiredOption('--port <file>', 'serial port of the robot, such as /dev/ttyACM0')
    .requiredOption(
      '--url <url>',
      'address that robots connect to, as npm start -- --lan prints it: wss://NAME.local:PORT, which robots find at another IP address, too',
    )
    .option('--wifi <name>', "name of the Wi-Fi (default: the one in the robot's firmware)")
    .option('--wifi-password <text>', 'its password; better in PERCH_WIFI_PASSWORD, because process lists show flags')
    .option('--ca <file>', "certificate of the authority that issued the service's certificate, in PEM (default: /ca.crt of PERCH_BASE_URL)")
    .option('--unencrypted', 'lets the robot connect by ws://: everyone in its network can then read what it shows, and take it over')
    .option(
      '--program <file>',
      'signed robot program, as perch robot sign writes it: the robot then accepts updates with its keys alone (default: PERCH_ROBOT_PROGRAM, which is set in a clone after npm start; else the one of this release)',
    )
    .option('--yaw-sign <sign>', 'way in which the head turns, 1 or -1 (default: as it was calibrated, or -1)', yawSignOf)
    .option('--any-firmware', 'installs on a version of UIFlow2 that the developers have not read, too')
    .option(
      '--save <file>',
      "file for what the firmware stores about the head (default: stackchan-<the chip's number>.json; one that exists is kept)",
    )
    .option('--servo <file>', 'stores the zeros of such a file in the firmware')
    .option(
      '--json',
      'prints {"ok", "firmware", "address", "written", "saved", "head_calibrated", "pairing_code", "url", "online", "reason"}, or {"ok", "error", "code", "advice"}',
    )
    .addHelpText('after', more)
    .action(async (flags: InstallFlags) => {
      if (process.platform === 'win32') throw new Refused('on Windows, install the robot program on the web page, in Chrome or Edge');
      const url = linkUrl(session, flags.url);
      const ca = await authorityOf(session, flags, url);
      const files = await programOf(session, flags);
      const servo = await zerosIn(session, flags);
      let saved: string | null = null;
      const { signal, restore } = interruptions(session);
      try {
        const installed = await installRobot({
          port: serialDevice(flags.port),
          files,
          wifi: wifiOf(session, flags),
          url,
          ...(ca === undefined ? {} : { ca }),
          unencrypted: flags.unencrypted === true,
          ...(flags.yawSign === undefined ? {} : { yawSign: flags.yawSign }),
          anyFirmware: flags.anyFirmware === true,
          servo,
          saveState: async (state) => {
            saved = await saveState(session, flags, state);
          },
          onProgress: (progress) => session.warn(progressText(progress)),
          signal,
        });
        session.print(flags.json, answerOf(installed, saved), installedText);
      } catch (error) {
        if (!(error instanceof InstallError)) throw error;
        throw new Refused(error.message, 'failed', { lines: [error.advice], fields: { code: error.code, advice: error.advice } });
      } finally {
        restore();
      }
    });
}

/** Only the owner may read the file: it belongs to this robot, and lies beside passwords. @returns its path, null if there is nothing to save @throws {InstallError} */
async function saveState({ folder }: Session, { save }: InstallFlags, state: FirmwareState): Promise<string | null> {
  if (Object.keys(state.servo).length === 0) return null;
  const path = resolve(folder, save ?? `stackchan-${state.id}.json`);
  try {
    await writeFile(path, `${JSON.stringify(state, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The first measurement is kept.
    if (code !== 'EEXIST')
      throw new InstallError('state_not_saved', `The zeros of the servos cannot be written to ${path} (${code}).`, { cause: error });
  }
  return path;
}

/** @throws {Refused} */
async function zerosIn({ folder }: Session, { servo }: InstallFlags): Promise<Record<string, number>> {
  if (servo === undefined) return {};
  let zeros: unknown;
  try {
    zeros = (JSON.parse(await readFile(resolve(folder, servo), 'utf8')) as { servo?: unknown } | null)?.servo;
  } catch (error) {
    throw new Refused(
      `--servo ${servo}: cannot be read (${error instanceof SyntaxError ? 'no JSON' : (error as NodeJS.ErrnoException).code})`,
      'usage',
    );
  }
  const names = ['zero_pos_1', 'zero_pos_2'];
  const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1000;
  if (typeof zeros !== 'object' || zeros === null || !names.every((name) => isWhole((zeros as Record<string, unknown>)[name])))
    throw new Refused(`--servo ${servo}: "servo" must have ${names.join(' and ')}, from 0 to 1000`, 'usage');
  return Object.fromEntries(names.map((name) => [name, (zeros as Record<string, number>)[name]!]));
}

/** The first signal stops the installation, which starts the robot again; a later one ends this program at once. */
function interruptions(session: Session): { signal: AbortSignal; restore: () => void } {
  const controller = new AbortController();
  const restore = (): void => signals.forEach((name) => process.off(name, interrupt));
  let firstMs: number | null = null;
  const interrupt = (): void => {
    if (firstMs === null) {
      firstMs = Date.now();
      session.warn('interrupted: starting the robot again (Ctrl-C once more leaves it stopped)');
      controller.abort();
    } else if (Date.now() - firstMs > forwardedMs) {
      process.exit(exitCodes.failed.code);
    }
  };
  for (const name of signals) process.on(name, interrupt);
  return { signal: controller.signal, restore };
}

/** @throws {Refused} no robot in the network could connect to the address */
function linkUrl(session: Session, text: string): string {
  const { url, problem } = linkUrlOf(text);
  if (problem === 'scheme') throw new Refused('--url must begin with ws:// or wss://', 'usage');
  if (url === null) throw new Refused(`--url ${text}: a robot cannot reach this machine by that name; npm start -- --lan prints one`, 'usage');
  if (hasIpAddress(url))
    session.warn(
      `the robot keeps the IP address ${new URL(url).hostname}, and does not find Perch at another one: take the name in .local that npm start -- --lan prints, or give that machine a fixed address in your router`,
    );
  return url;
}

function yawSignOf(text: string): 1 | -1 {
  if (text !== '1' && text !== '-1') throw new Refused(`--yaw-sign ${text}: must be 1 or -1`, 'usage');
  return text === '1' ? 1 : -1;
}

/** The robot trusts this authority and no other. @throws {Refused} */
async function authorityOf(session: Session, { ca }: InstallFlags, url: string): Promise<string | undefined> {
  if (ca === undefined && url.startsWith('ws:')) return undefined;
  const pem = ca === undefined ? await servedAuthority(session) : await readAuthority(ca);
  let fingerprint: string;
  try {
    fingerprint = new X509Certificate(pem).fingerprint256;
  } catch {
    throw new Refused(`${ca ?? 'the file /ca.crt of PERCH_BASE_URL'} is no certificate in PEM`, 'usage');
  }
  session.warn(`the robot will trust the authority with the SHA-256 ${fingerprint}`);
  return pem;
}

async function readAuthority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Refused(`the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, 'usage');
  }
}

/** The certificate that the page of PERCH_BASE_URL serves, which npm start -- --lan prints for a shell. */
async function servedAuthority({ environment }: Session): Promise<string> {
  const base = environment['PERCH_BASE_URL'];
  const missing = 'wss:// needs --ca: the robot has no list of authorities';
  if (!base) throw new Refused(`${missing}, and PERCH_BASE_URL, whose page may have one, is not set`, 'usage');
  try {
    const answer = await fetch(new URL('/ca.crt', base), { signal: AbortSignal.timeout(10_000) });
    if (answer.ok) return await answer.text();
  } catch (error) {
    throw new Refused(`${missing}, and ${base} cannot be reached (${(error as Error).message})`, 'usage');
  }
  throw new Refused(`${missing}, and the page at ${base} serves none (PERCH_INSTALL_CA_FILE)`, 'usage');
}

/** A damaged or changed file is not installed. */
async function programOf(session: Session, { program }: InstallFlags): Promise<ProgramFile[]> {
  const named = (program ?? session.environment['PERCH_ROBOT_PROGRAM']) || null;
  if (named === null && !existsSync(shippedSignedProgram)) return programFolder();
  const path = named === null ? shippedSignedProgram : resolve(session.folder, named);
  try {
    const signed = readSignedUpdate(await readFile(path, 'utf8'));
    const files = await signedProgramFiles(signed, 'the file');
    session.warn(`program ${signed.version}, signed with the key ${signed.key}; the robot accepts updates with ${keyCount(signed.keys.length)}`);
    return files;
  } catch (error) {
    throw new Refused(`the signed robot program ${path} cannot be installed: ${(error as Error).message}`, 'usage');
  }
}

function keyCount(keys: number): string {
  return keys === 1 ? 'it alone' : `it and ${keys - 1} other${keys === 2 ? '' : 's'}`;
}

function wifiOf({ environment }: Session, { wifi, wifiPassword }: InstallFlags): Wifi | null {
  if (wifi === undefined && wifiPassword !== undefined) throw new Refused('--wifi-password needs --wifi', 'usage');
  return wifi === undefined ? null : { ssid: wifi, password: wifiPassword ?? environment['PERCH_WIFI_PASSWORD'] ?? '' };
}

const stepTexts = {
  connect: 'opening the port',
  firmware: 'recognising the firmware',
  wifi: 'joining the Wi-Fi',
  service: 'reaching Perch from the robot',
  settings: 'writing the settings',
  restart: 'restarting the robot',
  code: 'waiting for its pairing code',
};

function progressText({ step, done = 0, total = 0, file = '' }: InstallProgress): string {
  if (step !== 'files') return stepTexts[step];
  if (total === 0) return 'the files are on the robot already';
  return file === '' ? 'putting the files in place' : `writing ${file} (${done + 1} of ${total})`;
}

function answerOf({ firmware, address, written, headCalibrated, report }: Installed, saved: string | null) {
  const code = report.kind === 'code' ? report : { code: null, uri: null };
  return {
    ok: true,
    firmware: `UIFlow2 ${firmware.uiflow}, MicroPython ${firmware.version}`,
    address,
    written,
    saved,
    head_calibrated: headCalibrated,
    pairing_code: code.code,
    url: code.uri,
    online: report.kind === 'online',
    reason: report.kind === 'silent' ? report.reason : null,
  };
}

const notCalibrated = [
  'the head is off: UIFlow2 has not calibrated it, and its screen "Head Calibration" does not appear any more, because the robot starts Perch',
  'tap "Head off" on the robot\'s screen, or run perch robot check: it asks you to hold the head level',
].join('\n');

function installedText(answer: ReturnType<typeof answerOf>): string {
  return answer.head_calibrated ? outcomeText(answer) : `${outcomeText(answer)}\n${notCalibrated}`;
}

function outcomeText({ written, address, saved, pairing_code: code, url, online, reason }: ReturnType<typeof answerOf>): string {
  const done = `installed: ${written} ${written === 1 ? 'file' : 'files'} written; the robot has the address ${address} in the Wi-Fi${saved === null ? '' : `\nthe zeros of its servos are in ${saved}: keep that file`}`;
  if (code !== null) return `${done}\npairing code ${code}\nenter it at ${url}`;
  if (online) return `${done}\nit is paired and online`;
  return `${done}\nit has not sent its pairing code${reason === null ? '' : ` (${reason})`}: look at its screen, and enter the code that it shows on the web page`;
}
