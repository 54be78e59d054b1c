/** `npm run profile`: sets the clone up, then measures the web page in a slowed browser (test-e2e/programs/page-profile.ts). */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './check-node.mjs';
import { root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(1);
const program = ['--import', 'tsx', '--conditions=source', 'test-e2e/programs/page-profile.ts', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1);
