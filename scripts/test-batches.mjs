/** Runs the mocha tests of `npm test` in batches, several at a time. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve as resolvePath, sep } from 'node:path';
import process from 'node:process';
import { batchesOf, testFiles } from './batch-list.mjs';
import { isFile, runTests } from './mocha.mjs';
import { progressOf } from './progress.mjs';
import { root } from './set-up.mjs';

/** Up to this many files run in one process: to compile them all takes longer. */
const inOneProcessMax = 8;
/** Maximum number of failed files that run again. */
const againMax = 5;
/** Maximum number of batches at a time, however many processors there are. Each needs up to 1 GB of memory. */
const jobsMax = 8;

/**
 * Runs the tests that `args` name, or all tests of a kind, compiled and in batches side by side. A few files, or all with options for mocha, with a given
 * Redis URL, which batches would share, or with a single processor, run in one process.
 * @param kind `short` or `long`, the tests that run if `args` name no file
 * @param options.checks run beside the batches, or before the tests; its argument prints a line
 * @param options.verbose prints the titles of all tests; otherwise a run in batches prints how far it is, and failures at the end
 * @returns {passed, failed, failures, known, skips, times}, as `runTests` does
 */
export async function runMocha(args, kind, { checks = nothing, verbose = false } = {}) {
  const { files, missing } = await filesOf(args, kind);
  // Mocha only warns of them if there are others.
  if (missing.length > 0) return sumOf(missing.map((arg) => ({ failed: 1, failures: [`failed: there is no test file ${arg}`] })));
  const options = args.filter((arg) => !isFile(arg));
  const jobs = jobsOf(process.env.PERCH_TEST_JOBS);
  if (files.length <= inOneProcessMax || options.length > 0 || jobs === 1 || (process.env.PERCH_TEST_REDIS_URL ?? '') !== '') {
    await checks(print);
    return runTests([...options, ...files], print);
  }
  const progress = verbose ? null : progressOf(files.length);
  return withCompiledTests((compiled) => runBatches(batchesOf(root, files), { jobs, checks, compiled, progress }));
}

export const namesFiles = (args) => args.some(isFile);

/** Finds files as mocha does, to which braces alone are no pattern. Paths are from the root of the clone. */
async function filesOf(args, kind) {
  if (!namesFiles(args)) return { files: testFiles(root, kind), missing: [] };
  // Not before: the installation brings it.
  const { lookupFiles } = await import('mocha/lib/cli/lookup-files.js');
  const missing = [];
  const files = args.filter(isFile).flatMap((arg) => {
    try {
      return lookupFiles(arg, ['ts']);
    } catch {
      missing.push(arg);
      return [];
    }
  });
  return { files: [...new Set(files.map((file) => relative(root, resolvePath(file)).replaceAll(sep, '/')))], missing };
}

/** Passes the folder of compiled tests, which it removes afterwards, or null if they could not be compiled, for mocha to say why from the sources. */
async function withCompiledTests(run) {
  // Not before: it needs esbuild, which the installation brings.
  const { compileTests } = await import('./compile-tests.mjs');
  mkdirSync(join(root, '.perch'), { recursive: true });
  const folder = mkdtempSync(join(root, '.perch/tests-'));
  // A test runs a program of it as another user.
  chmodSync(folder, 0o755);
  try {
    return await run((await compileTests(root, folder)) ? folder : null);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns how many batches run at a time. Tests wait for much of their time: by default there are twice as many as processors. */
function jobsOf(given) {
  const processors = availableParallelism();
  if (given === undefined || given === '') return processors === 1 ? 1 : Math.min(processors * 2, jobsMax);
  if (!/^[1-9]\d?$/.test(given)) throw new Error(`PERCH_TEST_JOBS=${given}: must be a number from 1 to 99`);
  return Number(given);
}

/**
 * Runs each batch with its own mocha, `jobs` at a time. The first of the jobs runs the checks and then takes batches from the end of the list, where tests
 * compute more than they wait; the others take them from its start, so that no long batch starts last. Tests are compiled, if `compiled` is a folder.
 * At the end, up to 5 files in which a test failed run again, each alone; this only tells whether they fail alone, too.
 */
export async function runBatches(batches, { jobs = batches.length, checks = nothing, compiled = null, progress = null } = {}) {
  const queue = [...batches];
  const runs = [];
  const details = [];
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      if (job === 0) await checks(progress === null ? print : progress.print);
      while (queue.length > 0) {
        const lines = [];
        const run = await runTests(job === 0 && jobs > 1 ? queue.pop() : queue.shift(), (line) => lines.push(line), { compiled, progress });
        runs.push(run);
        if (progress === null) for (const line of lines) print(line);
        else if (run.failed > 0 || run.known.length > 0) details.push(...lines);
      }
    }),
  );
  progress?.end();
  for (const line of details) print(line);
  for (const file of [...new Set(runs.flatMap(({ failedFiles }) => failedFiles))].slice(0, againMax)) {
    const { passed, failed } = await runTests([file], () => {});
    print(`again, alone: ${file}: ${passed} passed, ${failed} failed`);
  }
  return sumOf(runs);
}

/** Of runs as of `runTests`, or parts of them. */
export const sumOf = (runs) =>
  Object.fromEntries(
    Object.entries({ passed: 0, failed: 0, failures: [], known: [], skips: [], times: [] }).map(([name, none]) => {
      const values = runs.map((run) => run[name] ?? none);
      return [name, Array.isArray(none) ? values.flat() : values.reduce((all, value) => all + value, 0)];
    }),
  );

const nothing = () => Promise.resolve();
const print = (line) => process.stdout.write(`${line}\n`);
