/** `npm run --silent perch -- ...`: sets the clone up, then runs the command line (packages/cli) in the folder where npm was called. */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(1);
    process.chdir(process.env.INIT_CWD ?? '.');
    await import('../packages/cli/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(1);
  });
