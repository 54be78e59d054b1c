/** `npm run NAME`, for most names (package.json): sets the clone up, then runs a program of the clone: `node scripts/run.mjs PROGRAM [ARGUMENT...]`. */
import process from 'process';
import './check-node.mjs';

import('./set-up.mjs')
  .then(async ({ root, setUp }) => {
    if ((await setUp()) !== null) process.exit(2);
    const { spawn } = await import('child_process');
    const { join } = await import('path');
    const { pathToFileURL } = await import('url');
    const program = process.argv.splice(2, 1)[0];
    const file = join(root, program);
    if (program.endsWith('.js')) {
      process.argv[1] = file;
      await import(pathToFileURL(file).href);
      return;
    }
    const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', file, ...process.argv.slice(2)], {
      cwd: root,
      stdio: 'inherit',
    });
    // Ctrl-C in a terminal reaches the program, too.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.once('close', (code) => process.exit(code === null ? 1 : code));
  })
  .catch((error) => {
    process.stderr.write(`perch: ${error.stack}\n`);
    process.exit(2);
  });
