/** Debian's MQTT broker: on PATH, or unpacked from its package without root. */
import { isExecutable, libraryFolders, provideProgram, runTool, toolCache, unpackProgram } from '@perch/local-redis';
import { delimiter, dirname, join } from 'node:path';

export interface MosquittoProgram {
  path: string;
  /** LD_LIBRARY_PATH: the shared libraries that were unpacked with it. Absent for an installed one. */
  libraryPath?: string;
}

let provided: Promise<MosquittoProgram | string> | null = null;

/** Downloads it first where none is found. @returns the reason if there is none */
export function provideMosquitto(env: NodeJS.ProcessEnv = process.env): Promise<MosquittoProgram | string> {
  return (provided ??= provideProgram(env, {
    missing: 'mosquitto 2 is needed (on PATH)',
    find: () => findMosquitto(env),
    unpack: () => unpackDebianMosquitto(join(toolCache(env), 'mosquitto')),
  }));
}

/** Debian installs it in /usr/sbin, which is not on every PATH. */
export function findMosquitto(env: NodeJS.ProcessEnv): MosquittoProgram | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = folders.map((folder) => join(folder, 'mosquitto')).find(isExecutable);
  return path === undefined ? unpackedMosquitto(join(toolCache(env), 'mosquitto')) : { path };
}

/** Returns the path of `mosquitto_passwd` of the same package. @throws an Error if it is missing */
export function passwordProgramOf({ path }: MosquittoProgram): string {
  const folder = dirname(path);
  const program = [folder, join(folder, '../bin')].map((each) => join(each, 'mosquitto_passwd')).find(isExecutable);
  if (program === undefined) throw new Error(`there is no mosquitto_passwd beside ${path}`);
  return program;
}

/** @throws an Error */
export async function unpackDebianMosquitto(target: string, options: { statusFile?: string; timeoutMs?: number } = {}): Promise<void> {
  await unpackProgram(target, { name: 'mosquitto', own: /^(?:lib)?mosquitto/, ...options, check: checkVersion });
}

function unpackedMosquitto(root: string): MosquittoProgram | null {
  const path = join(root, 'usr/sbin/mosquitto');
  return isExecutable(path) ? { path, libraryPath: libraryFolders(root).join(delimiter) } : null;
}

async function checkVersion(root: string, work: string, signal: AbortSignal): Promise<void> {
  const found = unpackedMosquitto(root);
  if (found === null) throw new Error('the package mosquitto does not contain /usr/sbin/mosquitto');
  // Prints its version and options, and exits with 3.
  const help = await runTool('sh', ['-c', '"$0" -h; test $? -eq 3', found.path], work, signal, {
    ...process.env,
    LD_LIBRARY_PATH: found.libraryPath,
  });
  if (!/^mosquitto version 2\./m.test(help)) throw new Error(`the package mosquitto is not version 2: ${help.split('\n', 1)[0]}`);
}
