/** `npm run compat [-- options]`: sets the clone up, then runs the bench of compatibility (test-e2e/compat). */
import { spawn } from 'node:child_process';
import process from 'node:process';
import './check-node.mjs';
import { root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(2);
const program = ['--import', 'tsx', '--conditions=source', 'test-e2e/compat/main.ts', ...process.argv.slice(2)];
const child = spawn(process.execPath, program, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('close', (code) => process.exit(code ?? 1));
