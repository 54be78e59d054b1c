/** `npm run robot`: sets the clone up, then runs a virtual robot (packages/launcher/src/robot-main.ts). */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(1);
    await import('../packages/launcher/dist/robot-main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(1);
  });
