/** `npm run chaos`: sets the clone up, then runs the chaos test (tools/chaos). */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(2);
    await import('../tools/chaos/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(2);
  });
