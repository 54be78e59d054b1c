/**
 * `npm test`: sets the clone up, checks the code (types, lint, floors, dead code; each counts as one test), then runs every mocha test.
 * What fails while others run beside it is run once more alone, and that counts. What failed is told again at the end, in a line each. The last line is exactly `N passed, N failed`; the exit code is 0 when nothing failed and
 * at least one mocha test passed.
 * Arguments after `--` go to mocha (`npm test -- --grep hit-test packages/screen/test`); with any, the checks are left out.
 */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    const { runChecks } = await import('./checks.mjs');
    const { runMocha } = await import('./test-parts.mjs');
    const args = process.argv.slice(2);
    const total = { passed: 0, failed: 0, failures: [] };
    const add = ({ passed, failed, failures }) => {
      total.passed += passed;
      total.failed += failed;
      total.failures.push(...failures);
    };
    const failedStep = await setUp();
    if (failedStep !== null) add({ passed: 0, failed: 1, failures: [`failed: set-up: ${failedStep}`] });
    // What does not build may still tell by its tests where it is broken.
    if (failedStep !== 'install') {
      if (args.length === 0) add(await runChecks());
      add(await runMocha(args));
    }
    process.stdout.write([...total.failures, `${total.passed} passed, ${total.failed} failed`, ''].join('\n'));
    process.exitCode = total.failed === 0 ? 0 : 1;
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.stdout.write('0 passed, 1 failed\n');
    process.exitCode = 1;
  });
