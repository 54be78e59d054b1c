/** `npm run lint`: runs the static checks of `npm test` in a clone that is set up. */
import process from 'node:process';
import { runChecks } from './checks.mjs';

const { passed, failed } = await runChecks((line) => process.stdout.write(`${line}\n`));
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
