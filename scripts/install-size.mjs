/**
 * Prints what an installation of each service takes on a disk, in the table of docs/operate/images.md: `npm run install-size`, in a built clone. It installs what
 * the container images contain (deploy/image/collect.mjs) into a folder of its own, and removes that.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { filesBelow } from './files-below.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const targets = ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge', 'probe', 'cli'];
/** Packages of the renderer that hold fonts, and its own folder of fonts. */
const isFont = (path) => /\/(?:@expo-google-fonts|@fontsource|@fontsource-variable)[+/]/.test(path) || path.includes('/renderer/fonts/');

const out = mkdtempSync(join(tmpdir(), 'perch-size-'));
try {
  const rows = targets.map((target) => {
    const folder = join(out, target);
    const { status } = spawnSync(process.execPath, [join(root, 'deploy/image/collect.mjs'), target, folder], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`collect.mjs failed for ${target}`);
    const files = filesOf(folder);
    const packages = files.filter(({ path }) => path.includes('/node_modules/'));
    return [target, sum(files), sum(packages), sum(files.filter(({ path }) => isFont(path)))];
  });
  const clone = existsSync(join(root, 'node_modules')) ? sum(filesOf(join(root, 'node_modules'))) : 0;
  process.stdout.write('| | all, MB | packages of others, MB | fonts, MB |\n|---|--:|--:|--:|\n');
  for (const [name, ...sizes] of rows) process.stdout.write(`| ${name} | ${sizes.map(megabytes).join(' | ')} |\n`);
  process.stdout.write(`node_modules of this clone, with the tools for development: ${megabytes(clone)} MB\n`);
} finally {
  rmSync(out, { recursive: true });
}

/** Returns each file once, also if it is linked twice. */
function filesOf(folder) {
  const found = new Map();
  for (const path of filesBelow([folder])) {
    const { ino, size } = lstatSync(path);
    found.set(ino, { path, size });
  }
  return [...found.values()];
}

function sum(files) {
  return files.reduce((total, { size }) => total + size, 0);
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}
