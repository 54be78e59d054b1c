/** `npm run dev [-- OPTIONS of npm start]`: after a change bundles and restarts the services that use it, or rebuilds the page, then checks types. */
import { fork, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import './check-node.mjs';
import { buildPage, sourcesOfPage } from './page.mjs';
import { log, root, setUp } from './set-up.mjs';

/** An editor or git writes several files at once. */
const settleMs = 50;
const tsc = join(root, 'node_modules/typescript/bin/tsc');

if ((await setUp()) !== null) process.exit(1);
const { openBundler, services } = await import('./bundle.mjs');

const manifests = readManifests();
const pageSources = sourcesOfPage(root);
const changed = new Set();
const outdated = new Set();
const bundlers = new Map();
let timer = null;
let updating = false;
let check = null;

const launcher = fork(join(root, 'packages/launcher/dist/main.js'), process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
launcher.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    check?.kill();
    launcher.kill(signal);
  });
}

for (const folder of manifests.keys()) for (const name of ['src', 'lua', 'index.html', 'docs.html', 'public']) follow(`${folder}/${name}`);

function follow(path) {
  if (!existsSync(join(root, path))) return;
  watch(join(root, path), { recursive: true }, (_event, file) => {
    changed.add(file === null || path.endsWith('.html') ? path : `${path}/${file}`);
    clearTimeout(timer);
    timer = setTimeout(() => void update(), settleMs);
  });
}

async function update() {
  if (updating || changed.size === 0) return;
  updating = true;
  check?.kill();
  const paths = [...changed].filter((path) => !/(?:~|\.swp|\.tmp)$/.test(path));
  changed.clear();
  try {
    await apply(paths);
  } finally {
    updating = false;
  }
  if (changed.size > 0) await update();
}

async function apply(paths) {
  const began = performance.now();
  const folders = new Set(paths.map((path) => path.split('/').slice(0, 2).join('/')));
  const affected = services.filter(
    (service) => outdated.has(service) || [...dependenciesOf(`services/${service}`)].some((folder) => folders.has(folder)),
  );
  if (affected.length > 0) {
    for (const service of affected) outdated.add(service);
    const bundled = await Promise.all(affected.map(bundle));
    if (!bundled.every(Boolean)) return;
    const { restarted } = await restart(affected);
    for (const service of restarted) outdated.delete(service);
    if (restarted.length > 0) log(`${paths.join(', ')}: ${restarted.join(', ')} restarted in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
  if (folders.has('packages/launcher') || folders.has('packages/local-redis')) log('start npm run dev again to use the changed launcher');
  if (paths.some((path) => pageSources.some((source) => path === source || path.startsWith(`${source}/`)))) void rebuildPage();
  if (paths.some((path) => /\.tsx?$/.test(path))) void checkTypes();
}

/** The first time of a service takes longest: later ones read changed files only. */
async function bundle(service) {
  if (!bundlers.has(service)) bundlers.set(service, openBundler(root, service));
  return (await bundlers.get(service)).bundle();
}

async function rebuildPage() {
  const built = await buildPage(root, run);
  log(built ? 'the page is rebuilt; reload it' : 'the page could not be built');
}

/** Not those of tests; the next change ends the check. */
async function checkTypes() {
  for (const project of [
    ['-b', 'tsconfig.build.json'],
    ['-p', 'packages/console', '--noEmit'],
  ]) {
    check = start(process.execPath, [tsc, ...project, '--pretty']);
    const [code] = await new Promise((resolve) => check.once('close', (...ending) => resolve(ending)));
    if (code !== 0) return;
  }
  log('no type errors');
}

/** Or when it has printed why it could not. */
function restart(names) {
  return new Promise((resolve) => {
    launcher.once('message', resolve);
    launcher.send({ restart: names });
  });
}

function dependenciesOf(folder) {
  const found = new Set([folder]);
  for (const each of found) {
    for (const name of Object.keys(manifests.get(each).dependencies ?? {})) {
      const dependency = [...manifests.keys()].find((other) => manifests.get(other).name === name);
      if (dependency !== undefined) found.add(dependency);
    }
  }
  return found;
}

function readManifests() {
  const folders = ['packages', 'services'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`));
  const found = folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
  return new Map(found.map((folder) => [folder, JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))]));
}

function run(command, args) {
  return new Promise((resolve) => {
    start(command, args)
      .once('error', () => resolve(false))
      .once('close', (code) => resolve(code === 0));
  });
}

function start(command, args) {
  return spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
}
