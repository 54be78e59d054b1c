/** `npm run bench`: sets the clone up, then becomes the bench (packages/bench). */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(2);
    await import('../../packages/bench/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(2);
  });
