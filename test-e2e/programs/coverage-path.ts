/**
 * `npm run coverage:path -- leds|ask|tap` prints the source files that one warm call runs through; `-- --write` writes those of `leds` and `ask` into
 * ARCHITECTURE.md.
 */
import { type CallName, filesOfCall, measuredTable, writeTable } from '../fixture/system/call-files.js';

const [name = '', ...rest] = process.argv.slice(2);
if (rest.length > 0 || !['leds', 'ask', 'tap', '--write'].includes(name)) {
  process.stderr.write('npm run coverage:path -- leds|ask|tap|--write\n');
  process.exit(2);
}
if (name === '--write') writeTable(await measuredTable());
else for (const file of await filesOfCall(name as CallName)) process.stdout.write(`${file}\n`);
