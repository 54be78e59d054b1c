/**
 * Builds the web page (packages/console) beside what is being served: its parts are named by their content and stay for a day after they were
 * replaced, what names them changes last and in one step. A gateway that runs meanwhile, or a second build, sees one page or the other, never half of one.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

const room = 'packages/console';
const keptMs = 24 * 60 * 60 * 1000;

/** The files whose change asks for another build, as folders and files below the root: its own, and the rooms that it bundles. */
export function sourcesOfPage(root) {
  const { dependencies } = JSON.parse(readFileSync(join(root, room, 'package.json'), 'utf8'));
  const bundled = Object.keys(dependencies)
    .filter((name) => name.startsWith('@perch/'))
    .flatMap((name) => ['package.json', 'src'].map((entry) => `packages/${name.slice('@perch/'.length)}/${entry}`));
  const own = ['package.json', 'tsconfig.json', 'vite.config.ts', 'index.html', 'docs.html', 'public', 'src'].map((entry) => `${room}/${entry}`);
  return [...own, ...bundled].filter((entry) => existsSync(join(root, entry)));
}

/** Whether there is a page to serve. */
export function pageIsThere(root) {
  return existsSync(join(root, room, 'dist/index.html'));
}

/** @param run starts a program and answers whether it ended well @returns whether the page was built */
export async function buildPage(root, run) {
  mkdirSync(join(root, '.perch'), { recursive: true });
  const made = mkdtempSync(join(root, '.perch/page-'));
  try {
    const vite = join(root, room, 'node_modules/vite/bin/vite.js');
    if (!(await run(process.execPath, [vite, 'build', join(root, room), '--outDir', made, '--emptyOutDir', '--logLevel', 'warn']))) return false;
    putInPlace(made, join(root, room, 'dist'));
    return true;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function putInPlace(made, dist) {
  const files = filesOf(made);
  const isPage = (file) => /\.html(?:\.\w+)?$/.test(file);
  // Tabs may ask for these until now: their day begins.
  const now = new Date();
  for (const file of partsOfPage(dist)) utimesSync(join(dist, file), now, now);
  for (const file of files.toSorted((a, b) => Number(isPage(a)) - Number(isPage(b)))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    const whole = join(dist, `${file}.${process.pid}`);
    cpSync(join(made, file), whole);
    renameSync(whole, join(dist, file));
  }
  const outdated = Date.now() - keptMs;
  for (const file of filesOf(dist)) {
    // A second build may be faster.
    const age = statSync(join(dist, file), { throwIfNoEntry: false });
    if (age !== undefined && age.mtimeMs < outdated) rmSync(join(dist, file), { force: true });
  }
}

/** What the pages in a folder may ask for: every file that they, or a part of theirs, mention by name; packed ones with what they are packed from. */
function partsOfPage(dist) {
  const files = existsSync(dist) ? filesOf(dist) : [];
  const byName = new Map(files.map((file) => [basename(file), file]));
  const reached = new Set([...byName.keys()].filter((name) => name.endsWith('.html')));
  // A set takes what is added while it is walked.
  for (const name of reached) {
    if (!/\.(?:html|js|css)$/.test(name)) continue;
    for (const [mentioned] of readFileSync(join(dist, byName.get(name)), 'utf8').matchAll(/[\w.-]+\.\w+/g)) {
      if (byName.has(mentioned)) reached.add(mentioned);
    }
  }
  return files.filter((file) => reached.has(basename(file).replace(/\.(?:gz|br)$/, '')));
}

/** Paths below a folder, of files alone. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
