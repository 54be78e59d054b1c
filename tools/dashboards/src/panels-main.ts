/** Loads a small Perch briefly, and writes every panel's data from a real Prometheus for tools/panels. Arguments: FILE [SECONDS]. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyInCalm } from './empty-in-calm.js';
import { pages } from './pages.js';
import { emptyPanels, readPage } from './scrape/page-data.js';
import { usePerch } from './scrape/programs.js';
import { startSystem } from './scrape/system.js';

const [file, seconds = '120'] = process.argv.slice(2);
const rangeS = Number(seconds);
if (file === undefined || !(rangeS >= 30)) throw new Error('takes a file to write to, and the length of the load in seconds, at least 30');

const intervalS = 2;
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const system = await startSystem({ robots: 24, intervalS, env: process.env });
try {
  log(`load for ${rangeS} s`);
  const ending = new AbortController();
  const used = usePerch({ system, callsPerS: 20 }, ending.signal);
  await sleep(rangeS * 1000);
  const end = Math.floor(Date.now() / 1000);
  const setting = { rangeS, rateS: 20, variables: { robot: system.robots[0]!.id } };
  const data = [];
  for (const { name, dashboard } of pages) data.push({ name, ...(await readPage(system.prometheus, dashboard, setting, end, intervalS)) });
  ending.abort();
  await used;
  writeFileSync(file, JSON.stringify(data));
  for (const page of data) {
    for (const title of emptyPanels(page)) {
      const reason = emptyInCalm.find(({ page: name, panels }) => name === page.name && panels.includes(title))?.reason;
      log(`no data: ${page.name}: ${title}${reason === undefined ? '' : `: ${reason}`}`);
    }
  }
} finally {
  await system.stop();
}
process.exit(0);
