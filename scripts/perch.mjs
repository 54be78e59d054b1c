/** `npm run --silent perch -- ...`: sets the clone up, then runs the command line (packages/cli) in the folder where npm was called. */
import { existsSync } from 'fs';
import { join, resolve } from 'path';
import process from 'process';
import { fileURLToPath } from 'url';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ setUp }) => {
    if ((await setUp()) !== null) process.exit(1);
    useSignedProgram();
    process.chdir(process.env.INIT_CWD ?? '.');
    await import('../packages/cli/dist/main.js');
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(1);
  });

/** perch robot install writes what `npm start` of this clone has signed. */
function useSignedProgram() {
  const state = resolve(process.env.PERCH_STATE_DIR || fileURLToPath(new URL('../.perch', import.meta.url)));
  const file = join(state, 'robot-program.json');
  if (existsSync(file)) process.env.PERCH_ROBOT_PROGRAM ||= file;
}
