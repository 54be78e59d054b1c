/** Runs the mocha tests of `npm test` in parallel parts, and failed files once more. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { orderedOutputs } from './ordered-output.mjs';
import { runTests } from './mocha.mjs';

/** Two parts of similar duration, each with its own Redis. Tests mostly wait, for processes or for time to pass. */
const allParts = [['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts'], ['test-e2e/**/*.test.ts']];
/** Maximum number of failed files that are run again: more failures are not caused by a busy machine. */
const againMax = 5;

/**
 * Runs the tests that `args` name, or all tests: in parallel parts if there is a processor for each and no Redis URL is given, which they would share.
 * After a run of all tests, or with PERCH_TEST_AGAIN=1, up to 5 failed files are run once more.
 * @returns {passed, failed, failures, skips}; a failure is a line `failed: …`, or `failed at first: …` of one that was run again; a skip is {reason, count}
 */
export function runMocha(args) {
  const isNamed = args.some((arg) => !arg.startsWith('-') && /test/.test(arg));
  const isWhole = args.length === 0 && availableParallelism() >= allParts.length && (process.env.PERCH_TEST_REDIS_URL ?? '') === '';
  if (isWhole) return runParts(allParts);
  const named = [...args, ...(isNamed ? [] : allParts.flat())];
  return process.env.PERCH_TEST_AGAIN === '1' ? runParts([named]) : runTests(named, print);
}

/** Runs each part with its own mocha, in parallel, then failed files once more if they are few. Returns the same as `runMocha`. */
export async function runParts(parts) {
  const outputs = orderedOutputs(parts.length);
  const runs = await Promise.all(
    parts.map(async (args, i) => {
      const run = await runTests(args, outputs[i].print);
      outputs[i].end();
      return run;
    }),
  );
  const first = {
    ...sum(runs),
    failures: runs.flatMap(({ failures }) => failures),
    skips: runs.flatMap(({ skips }) => skips),
    files: runs.flatMap(({ files }) => files),
  };
  const mayBeLoad = first.files.length > 0 && first.files.length <= againMax && runs.every(({ broke }) => !broke);
  return mayBeLoad ? runAgain(first) : first;
}

/** Runs failed files alone, so that a time limit is not missed because of other tests. The second counts replace the first; first failures are still reported. */
async function runAgain(first) {
  const paths = first.files.map(({ file }) => file);
  print(`Running failed files again: ${paths.join(', ')}`);
  const second = await runTests(paths, print);
  const inFiles = sum(first.files);
  return {
    passed: first.passed - inFiles.passed + second.passed,
    failed: first.failed - inFiles.failed + second.failed,
    failures: [...first.failures.map((line) => line.replace(/^failed/, 'failed at first')), ...second.failures],
    // Skips depend on the machine and are the same in both runs.
    skips: first.skips,
  };
}

const print = (line) => process.stdout.write(`${line}\n`);

function sum(counts) {
  return {
    passed: counts.reduce((all, { passed }) => all + passed, 0),
    failed: counts.reduce((all, { failed }) => all + failed, 0),
  };
}
