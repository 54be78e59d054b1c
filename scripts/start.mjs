/** `npm start`: sets the clone up, then runs the launcher (packages/launcher), which reads the options. */
import { readFileSync, writeSync } from 'fs';
import process from 'process';
import './check-node.mjs';

// Before anything is installed or built.
if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
  // Synchronous, because process.exit does not wait for a pipe.
  writeSync(1, readFileSync(new URL('../packages/launcher/help.txt', import.meta.url)));
  process.exit(0);
}

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(1);
    await import('../packages/launcher/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(1);
  });
