/** Checks out and builds an earlier release of Perch inside this clone, to run together with the version under test. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

const clone = fileURLToPath(new URL('../../..', import.meta.url));

export interface Release {
  version: string;
  commit: string;
}

/** With the version that its package.json states. */
export interface SourceTree {
  root: string;
  version: string;
}

/** Longest wait for another process that builds the same release. */
const buildWithinMs = 15 * 60_000;

export function thisTree(): SourceTree {
  return treeAt(clone);
}

export function treeAt(root: string): SourceTree {
  const file = join(root, 'package.json');
  if (!existsSync(file)) throw new Error(`${root}: no source tree of Perch (it has no package.json)`);
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
  if (name !== 'perch' || version === undefined) throw new Error(`${root}: no source tree of Perch (${file} is not its package.json)`);
  if (!existsSync(join(root, 'services/gateway/dist/main.js'))) throw new Error(`${root}: not built; run npm run build there`);
  return { root, version };
}

export function newestRelease(root = clone): Release {
  const [newest] = releases(root);
  if (newest === undefined) throw new Error(`${releasesFile(root)} names no release`);
  return newest;
}

/** @throws an Error that names the releases there are */
export function releaseOf(version: string, root = clone): Release {
  const all = releases(root);
  const found = all.find((release) => release.version === version);
  if (found === undefined) throw new Error(`${version}: ${releasesFile(root)} names ${all.map((release) => release.version).join(', ')}`);
  return found;
}

/** Returns the releases that deploy/releases.json names, the newest first. */
export function releases(root = clone): Release[] {
  const commits = Object.entries(JSON.parse(readFileSync(releasesFile(root), 'utf8')) as Record<string, string>);
  return commits.toSorted(([a], [b]) => b.localeCompare(a, 'en', { numeric: true })).map(([version, commit]) => ({ version, commit }));
}

function releasesFile(root: string): string {
  return join(root, 'deploy/releases.json');
}

/** Null: it is not built in this clone. */
export function builtRelease(): SourceTree | null {
  const { root, builtMark } = placeOf(newestRelease());
  return existsSync(builtMark) ? treeAt(root) : null;
}

/** Checks a release out below `.perch/releases`, builds it if needed, and removes those that deploy/releases.json does not name. @throws an Error that names the cause */
export async function releaseTree({ version, commit }: Release, report: (line: string) => void): Promise<SourceTree> {
  const { folder, root, builtMark } = placeOf({ commit });
  mkdirSync(folder, { recursive: true });
  if (existsSync(builtMark)) return treeAt(root);
  await requireCommit({ version, commit });
  const unlock = await lock(`${root}.lock`, report);
  try {
    if (existsSync(builtMark)) return treeAt(root);
    const kept = new Set([...releases(), { version, commit }].map((release) => placeOf(release).root));
    for (const other of readdirSync(folder, { withFileTypes: true })) {
      const place = join(folder, other.name);
      if (other.isDirectory() && !kept.has(place)) await removeTree(place);
    }
    report(`checking out release ${version} (${commit.slice(0, 12)}) and building it in ${root}`);
    await run('git', ['worktree', 'add', '--force', '--detach', root, commit], clone, report);
    // The build also installs the release's own dependencies.
    await run('npm', ['run', '--silent', 'build'], root, report);
    const tree = treeAt(root);
    writeFileSync(builtMark, `${commit}\n`);
    return tree;
  } catch (error) {
    await removeTree(root);
    throw error;
  } finally {
    unlock();
  }
}

function placeOf({ commit }: Pick<Release, 'commit'>): { folder: string; root: string; builtMark: string } {
  const folder = join(clone, '.perch/releases');
  const root = join(folder, commit.slice(0, 12));
  return { folder, root, builtMark: `${root}.built` };
}

async function requireCommit({ version, commit }: Release): Promise<void> {
  const git = async (...args: string[]): Promise<boolean> =>
    run('git', args, clone, () => undefined).then(
      () => true,
      () => false,
    );
  const about = `release ${version} cannot be built: its commit ${commit} (deploy/releases.json)`;
  if (await git('cat-file', '-e', `${commit}^{commit}`)) return;
  if (!(await git('rev-parse', '--git-dir'))) throw new Error(`${about} cannot be checked out, because ${clone} is not a git clone`);
  const shallow = existsSync(await gitPath('shallow'));
  throw new Error(`${about} is not in this clone${shallow ? ', which is shallow: run git fetch --unshallow' : ': run git fetch'}`);
}

async function gitPath(name: string): Promise<string> {
  let path = '';
  await run('git', ['rev-parse', '--git-path', name], clone, (line) => (path = line)).catch(() => undefined);
  return path === '' ? name : join(path.startsWith('/') ? '' : clone, path);
}

async function removeTree(root: string): Promise<void> {
  rmSync(`${root}.built`, { force: true });
  rmSync(root, { recursive: true, force: true });
  await run('git', ['worktree', 'prune'], clone, () => undefined).catch(() => undefined);
}

/** Replaces a lock file whose process has exited. @returns a function that removes it */
async function lock(file: string, report: (line: string) => void): Promise<() => void> {
  let reported = false;
  await until(
    () => {
      try {
        writeFileSync(file, String(process.pid), { flag: 'wx' });
        return true;
      } catch {
        if (!isRunning(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true });
        else if (!reported) report(`waiting for process ${readFileSync(file, 'utf8')}, which builds the same release`);
        reported = true;
        return false;
      }
    },
    { timeoutMs: buildWithinMs, everyMs: 500, what: `the lock ${file}` },
  );
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** @throws an Error with its last lines of output if it fails */
function run(command: string, args: readonly string[], cwd: string, report: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: buildEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
    const last: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
          last.push(line);
          report(line);
        }
        last.splice(0, last.length - 10);
      });
    }
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} in ${cwd} ended with code ${code}:\n${last.join('\n')}`)),
    );
  });
}

/** The loader and conditions of the tests in NODE_OPTIONS are for this tree only. */
function buildEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return env;
}
