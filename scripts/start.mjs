/** `npm start`: sets the clone up, then runs the launcher (packages/launcher), which reads the options. */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(1);
    await import('../packages/launcher/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(1);
  });
