/**
 * Collects the files of one image: `node deploy/image/collect.mjs gateway /image/gateway`, in a built clone.
 * They are the compiled code of a service, of the packages it needs and their production dependencies, and bom.cdx.json, a CycloneDX list of them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { filesBelow } from '../../scripts/files-below.mjs';
import { copyRobotProgram } from '../../scripts/robot-program.mjs';
import { writeBillOfMaterials } from './bill-of-materials.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const pnpm = 'pnpm@10.34.9';
/** Folders of a package that its compiled code reads. */
const runtimeFolders = ['dist', 'lua', 'fonts', 'assets'];
/** Files that only a compiler or debugger reads. */
const unread = /\.(?:d\.[cm]?ts|map|tsbuildinfo)$/;

const [target, out] = process.argv.slice(2);
const folders = workspaceFolders();
const manifests = new Map(folders.map((folder) => [folder, JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))]));
const start = [...manifests.keys()].find((folder) => manifests.get(folder).name === `@perch/${target}`);
if (start === undefined || out === undefined) {
  process.stderr.write('usage: node deploy/image/collect.mjs gateway|robot-link|renderer|webhooks|mqtt-bridge|probe|cli FOLDER\n');
  process.exit(64);
}

const needed = neededBy(start);
// pnpm checks the lockfile against every workspace package, so all manifests take part in the installation.
for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', ...folders.map((folder) => `${folder}/package.json`)]) {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  cpSync(join(root, file), join(out, file));
}
install();
removeUnread(join(out, 'node_modules'));
for (const folder of folders) if (!needed.has(folder)) rmSync(join(out, folder), { recursive: true });
for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc']) rmSync(join(out, file));
for (const folder of needed) for (const name of runtimeFolders) copyCode(`${folder}/${name}`);
// The gateway serves the web page, whose dependencies are bundled into its files.
if (target === 'gateway') copyCode('packages/console/dist');
// `perch robot install` writes it to a robot, and the robot-link offers it to robots that have another version.
if (target === 'cli' || target === 'robot-link') await copyRobotProgram(root, join(out, 'robots/micropython'));
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
writeBillOfMaterials(out, manifests.get(start));

/** Returns the folder of every package in pnpm-workspace.yaml, which lists them by path or by pattern (`packages/*`). */
function workspaceFolders() {
  const list = /^packages:\n((?: +- .+\n)+)/m.exec(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))[1];
  const patterns = [...list.matchAll(/^ +- ['"]?([^'"\n]+?)['"]?$/gm)].map(([, pattern]) => pattern);
  const named = patterns.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern];
    const parent = pattern.slice(0, -2);
    return existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`) : [];
  });
  return named.filter((folder) => existsSync(join(root, folder, 'package.json')));
}

/** Returns the folders of a package and of all workspace packages that it needs in production. */
function neededBy(first) {
  const found = new Set([first]);
  for (const folder of found) {
    for (const name of Object.keys(manifests.get(folder).dependencies ?? {})) {
      const other = [...manifests.keys()].find((one) => manifests.get(one).name === name);
      if (other !== undefined) found.add(other);
    }
  }
  return found;
}

function install() {
  const args = ['--yes', pnpm, 'install', '--prod', '--frozen-lockfile', '--ignore-scripts', '--filter-prod', `${manifests.get(start).name}...`];
  const { status } = spawnSync('npx', args, { cwd: out, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

/** Removes files of installed packages: a third of the gateway's image. */
function removeUnread(folder) {
  for (const path of filesBelow([folder])) if (unread.test(basename(path))) rmSync(path);
}

function copyCode(folder) {
  if (!existsSync(join(root, folder))) return;
  cpSync(join(root, folder), join(out, folder), { recursive: true, filter: (path) => !unread.test(path) });
}
