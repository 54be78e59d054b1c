/**
 * `npm run profile`: sets the clone up, then measures the web page in a slowed browser (test-e2e/programs/page-profile.ts), or with `--heap` the memory
 * of a robot's page over ten minutes (test-e2e/programs/page-heap.ts).
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { parseArgs } from 'node:util';
import './check-node.mjs';

const help = `npm run profile -- [options]

  --runs N       loads of each page that count; default: 3
  --only PAGES   comma-separated pages (robot, docs, …) and leds; also prints what moved
  --rate N       slow down the processor by N, whatever the machine's index; default: 4, and less on a machine slower than the reference
  --json FILE    write the figures as JSON
  --heap         measure instead the memory of a robot's page that is used all the time
  --minutes N    with --heap: for so long; default: 10
  --help         show this help

Goals, and what the figures mean: docs/performance.md
`;

const args = process.argv.slice(2);
let values;
try {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  ({ values } = parseArgs({ args, options: { runs: text, only: text, rate: text, json: text, heap: flag, minutes: text, help: flag } }));
  requireNumber('runs', 1, true);
  requireNumber('rate', 1, false);
  requireNumber('minutes', 0, false);
  const heapOnly = ['minutes'].filter((name) => !values.heap && values[name] !== undefined);
  const loadsOnly = ['runs', 'only', 'rate'].filter((name) => values.heap && values[name] !== undefined);
  if (heapOnly.length > 0) throw new Error(`--${heapOnly[0]} requires --heap`);
  if (loadsOnly.length > 0) throw new Error(`--${loadsOnly[0]} does not go with --heap`);
} catch (error) {
  process.stderr.write(`perch: ${error.message}\n\n${help}`);
  process.exit(2);
}
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const { root, setUp } = await import('./set-up.mjs');
if ((await setUp()) !== null) process.exit(1);
const source = `test-e2e/programs/${values.heap ? 'page-heap' : 'page-profile'}.ts`;
const program = ['--import', 'tsx', '--conditions=source', source, ...args];
process.exit(spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status ?? 1);

function requireNumber(name, least, isWhole) {
  const value = values[name];
  if (value === undefined) return;
  const number = Number(value);
  if (value.trim() === '' || !(number >= least) || (isWhole && !Number.isInteger(number)))
    throw new Error(`--${name} ${value}: must be ${isWhole ? 'a whole number' : 'a number'} from ${least}`);
}
