/**
 * Brings a clone into the state in which it runs: dependencies installed, TypeScript and the web page built. Does nothing that was done for the same files before.
 * Everything it and its tools say goes to standard error.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildPage, pageIsThere, sourcesOfPage } from './page.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const pnpm = 'pnpm@10.34.9';
const stampFile = join(root, '.perch', 'set-up.json');
const rooms = ['packages', 'services', 'tools'].flatMap((floor) => readdirSync(join(root, floor)).map((name) => `${floor}/${name}`));
/** What `tsc -b` builds: the page is vite's. */
const compiled = rooms.filter((room) => room !== 'packages/console' && existsSync(join(root, room, 'src')));

/** Installs and builds where it is needed. @returns the step that failed, whose tool has said why, or null */
export async function setUp() {
  const done = readStamp();
  const install = installState();
  if (done.install !== install || !existsSync(join(root, 'node_modules/.modules.yaml'))) {
    say('Installing the dependencies (once; a minute or two)');
    if (
      !(await run('npx', [
        '--yes',
        pnpm,
        'install',
        '--frozen-lockfile',
        '--loglevel=info',
        '--reporter=append-only',
        '--config.confirmModulesPurge=false',
      ]))
    ) {
      say('The dependencies could not be installed.');
      return 'install';
    }
    writeStamp({ install });
  }
  const build = buildState();
  if (readStamp().build !== build || compiled.some((room) => !existsSync(join(root, room, 'dist')))) {
    say('Building');
    // The compiler trusts its notes, and would not write again what was deleted.
    for (const room of compiled) if (!existsSync(join(root, room, 'dist'))) rmSync(join(root, room, 'tsconfig.tsbuildinfo'), { force: true });
    if (!(await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']))) {
      say('The build failed.');
      return 'build';
    }
    writeStamp({ ...readStamp(), install, build });
  }
  const page = pageState();
  if (readStamp().page !== page || !pageIsThere(root)) {
    say('Building the web page');
    if (!(await buildPage(root, run))) {
      say('The web page could not be built.');
      return 'build';
    }
    writeStamp({ ...readStamp(), page });
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

function buildState() {
  const ofRooms = compiled.flatMap((room) => ['tsconfig.json', 'package.json', 'src'].map((entry) => `${room}/${entry}`));
  return stateOf(['tsconfig.json', 'tsconfig.base.json', 'pnpm-lock.yaml', ...ofRooms.filter((entry) => existsSync(join(root, entry)))]);
}

function pageState() {
  return stateOf(['pnpm-lock.yaml', ...sourcesOfPage(root)]);
}

/** Names, sizes and times of all sources: reading a thousand files at every start would take longer. */
function stateOf(entries) {
  const hash = createHash('sha256');
  const add = (path) => {
    const stat = statSync(join(root, path));
    if (!stat.isDirectory()) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
    else for (const name of readdirSync(join(root, path)).sort()) add(`${path}/${name}`);
  };
  for (const entry of entries) add(entry);
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
