/**
 * `npm run profile`: sets the clone up, then measures the web page in a slowed browser (test-e2e/programs/page-profile.ts), or with `--heap` the memory
 * of a robot's page over ten minutes (test-e2e/programs/page-heap.ts).
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import './check-node.mjs';
import { root, setUp } from './set-up.mjs';

if ((await setUp()) !== null) process.exit(1);
const args = process.argv.slice(2);
const source = `test-e2e/programs/${args.includes('--heap') ? 'page-heap' : 'page-profile'}.ts`;
const program = ['--import', 'tsx', '--conditions=source', source, ...args];
process.exit(spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1);
