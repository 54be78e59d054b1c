/**
 * Builds the web page beside the one that is being served. Its parts are named by content; those of the last two replaced pages are kept for a day. The
 * files that name them are replaced last, each atomically. A running gateway, or a second build, sees either page, never a mixture.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

const pageFolder = 'packages/console';
const keptMs = 24 * 60 * 60 * 1000;
/** Number of replaced pages whose parts are kept. Without this limit, a clone that is built often holds thousands of files. */
const keptPages = 2;

/** Its own files, and the packages that it bundles. */
export function sourcesOfPage(root) {
  const { dependencies } = JSON.parse(readFileSync(join(root, pageFolder, 'package.json'), 'utf8'));
  const bundled = Object.keys(dependencies)
    .filter((name) => name.startsWith('@perch/'))
    .flatMap((name) => ['package.json', 'src'].map((entry) => `packages/${name.slice('@perch/'.length)}/${entry}`));
  const own = ['package.json', 'tsconfig.json', 'vite.config.ts', 'index.html', 'docs.html', 'public', 'src'].map(
    (entry) => `${pageFolder}/${entry}`,
  );
  // The page installs it on robots.
  const robotProgram = 'robots/micropython';
  // The page shows them to choose from.
  const icons = 'services/renderer/fonts/icons.json';
  return [...own, ...bundled, robotProgram, icons].filter((entry) => existsSync(join(root, entry)));
}

export function pageIsBuilt(root) {
  return existsSync(join(root, pageFolder, 'dist/index.html'));
}

/** @param run runs a program and returns whether it succeeded @returns whether the page was built */
export async function buildPage(root, run) {
  mkdirSync(join(root, '.perch'), { recursive: true });
  const made = mkdtempSync(join(root, '.perch/page-'));
  try {
    const vite = join(root, pageFolder, 'node_modules/vite/bin/vite.js');
    if (!(await run(process.execPath, [vite, 'build', join(root, pageFolder), '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'])))
      return false;
    replacePage(made, join(root, pageFolder, 'dist'));
    return true;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function replacePage(made, dist) {
  const files = filesOf(made);
  const isPage = (file) => /\.html(?:\.\w+)?$/.test(file);
  // Open tabs may request these parts until now: their day begins. All parts of a replaced page have the same time.
  const now = new Date();
  for (const file of partsOfPage(dist)) utimesSync(join(dist, file), now, now);
  for (const file of files.toSorted((a, b) => Number(isPage(a)) - Number(isPage(b)))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    const whole = join(dist, `${file}.${process.pid}`);
    cpSync(join(made, file), whole);
    renameSync(whole, join(dist, file));
  }
  removeOldFiles(dist, new Set(files));
}

/** @param current files of the page that is served */
function removeOldFiles(dist, current) {
  const old = filesOf(dist)
    .filter((file) => !current.has(file))
    // A second build may have deleted it.
    .map((file) => ({ file, at: statSync(join(dist, file), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  const replacements = [...new Set(old.map(({ at }) => at))].toSorted((a, b) => b - a);
  const kept = new Set(replacements.slice(0, keptPages).filter((at) => at > Date.now() - keptMs));
  for (const { file, at } of old) if (!kept.has(at)) rmSync(join(dist, file), { force: true });
}

/** Every file named by a page or by another part, with compressed copies. */
function partsOfPage(dist) {
  const files = existsSync(dist) ? filesOf(dist) : [];
  const byName = new Map(files.map((file) => [basename(file), file]));
  const reached = new Set([...byName.keys()].filter((name) => name.endsWith('.html')));
  // A Set iterates over elements added meanwhile.
  for (const name of reached) {
    if (!/\.(?:html|js|css)$/.test(name)) continue;
    for (const [mentioned] of readFileSync(join(dist, byName.get(name)), 'utf8').matchAll(/[\w.-]+\.\w+/g)) {
      if (byName.has(mentioned)) reached.add(mentioned);
    }
  }
  return files.filter((file) => reached.has(basename(file).replace(/\.(?:gz|br)$/, '')));
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
