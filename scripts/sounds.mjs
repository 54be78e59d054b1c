/** `npm run sounds [-- FOLDER]`: sets the clone up, then writes the chimes as WAV and pictures into docs/sounds (test-e2e/programs/sounds). */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './check-node.mjs';
import { root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(1);
const program = ['--import', 'tsx', '--conditions=source', 'test-e2e/programs/sounds/sound-pictures.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1);
