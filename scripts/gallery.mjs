/** `npm run gallery [-- FOLDER]`: sets the clone up, then draws the scenes of services/renderer/test/gallery into docs/gallery. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './check-node.mjs';
import { root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(1);
const program = ['--import', 'tsx', '--conditions=source', 'services/renderer/test/programs/gallery.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1);
