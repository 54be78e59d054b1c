/** Installs dependencies, builds TypeScript and the web page, as far as their inputs have changed. All output goes to standard error. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildPage, pageIsBuilt, sourcesOfPage } from './page.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const pnpm = 'pnpm@10.34.9';
const stampFile = join(root, '.perch', 'set-up.json');
const packageFolders = ['packages', 'services', 'tools'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`));
/** Packages compiled by `tsc -b tsconfig.build.json`. The services are bundled from source afterwards, the page is built by vite. */
const compiled = packageFolders.filter((folder) => folder !== 'packages/console' && existsSync(join(root, folder, 'src')));

/** @returns the step that failed and has printed its errors, or null */
export async function setUp() {
  const done = readStamp();
  const install = installState();
  if (done.install !== install || !existsSync(join(root, 'node_modules/.modules.yaml'))) {
    log('Installing the dependencies (once; a minute or two)');
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
      log('The dependencies could not be installed.');
      return 'install';
    }
    writeStamp({ install });
  }
  const build = buildState();
  if (readStamp().build !== build || compiled.some((folder) => !existsSync(join(root, folder, 'dist')))) {
    log('Building');
    // tsc trusts its .tsbuildinfo and would not restore deleted output.
    for (const folder of compiled)
      if (!existsSync(join(root, folder, 'dist'))) rmSync(join(root, folder, 'tsconfig.build.tsbuildinfo'), { force: true });
    if (!(await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json']))) {
      log('The build failed.');
      return 'build';
    }
    // Not before: it needs esbuild, which the installation brings.
    const { bundleServices } = await import('./bundle.mjs');
    if (!(await bundleServices(root))) {
      log('The services could not be bundled.');
      return 'build';
    }
    writeStamp({ ...readStamp(), install, build });
  }
  const page = pageState();
  if (readStamp().page !== page || !pageIsBuilt(root)) {
    log('Building the web page');
    if (!(await buildPage(root, run))) {
      log('The web page could not be built.');
      return 'build';
    }
    writeStamp({ ...readStamp(), page });
  }
  return null;
}

/** SIGTERM and SIGINT are passed on and end this process once the program has ended. */
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
      log(`${command}: ${error.message}`);
      ended(false);
    });
    child.once('close', (code) => ended(code === 0));
  });
}

/** Leaves out what changes the tools' behaviour: npm's own options (`--silent`), a production mode without the compiler, an empty HOME. */
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
    ...packageFolders.map((folder) => `${folder}/package.json`),
  ];
  // Not by the version of Node: native packages of the tree use Node-API, which is the same in all.
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of files) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function buildState() {
  const inputs = compiled.flatMap((folder) => ['tsconfig.build.json', 'package.json', 'src'].map((entry) => `${folder}/${entry}`));
  return stateOf([
    'tsconfig.build.json',
    'tsconfig.base.json',
    'pnpm-lock.yaml',
    'scripts/bundle.mjs',
    'scripts/bundled-program.mjs',
    ...inputs.filter((entry) => existsSync(join(root, entry))),
  ]);
}

function pageState() {
  return stateOf(['pnpm-lock.yaml', ...sourcesOfPage(root)]);
}

/** Returns a hash of names, sizes and times: reading a thousand files at every start would take longer. */
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

export function log(line) {
  process.stderr.write(`perch: ${line}\n`);
}
