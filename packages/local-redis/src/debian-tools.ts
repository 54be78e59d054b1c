/** Runs programs of Debian and Ubuntu that download and unpack packages without root. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Lists, state and cache of apt-get in a folder of its own: nothing of the machine changes. @param more settings beside these */
function aptOptions(work: string, status: string, more: Record<string, string> = {}): string[] {
  const settings = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': status,
    'Dir::Cache': join(work, 'cache'),
    // As root, apt-get would download as the user _apt, which cannot write to this folder.
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
    'Debug::NoLocking': '1',
    ...more,
  };
  return ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

export interface UnpackedPackages {
  timeoutMs?: number | undefined;
  /** Returns the paths of the package files, downloaded into the folder `work`. */
  download: (work: string, signal: AbortSignal) => Promise<string[]>;
  /** @throws an Error if the unpacked program is of no use */
  check: (root: string, work: string, signal: AbortSignal) => Promise<void>;
}

/** Unpacks packages atomically. @throws an Error */
export async function unpackPackages(target: string, { timeoutMs = 120_000, download, check }: UnpackedPackages): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), 'unpacking-'));
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const root = join(work, 'root');
    for (const file of await download(work, signal)) await runTool('dpkg-deb', ['-x', file, root], work, signal);
    await check(root, work, signal);
    rmSync(target, { recursive: true, force: true });
    renameSync(root, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export interface AptDownload {
  /** Settings beside those of `aptOptions`. */
  more?: Record<string, string>;
  /** dpkg's list of installed packages. */
  status: string;
  /** Runs `apt-get download` for what it chooses. */
  download: (apt: (...args: string[]) => Promise<string>) => Promise<unknown>;
}

/** Updates the lists, and downloads packages into the folder `work`. @returns their paths @throws an Error, of the update if that failed, too */
export async function aptDownload(work: string, signal: AbortSignal, { more, status, download }: AptDownload): Promise<string[]> {
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages']) mkdirSync(join(work, folder), { recursive: true });
  const [packages, statusFile] = [join(work, 'packages'), join(work, 'status')] as const;
  writeFileSync(statusFile, status);
  const options = aptOptions(work, statusFile, more);
  const apt = (...args: string[]): Promise<string> => runTool('apt-get', [...options, ...args], packages, signal);
  // Not fatal: the packages may be available although one source failed.
  const updateFailure = await apt('update').then(() => null, errorText);
  try {
    await download(apt);
  } catch (error) {
    throw updateFailure === null ? error : new Error(updateFailure, { cause: error });
  }
  return readdirSync(packages).map((file) => join(packages, file));
}

export interface ProgramPackage extends Pick<UnpackedPackages, 'timeoutMs' | 'check'> {
  /** Name of the package that holds the program. */
  name: string;
  /** Matches packages that are downloaded even if they are installed: the program and its own libraries. */
  own: RegExp;
  /** dpkg's list of installed packages; libraries in it are not downloaded. */
  statusFile?: string | undefined;
}

/** Unpacks the package and the libraries that this machine lacks, atomically. @throws an Error */
export async function unpackProgram(target: string, { name, own, statusFile = '/var/lib/dpkg/status', ...unpacked }: ProgramPackage): Promise<void> {
  await unpackPackages(target, {
    ...unpacked,
    download: async (work, signal) =>
      aptDownload(work, signal, {
        status: withoutOwn(readStatus(statusFile), own),
        download: async (apt) => apt('download', ...packagesToUnpack(await apt('--simulate', '--no-install-recommends', 'install', name), own)),
      }),
  });
}

function readStatus(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error('this is not Debian or Ubuntu', { cause: error });
  }
}

/** apt-get would not download an installed program again. */
function withoutOwn(status: string, own: RegExp): string {
  const entries = status.split('\n\n').filter((entry) => !own.test(/^Package: (\S+)/m.exec(entry)?.[1] ?? ''));
  return entries.join('\n\n');
}

/** Reads the output of `apt-get --simulate install`. Returns the program and its libraries, without libc, which must be that of the machine's loader. */
function packagesToUnpack(plan: string, own: RegExp): string[] {
  const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => (own.test(name) || name.startsWith('lib')) && !name.startsWith('libc6'));
}

/** @throws an Error with the last line that the program wrote to stderr */
export async function runTool(
  command: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    const { stdout } = await run(command, args, { cwd, signal, killSignal: 'SIGKILL', maxBuffer: 1 << 24, env: { ...env, LC_ALL: 'C' } });
    return stdout;
  } catch (error) {
    if (signal.aborted) throw new Error(`${command} did not end in time`, { cause: error });
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error(`there is no ${command} (this is not Debian or Ubuntu)`, { cause: error });
    const said = ((error as { stderr?: string }).stderr ?? '').trim();
    throw new Error(said === '' ? errorText(error) : `${command}: ${said.split('\n').at(-1)}`, { cause: error });
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
