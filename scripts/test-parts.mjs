/** The mocha tests of `npm test`: which run beside each other, and what becomes of one that fails there. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { inTurn } from './in-turn.mjs';
import { runTests } from './mocha.mjs';

/** Two parts of the same length, each with a Redis of its own: a test mostly waits, for a process to start or for time to pass. */
const allParts = [['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*/test/**/*.test.ts'], ['test-e2e/**/*.test.ts']];
/** More failures than in so many files are no matter of chance. */
const againMax = 5;

/**
 * Runs all tests, in parts side by side if there is a processor for each and no Redis is given that they would share; or the tests that `args` name.
 * Of all tests, and with PERCH_TEST_AGAIN=1 of named ones, a few files that failed are run once more.
 * @returns {passed, failed, failures, skips}; a failure is a line `failed: …`, or `failed at first: …` of one that was run again; a skip is {reason, count}
 */
export function runMocha(args) {
  const isNamed = args.some((arg) => !arg.startsWith('-') && /test/.test(arg));
  const isWhole = args.length === 0 && availableParallelism() >= allParts.length && (process.env.PERCH_TEST_REDIS_URL ?? '') === '';
  if (isWhole) return runParts(allParts);
  const named = [...args, ...(isNamed ? [] : allParts.flat())];
  return process.env.PERCH_TEST_AGAIN === '1' ? runParts([named]) : runTests(named, say);
}

/** As `runMocha`: parts, each the arguments of a mocha of its own, side by side; then the files in which a test failed once more, if they are few. */
export async function runParts(parts) {
  const turns = inTurn(parts.length);
  const runs = await Promise.all(
    parts.map(async (args, i) => {
      const run = await runTests(args, turns[i].say);
      turns[i].end();
      return run;
    }),
  );
  const first = {
    ...sum(runs),
    failures: runs.flatMap(({ failures }) => failures),
    skips: runs.flatMap(({ skips }) => skips),
    files: runs.flatMap(({ files }) => files),
  };
  const isChance = first.files.length > 0 && first.files.length <= againMax && runs.every(({ broke }) => !broke);
  return isChance ? again(first) : first;
}

/** With nothing beside it, a file has time. These counts hold; what failed before is told all the same. */
async function again(first) {
  const paths = first.files.map(({ file }) => file);
  say(`Once more, with nothing beside: ${paths.join(', ')}`);
  const second = await runTests(paths, say);
  const inFiles = sum(first.files);
  return {
    passed: first.passed - inFiles.passed + second.passed,
    failed: first.failed - inFiles.failed + second.failed,
    failures: [...first.failures.map((line) => line.replace(/^failed/, 'failed at first')), ...second.failures],
    // Skips depend on the machine and are the same in both runs.
    skips: first.skips,
  };
}

const say = (line) => process.stdout.write(`${line}\n`);

function sum(counts) {
  return {
    passed: counts.reduce((all, { passed }) => all + passed, 0),
    failed: counts.reduce((all, { failed }) => all + failed, 0),
  };
}
