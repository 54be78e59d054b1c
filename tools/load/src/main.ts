/** `npm run load`: loads Perch with robots and programs, and reports. Exit codes: see `helpText`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { redisAccessTo } from '@perch/launcher';
import { openStore } from '@perch/store';
import { defaultMix, readMix, type Mix } from './mix.js';
import { helpText, loadArguments, type LoadArguments } from './options.js';
import { exitCodeOf } from './report/assemble.js';
import { htmlOf } from './report/html.js';
import { mergedReport, readReport } from './report/merge.js';
import { requireWritable } from './report/output-files.js';
import type { Report } from './report/report.js';
import { summaryOf } from './report/summary.js';
import { runLoad } from './run.js';
import { openFilesMax, openFilesProblem } from './system/open-files.js';
import { removeLeftovers } from './tenants.js';

const interrupted = new AbortController();

async function main(): Promise<number> {
  const args = loadArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(helpText);
    return 0;
  }
  if (args.removeLeftovers) return leftovers();
  requireWritable('--json', args.json);
  requireWritable('--html', args.html);
  const report =
    args.merge === null
      ? await loaded(args)
      : mergedReport(
          args.merge.map((file) => readReport(file, textOf('--merge', file))),
          args.thresholds,
        );
  process.stdout.write(summaryOf(report));
  if (args.json !== null) writeFileSync(resolve(args.json), `${JSON.stringify(report)}\n`);
  if (args.html !== null) writeFileSync(resolve(args.html), htmlOf(report));
  return exitCodeOf(report);
}

async function loaded(args: LoadArguments): Promise<Report> {
  const mix = mixOf(args.mix);
  if (args.base !== null && !process.env['PERCH_REDIS_URL'])
    throw new Error('--base: PERCH_REDIS_URL must be set to the Redis of the services, for accounts and keys');
  const problem = openFilesProblem(args, mix, openFilesMax());
  if (problem !== null) throw new Error(problem);
  const startedAt = performance.now();
  const log = (line: string): void => void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);
  return runLoad({ args, mix, env: process.env, log, signal: interrupted.signal });
}

function mixOf(file: string | null): Mix {
  if (file === null) return defaultMix;
  const text = textOf('--mix', file);
  try {
    return readMix(text);
  } catch (error) {
    throw new Error(`--mix ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function textOf(option: string, file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    throw new Error(`${option} ${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

async function leftovers(): Promise<number> {
  const url = process.env['PERCH_REDIS_URL'];
  if (!url) throw new Error('--remove-leftovers: PERCH_REDIS_URL must be set');
  const store = await openStore({ ...redisAccessTo(url, process.env), instance: 'load-leftovers' });
  try {
    process.stdout.write(`removed ${await removeLeftovers(store)} accounts\n`);
  } finally {
    await store.close();
  }
  return 0;
}

// The first signal ends the run and removes its accounts; a second one exits at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted.signal.aborted) process.exit(130);
    process.stderr.write('ending; accounts are removed\n');
    interrupted.abort(new Error(`ended by ${signal}`));
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`load: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(interrupted.signal.aborted ? 130 : 2);
  },
);
