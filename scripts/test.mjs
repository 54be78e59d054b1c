/**
 * `npm test`: sets the clone up, and runs the static checks (each counts as one test) and every mocha test but the long ones (docs/testing.md).
 * Downloads a Redis server for the tests if none is on PATH (packages/testkit/src/redis/provide-redis-server.ts).
 * A test that fails is a failure. A file that failed beside others runs again alone, only to print whether it fails then, too.
 * The output ends with one line per failure, one per known failure (known-failures.mjs) and their count `known: N`, one line on skipped tests with the
 * reasons, and the line `N passed, N failed`; the exit code is 0 if nothing failed and at least one mocha test passed.
 * `npm test -- --long` runs the long tests, `*.long.test.ts`, and nothing else. Where they are left out, a line before the last one counts them.
 * `npm test -- --node 24` runs everything with that version of Node.js, from npm's package `node`.
 * `npm test -- --verbose` prints the titles of all tests, in place of how far the run is.
 * `npm test -- --times` also prints how long each file took. Files that take more than 30 s, which is too long for a test file but for a long one, are always
 * printed.
 * `npm test -- --stress FILE…` runs each file five times beside two processes that compute all the time; each run counts.
 * Other arguments after `--` go to mocha (`npm test -- --grep menuScene packages/screen/test/menu.test.ts`); with any, the checks are left out.
 */
import process from 'process';
import './check-node.mjs';

import('./other-node.mjs')
  .then(async ({ nodeOption, runWithNode }) => {
    const { version, args } = nodeOption(process.argv.slice(2));
    if (version === null) await runTests(args);
    else process.exitCode = await runWithNode(version, process.argv[1], args);
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.stdout.write('0 passed, 1 failed\n');
    process.exitCode = 1;
  });

/** Longest duration of a test file that is not reported. */
const slowFileMs = 30_000;

async function runTests(given) {
  const args = given.filter((arg) => !['--times', '--long', '--stress', '--verbose'].includes(arg));
  const kind = given.includes('--long') ? 'long' : 'short';
  const { root, setUp } = await import('./set-up.mjs');
  const { runChecks } = await import('./checks.mjs');
  const { namesFiles, runMocha, sumOf } = await import('./test-batches.mjs');
  const { runStressed } = await import('./stress.mjs');
  const { isLong, testFiles } = await import('./batch-list.mjs');
  const runs = [];
  const failedStep = await setUp();
  if (failedStep !== null) runs.push({ failed: 1, failures: [`failed: set-up: ${failedStep}`] });
  // After a failed build, tests may still show where it is broken.
  if (failedStep !== 'install') {
    // Testkit must be built: without it the tests use the servers they find.
    if (failedStep === null) await provideRedis();
    const checks = async (print) => {
      if (args.length === 0 && kind === 'short') runs.push(await runChecks(print));
    };
    if (given.includes('--stress')) runs.push(...(await runStressed(args)));
    else runs.push(await runMocha(args, kind, { checks, verbose: given.includes('--verbose') }));
  }
  const total = sumOf(runs);
  const isSlow = ({ file, ms }) => ms > slowFileMs && !isLong(file);
  const leftOut = kind === 'long' || namesFiles(args) ? 0 : testFiles(root, 'long').length;
  process.stdout.write(
    [
      ...timeLines(total.times, isSlow, given.includes('--times')),
      ...total.failures,
      ...total.known,
      ...(total.known.length > 0 ? [`known: ${total.known.length}`] : []),
      ...(leftOut > 0 ? [`left out: ${leftOut} files of long tests (npm test -- --long runs them)`] : []),
      ...skipLine(total.skips),
      `${total.passed} passed, ${total.failed} failed`,
      '',
    ].join('\n'),
  );
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** Returns a line for each slow file, or for all files, the slowest first. */
function timeLines(times, isSlow, isAll) {
  const seconds = (ms) => (ms / 1000).toFixed(1);
  return times
    .filter((time) => isAll || isSlow(time))
    .toSorted((a, b) => b.ms - a.ms)
    .map((time) => `${isSlow(time) ? 'slow file' : 'file'}: ${time.file}, ${seconds(time.ms)} s, of which ${seconds(time.cpuMs)} s of a processor`);
}

/** `skipped: 45 tests (42: the reason; 3: another reason)`. @param skips list of {reason, count}; a reason may occur more than once */
function skipLine(skips) {
  const counts = new Map();
  for (const { reason, count } of skips) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const sum = [...counts.values()].reduce((all, count) => all + count, 0);
  if (sum === 0) return [];
  const reasons = [...counts].toSorted(([, a], [, b]) => b - a).map(([reason, count]) => `${count}: ${reason.replaceAll(/\s+/g, ' ')}`);
  return [`skipped: ${sum} ${sum === 1 ? 'test' : 'tests'} (${reasons.join('; ')})`];
}

/** Downloads a Redis server if needed. If that fails, the tests that need one are skipped with the reason. */
async function provideRedis() {
  const { provideRedisServer } = await import('../packages/testkit/dist/index.js');
  const why = await provideRedisServer(process.env, (line) => process.stderr.write(`perch: ${line}\n`));
  if (why !== null) process.env.PERCH_TEST_NO_REDIS = why;
}
