/** `npm run bench`. Exit code 1 if an answer or a command was wrong, or a group of rows failed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchArguments, help } from './options.js';
import { plans } from './plan.js';
import { plotsOf } from './report/plot.js';
import type { Report } from './report/report.js';
import { tableOf } from './report/table.js';
import { runBench } from './run.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

async function main(): Promise<number> {
  const args = benchArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(help);
    return 0;
  }
  const startedAt = performance.now();
  const log = (line: string): void => void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);
  const folder = args.plots === null ? null : resolve(root, args.plots);
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const picture = folder === null ? undefined : (file: string, svg: string): void => writeFileSync(join(folder, file), svg);
  const report = await runBench(
    { plan: plans[args.plan], env: process.env, log, base: args.base === null ? null : resolve(args.base), ...(picture && { picture }) },
    args.only,
  );
  process.stdout.write(`${tableOf(report)}\n`);
  if (args.json !== null) writeReport(resolve(args.json), report);
  if (folder !== null) {
    for (const [file, svg] of plotsOf(report)) writeFileSync(join(folder, file), svg);
    writeFileSync(join(folder, 'table.txt'), `${tableOf(report)}\n`);
    writeReport(join(folder, 'report.json'), report);
  }
  return report.wrong === 0 && report.failures.length === 0 ? 0 : 1;
}

function writeReport(file: string, report: Report): void {
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
}

// Child processes end with this process: Redis and the services notice, the workers lose their IPC channel.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
