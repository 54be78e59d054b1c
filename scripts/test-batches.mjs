/** Runs the mocha tests of `npm test` in batches, several at a time, and failed files once more. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { allBatches } from './batch-list.mjs';
import { idleProcessors } from './idle-processors.mjs';
import { progressOf } from './progress.mjs';
import { orderedOutputs } from './ordered-output.mjs';
import { isFile, runTests } from './mocha.mjs';
import { root } from './set-up.mjs';

/** Maximum number of failed files that are run again: more failures are not caused by a busy machine. A machine with half of our speed had 25. */
const againMax = 40;
/** Maximum number of batches at a time, however many processors there are. Each needs up to 1 GB of memory. */
const jobsMax = 8;

/**
 * Runs the tests that `args` name, or all tests of a kind in batches. With a given Redis URL, which batches would share, or a single processor, all tests run
 * in one process. After a run of all tests, or with PERCH_TEST_AGAIN=1, up to 40 failed files are run once more.
 * @param kind `short` or `long`, the tests that run if `args` name no file
 * @param options.checks run beside the batches, or before the tests; its argument prints a line
 * @param options.verbose prints the titles of all tests; otherwise a whole run prints how far it is, and failures at the end
 * @returns {passed, failed, failures, skips, times}; a failure is a line `failed: …`, or `failed at first: …` of one that was run again; a skip is
 *   {reason, count}; a time is {file, ms, cpuMs}
 */
export async function runMocha(args, kind, { checks = nothing, verbose = false } = {}) {
  const jobs = jobsOf(process.env.PERCH_TEST_JOBS);
  const isWhole = args.length === 0 && jobs > 1 && (process.env.PERCH_TEST_REDIS_URL ?? '') === '';
  if (isWhole) {
    const batches = allBatches(root, kind);
    const progress = verbose ? null : progressOf(batches.flat().length);
    return withCompiledTests((compiled) =>
      runBatches(batches, { jobs, jobsWhenIdle: Math.max(jobs, Math.min(jobs * 2, jobsMax)), checks, compiled, progress }),
    );
  }
  await checks(print);
  const named = [...args, ...(namesFiles(args) ? [] : allBatches(root, kind).flat())];
  // Mocha only warns of them if there are others. Braces alone are no pattern for it.
  const missing = args.filter((arg) => isFile(arg) && !/[*?[]/.test(arg) && !existsSync(join(root, arg)) && !existsSync(arg));
  if (missing.length > 0)
    return { passed: 0, failed: missing.length, failures: missing.map((file) => `failed: there is no test file ${file}`), skips: [], times: [] };
  return process.env.PERCH_TEST_AGAIN === '1' ? runBatches([named]) : runTests(named, print);
}

export const namesFiles = (args) => args.some(isFile);

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

/**
 * Returns how many batches run at a time. Tests wait for much of their time: by default there are twice as many as processors, and up to twice as many
 * again while processors idle.
 */
function jobsOf(given) {
  const processors = availableParallelism();
  if (given === undefined || given === '') return processors === 1 ? 1 : Math.min(processors * 2, jobsMax);
  if (!/^[1-9]\d?$/.test(given)) throw new Error(`PERCH_TEST_JOBS=${given}: must be a number from 1 to 99`);
  return Number(given);
}

/**
 * Runs each batch with its own mocha, `jobs` at a time, and up to `jobsWhenIdle` while processors idle, then failed files once more if they are few. The
 * first of the jobs runs the checks and then takes batches from the end of the list, where tests compute more than they wait; the others take them from its
 * start, so that no long batch starts last. Tests are compiled, if `compiled` is a folder, but for those that run again. Returns the same as `runMocha`.
 */
export async function runBatches(
  batches,
  { jobs = batches.length, jobsWhenIdle = jobs, checks = nothing, idle = idleProcessors, compiled = null, progress = null } = {},
) {
  const outputs = progress === null ? orderedOutputs() : { open: () => ({ print: progress.print, end() {} }) };
  const queue = [...batches];
  const runs = [];
  const run = async (batch) => {
    const output = outputs.open();
    const details = [];
    const result = await runTests(batch, progress === null ? output.print : (line) => details.push(line), { compiled, progress });
    runs.push({ ...result, details: result.failed === 0 ? [] : details });
    output.end();
  };
  await Promise.all([
    ...Array.from({ length: jobs }, async (_, job) => {
      if (job === 0) {
        const output = outputs.open();
        await checks(output.print);
        output.end();
      }
      while (queue.length > 0) await run(job === 0 && jobs > 1 ? queue.pop() : queue.shift());
    }),
    ...Array.from({ length: jobsWhenIdle - jobs }, async () => {
      while (queue.length > 0) {
        await idle(() => queue.length === 0);
        if (queue.length > 0) await run(queue.shift());
      }
    }),
  ]);
  const first = {
    ...sum(runs),
    failures: runs.flatMap(({ failures }) => failures),
    skips: runs.flatMap(({ skips }) => skips),
    doubtful: runs.flatMap(({ doubtful }) => doubtful),
    times: runs.flatMap(({ times }) => times),
  };
  progress?.end();
  for (const line of runs.flatMap(({ details }) => details)) print(line);
  const mayBeLoad = first.doubtful.length > 0 && first.doubtful.length <= againMax && runs.every(({ broke }) => !broke);
  return mayBeLoad ? runAgain(first) : first;
}

/**
 * Runs alone each file in which a test failed, and the files of a mocha that did not exit, so that a time limit is not missed because of other tests. The
 * second counts replace the first; first failures are still reported.
 */
async function runAgain(first) {
  const paths = first.doubtful.flatMap(({ files }) => files);
  print(`Running files again in which a test failed, or whose mocha did not exit: ${paths.join(', ')}`);
  const second = await runTests(paths, print);
  const inFiles = sum(first.doubtful);
  return {
    passed: first.passed - inFiles.passed + second.passed,
    failed: first.failed - inFiles.failed + second.failed,
    failures: [...first.failures.map((line) => line.replace(/^failed/, 'failed at first')), ...second.failures],
    skips: first.skips,
    times: first.times,
  };
}

const nothing = () => Promise.resolve();
const print = (line) => process.stdout.write(`${line}\n`);

function sum(counts) {
  return {
    passed: counts.reduce((all, { passed }) => all + passed, 0),
    failed: counts.reduce((all, { failed }) => all + failed, 0),
  };
}
