import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve as resolvePath, sep } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { knownFailure } from './known-failures.mjs';
import { root } from './set-up.mjs';

/** For mocha to exit after its last test: a test that leaks a handle keeps it alive. The reporter prints what is open before that. */
const exitLimitMs = Number(process.env.PERCH_TEST_EXIT_MS ?? 20_000);

/**
 * Files alone: mocha with the Node options of .mocharc.json, or with those that compiled tests need in place of them. Other arguments: its wrapper, which finds
 * Node's options in a second process.
 */
function mochaWith(args, compiled) {
  if (args.some((arg) => arg.startsWith('-'))) return [join(root, 'node_modules/mocha/bin/mocha.js'), ...args];
  const { 'node-option': forSources } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'));
  // It runs only if the path that it is called by is its own.
  const mocha = realpathSync(join(root, 'node_modules/mocha/lib/cli/cli.js'));
  if (compiled === null) return [...forSources.map((option) => `--${option}`), mocha, ...args];
  // Programs that tests start with the options of their own process run compiled, too.
  const programs = [
    `--import=${pathToFileURL(join(root, 'scripts/compiled-programs.mjs')).href}?${String(new URLSearchParams({ folder: compiled }))}`,
  ];
  const options = `data:text/javascript,process.execArgv = ${encodeURIComponent(JSON.stringify(programs))}`;
  const files = args.map((file) => join(compiled, relative(root, resolvePath(root, file)).replace(/\.ts$/, '.js')));
  const seed = pathToFileURL(join(root, 'packages/testkit/seed.mjs')).href;
  return ['--enable-source-maps', `--import=${options}`, `--import=${seed}`, mocha, ...files];
}

/**
 * Runs mocha with our reporter, whose summary lines are returned instead of printed. A run that breaks off, runs no tests or does not exit counts as a failure.
 * @param print receives mocha's lines: titles and failures, or failures alone if there is a `progress`
 * @param options.compiled folder of compiled tests (compile-tests.mjs) that run in place of the files in `args`, or null; files are returned as in `args`
 * @param options.progress (progress.mjs) is told of each file and failure; null prints titles
 * @returns {passed, failed, failures, failedFiles, known, skips, times}: `failures` has a line `failed: …` each, `failedFiles` the files of tests that
 *   failed, `known` a line for each failure that is listed (known-failures.mjs) and counts in none of the others; `skips` is a list of {reason, count},
 *   `times` one of {file, ms, cpuMs}
 */
export function runTests(args, print, { compiled = null, progress = null } = {}) {
  const reporter = join(root, 'packages/testkit/reporter.mjs');
  return new Promise((resolve, reject) => {
    const colors = process.stdout.isTTY ? ['--color'] : [];
    const child = spawn(process.execPath, [...mochaWith(args, compiled), '--reporter', reporter, ...colors], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      // Signals go to the process group: mocha may run in a child process.
      detached: true,
      env: { ...process.env, PERCH_TEST_EXIT_MS: String(exitLimitMs), PERCH_TEST_TITLES: progress === null ? '1' : '0' },
    });
    const kill = (signal) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It has exited meanwhile.
      }
    };
    const failures = [];
    const failedFiles = [];
    const known = [];
    const skips = [];
    const times = [];
    let failing = null;
    let counts = null;
    let left = null;
    let open = 'nothing that Node lists';
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Without `failed in` before it, the line is a part of an error that is printed, such as the output of a program.
      if (failing !== null && line.startsWith('failed: ')) {
        const { file } = failing;
        const entry = knownFailure(failing);
        failing = null;
        if (entry !== undefined) return known.push(`${line.replace('failed', 'known')} since ${entry.since}: ${entry.reason}`);
        if (file !== null) failedFiles.push(file);
        return failures.push(line);
      }
      if (line.startsWith('skipped for: ')) return skips.push(JSON.parse(line.slice('skipped for: '.length)));
      if (line.startsWith('failed in: ')) return (failing = ofSource(line.slice('failed in: '.length), compiled));
      if (line.startsWith('still open: ')) return (open = line.slice('still open: '.length));
      if (line.startsWith('took: ')) {
        const took = ofSource(line.slice('took: '.length), compiled);
        const before = times.find(({ file }) => file === took.file);
        if (before === undefined) times.push(took);
        else Object.assign(before, { ms: before.ms + took.ms, cpuMs: before.cpuMs + took.cpuMs });
        return progress?.took(took.file);
      }
      if (progress !== null && line.startsWith('failing: ')) return progress.failed(line.slice('failing: '.length));
      const match = /^(\d+) passed, (\d+) failed$/.exec(line);
      if (match === null) return print(line);
      counts = { passed: Number(match[1]), failed: Number(match[2]) };
      left = setTimeout(() => kill('SIGKILL'), exitLimitMs);
    });
    const passOn = kill;
    process.on('SIGINT', passOn).on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', passOn).off('SIGTERM', passOn);
      clearTimeout(left);
      const { passed, failed } = counts ?? { passed: 0, failed: 0 };
      const ending = signal ?? `code ${code}`;
      const result = { passed, failed: failed - known.length, failures, failedFiles, known, skips, times };
      const withTrouble = (trouble) => {
        print(trouble);
        resolve({ ...result, failed: result.failed + 1, failures: [...failures, `failed: ${trouble}`] });
      };
      if (counts === null) return withTrouble(`mocha broke off (${ending})`);
      if (passed + failed === 0) return withTrouble('mocha ran no test');
      if (code === 0 || failed > 0) return resolve(result);
      const named = args.filter(isFile).map((file) => relative(root, resolvePath(root, file)));
      withTrouble(`mocha ended with ${ending} although no test failed (open: ${open}; files: ${named.join(', ')})`);
    });
  });
}

/** Returns whether an argument of mocha is a test file, or a pattern of test files, and not an option. */
export const isFile = (arg) => !arg.startsWith('-') && /test/.test(arg);

/** Names the file of a test from the root of the clone, and the source of a compiled one in place of it; null is that of a hook outside of all suites. */
function ofSource(json, compiled) {
  const about = JSON.parse(json);
  if (about.file === null) return about;
  const file = relative(compiled ?? root, resolvePath(root, about.file)).replaceAll(sep, '/');
  return { ...about, file: compiled === null ? file : file.replace(/\.js$/, '.ts') };
}
