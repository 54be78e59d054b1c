/**
 * `npm run dev [-- OPTIONS of npm start]`: starts Perch as `npm start` does and follows the sources. After a change it compiles without type checks,
 * restarts the services that use the changed package, and then checks types, which may take longer. Changes of the web page rebuild the page.
 */
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
const services = ['gateway', 'robot-link', 'renderer', 'webhooks'];
const servicePaths = services.map((service) => `services/${service}`);

if ((await setUp()) !== null) process.exit(1);

const manifests = readManifests();
const pageSources = sourcesOfPage(root);
const changed = new Set();
/** Services whose compilation failed and that have not been restarted since. */
const outdated = new Set();
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
  // Changes that arrive during an update are handled after it.
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
    if (paths.some((path) => path.endsWith('.ts')) && !(await run(process.execPath, [tsc, '-b', '--noCheck', ...servicePaths]))) return;
    const { restarted } = await restart(affected);
    for (const service of restarted) outdated.delete(service);
    if (restarted.length > 0) log(`${paths.join(', ')}: ${restarted.join(', ')} restarted in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
  if (folders.has('packages/launcher') || folders.has('packages/local-redis')) log('start npm run dev again to use the changed launcher');
  if (paths.some((path) => pageSources.some((source) => path === source || path.startsWith(`${source}/`)))) void rebuildPage();
  if (paths.some((path) => /\.tsx?$/.test(path))) void checkTypes();
}

async function rebuildPage() {
  const built = await buildPage(root, run);
  log(built ? 'the page is rebuilt; reload it' : 'the page could not be built');
}

/** Checks the types of services, packages, tools and the page, not those of tests; the next change ends it. */
async function checkTypes() {
  for (const project of [['-b'], ['-p', 'packages/console', '--noEmit']]) {
    check = start(process.execPath, [tsc, ...project, '--pretty']);
    const [code] = await new Promise((resolve) => check.once('close', (...ending) => resolve(ending)));
    if (code !== 0) return;
  }
  log('no type errors');
}

/** Resolves when the launcher has restarted the services, or has printed why it could not. */
function restart(names) {
  return new Promise((resolve) => {
    launcher.once('message', resolve);
    launcher.send({ restart: names });
  });
}

/** Returns the folders of a package and of all workspace packages that it depends on. */
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
