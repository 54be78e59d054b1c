/** `npm run lint`: the checks of `npm test` alone, on a clone that is set up. */
import process from 'node:process';
import { runChecks } from './checks.mjs';

const { passed, failed } = await runChecks();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
