/**
 * Brings a clone into the state in which it runs: dependencies installed, TypeScript built. Does nothing that was done for the same files before.
 * Everything it and its tools say goes to standard error.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const pnpm = 'pnpm@10.34.9';
const stampFile = join(root, '.perch', 'set-up.json');
const rooms = ['packages', 'services'].flatMap((floor) => readdirSync(join(root, floor)).map((name) => `${floor}/${name}`));

/** Installs and builds where it is needed. @returns the step that failed, whose tool has said why, or null */
export async function setUp() {
  const done = readStamp();
  const install = installState();
  if (done.install !== install || !existsSync(join(root, 'node_modules/.modules.yaml'))) {
    say('Installing the dependencies (once; a minute or two)');
    if (!(await run('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--loglevel=info', '--reporter=append-only', '--config.confirmModulesPurge=false']))) {
      say('The dependencies could not be installed.');
      return 'install';
    }
    writeStamp({ install });
  }
  const build = buildState();
  if (readStamp().build !== build || !rooms.every((room) => !existsSync(join(root, room, 'src')) || existsSync(join(root, room, 'dist')))) {
    say('Building');
    // The compiler trusts its notes, and would not write again what was deleted.
    for (const room of rooms) if (!existsSync(join(root, room, 'dist'))) rmSync(join(root, room, 'tsconfig.tsbuildinfo'), { force: true });
    if (!(await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']))) {
      say('The build failed.');
      return 'build';
    }
    writeStamp({ install, build });
  }
  return null;
}

/** Runs a program with its output on our standard error. SIGTERM and SIGINT that reach us meanwhile reach it, and end us with it. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: toolEnvironment(), stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    const passOn = (signal) => {
      child.kill(signal);
      child.once('close', () => process.exit(1));
    };
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    const ended = (ok) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      resolve(ok);
    };
    child.once('error', (error) => {
      say(`${command}: ${error.message}`);
      ended(false);
    });
    child.once('close', (code) => ended(code === 0));
  });
}

/**
 * Our environment without what would bend the tools: how npm itself was called (`--silent`, `--json`),
 * a production mode that leaves the compiler out, an empty HOME.
 */
function toolEnvironment() {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (/^npm_config_(loglevel|json|silent|quiet|production|omit|include|dry_run|workspace|workspaces|global|prefix|local_prefix)$/i.test(name))
      delete env[name];
  }
  delete env.NODE_ENV;
  if (env.HOME === '') delete env.HOME;
  return env;
}

function installState() {
  const files = [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    '.npmrc',
    'package.json',
    'test-e2e/package.json',
    'examples/package.json',
    ...rooms.map((room) => `${room}/package.json`),
  ];
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`);
  for (const file of files) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Names, sizes and times of all sources: reading a thousand files at every start would take longer. */
function buildState() {
  const hash = createHash('sha256');
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const addAll = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) addAll(`${folder}/${entry.name}`);
      else add(`${folder}/${entry.name}`);
    }
  };
  for (const file of ['tsconfig.json', 'tsconfig.base.json', 'pnpm-lock.yaml']) add(file);
  for (const room of rooms) {
    if (existsSync(join(root, room, 'tsconfig.json'))) add(`${room}/tsconfig.json`);
    if (existsSync(join(root, room, 'package.json'))) add(`${room}/package.json`);
    if (existsSync(join(root, room, 'src'))) addAll(`${room}/src`);
  }
  return hash.digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(stamp) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}

export function say(line) {
  process.stderr.write(`perch: ${line}\n`);
}
