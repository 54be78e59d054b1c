/** `npm run build`: sets the clone up. */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    process.exitCode = (await setUp()) === null ? 0 : 1;
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exitCode = 1;
  });
