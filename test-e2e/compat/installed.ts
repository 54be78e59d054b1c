/** Installs what a row of the bench needs into a folder outside the tree's dependencies, once for each list of versions. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '@perch/testkit';
import { folder as bench, versionOf, type Entry } from './catalog.js';

const run = promisify(execFile);
const withinMs = 600_000;

export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

/** Versions of Node.js that were had already. */
const nodes = new Map<string, Promise<string>>();

/** @throws with the reason if something cannot be had */
export async function installed(entry: Entry, packages: Record<string, string>): Promise<Program> {
  const hash = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 8);
  const cwd = join(toolCache(process.env), 'compat', `${basename(entry.file).replace(/\.\w+$/, '')}-${versionOf(packages)}-${hash}`);
  const done = join(cwd, '.installed');
  mkdirSync(cwd, { recursive: true });
  if (!existsSync(done)) {
    await (entry.kind === 'pip' ? pipInstall(cwd, packages) : npmInstall(cwd, packages, entry.omitsOptional === true ? ['--omit=optional'] : []));
    writeFileSync(done, '');
  }
  const file = join(cwd, basename(entry.file));
  copyFileSync(entry.file, file);
  if (entry.kind === 'pip') return { command: 'python3', args: [file], env: { PYTHONPATH: join(cwd, 'packages') }, cwd };
  copyFileSync(join(bench, 'driver.mjs'), join(cwd, 'driver.mjs'));
  return { command: entry.node === undefined ? process.execPath : await node(entry.node), args: [join(cwd, 'driver.mjs'), file], env: {}, cwd };
}

async function npmInstall(cwd: string, packages: Record<string, string>, more: readonly string[]): Promise<void> {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: packages }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline', ...more], {
    cwd,
    env: plainEnv(),
    timeout: withinMs,
  });
}

async function pipInstall(cwd: string, packages: Record<string, string>): Promise<void> {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}==${version}`);
  await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', join(cwd, 'packages'), ...wanted], { cwd, timeout: withinMs });
}

function node(version: string): Promise<string> {
  if (!nodes.has(version)) nodes.set(version, findNode(version));
  return nodes.get(version)!;
}

async function findNode(version: string): Promise<string> {
  const { stdout } = await run('npx', ['--yes', '-p', `node@${version}`, '-c', 'node -p process.execPath'], { env: plainEnv(), timeout: withinMs });
  return stdout.trim().split('\n').at(-1)!;
}

/** Without the settings that npm gave this process. */
function plainEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(?!registry|cache|cafile|userconfig)/i.test(name)));
}

/** Returns the program of a client whose packages the tree has. */
export function ofTheTree({ file }: Pick<Entry, 'file'>): Program {
  return { command: process.execPath, args: [join(bench, 'driver.mjs'), file], env: {}, cwd: bench };
}

/** The PATH of a program begins with its own folder of Node.js, for the programs that it starts. */
export function environmentOf({ command, env }: Program): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...rest } = process.env;
  const own = command.includes('/') ? `${command.slice(0, command.lastIndexOf('/'))}${delimiter}` : '';
  return { ...rest, ...env, PATH: `${own}${process.env['PATH'] ?? ''}` };
}

/** Version of a package in the tree's own dependencies. */
export function versionInTree(name: string): string {
  return (JSON.parse(readFileSync(join(bench, '../node_modules', name, 'package.json'), 'utf8')) as { version: string }).version;
}
