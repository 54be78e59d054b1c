/**
 * `npm test`: sets the clone up, checks the code (types, lint, floors, dead code; each counts as one test), then runs every mocha test.
 * Where there is no Redis server on PATH, it downloads one for the tests (packages/testkit/src/redis/provide-redis-server.ts).
 * A test file that fails while others run beside it is run again alone, and the second result counts.
 * The output ends with one line per failure, one line on what was skipped and why, and a last line that is exactly `N passed, N failed`; the exit code is 0
 * when nothing failed and at least one mocha test passed.
 * `npm test -- --node 24` runs everything with that version of Node.js, which npm's package `node` brings.
 * Other arguments after `--` go to mocha (`npm test -- --grep hit-test packages/screen/test`); with any, the checks are left out.
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

async function runTests(args) {
  const { setUp } = await import('./set-up.mjs');
  const { runChecks } = await import('./checks.mjs');
  const { runMocha } = await import('./test-parts.mjs');
  const { skipLine } = await import('./skip-line.mjs');
  const total = { passed: 0, failed: 0, failures: [], skips: [] };
  const add = ({ passed, failed, failures, skips = [] }) => {
    total.passed += passed;
    total.failed += failed;
    total.failures.push(...failures);
    total.skips.push(...skips);
  };
  const failedStep = await setUp();
  if (failedStep !== null) add({ passed: 0, failed: 1, failures: [`failed: set-up: ${failedStep}`] });
  // What does not build may still tell by its tests where it is broken.
  if (failedStep !== 'install') {
    if (args.length === 0) add(await runChecks());
    // Testkit is TypeScript: a clone that does not build has only the servers it finds.
    if (failedStep === null) await provideRedis();
    add(await runMocha(args));
  }
  process.stdout.write([...total.failures, ...skipLine(total.skips), `${total.passed} passed, ${total.failed} failed`, ''].join('\n'));
  process.exitCode = total.failed === 0 ? 0 : 1;
}

/** Passes the reason why there is no Redis server on to the tests, which are skipped for it. */
async function provideRedis() {
  const { provideRedisServer } = await import('../packages/testkit/dist/index.js');
  const why = await provideRedisServer(process.env, (line) => process.stderr.write(`perch: ${line}\n`));
  if (why !== null) process.env.PERCH_TEST_NO_REDIS = why;
}
