/** `npm run fuzz`. Exit code 1 if there are violations. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireMicropython } from '@perch/micropython-robot';
import { fuzzArguments, help } from './options.js';
import { runFuzz } from './run.js';
import { summaryOf } from './summary.js';

async function main(): Promise<number> {
  const args = fuzzArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(help);
    return 0;
  }
  const startedAt = performance.now();
  const log = (line: string): void => void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);
  log(`seed ${args.seed}`);
  const micropython = args.micropython ? await requireMicropython(process.env) : null;
  const report = await runFuzz({ ...args, micropython, slow: { held: args.held, rounds: 5, windowMs: 4000 }, env: process.env, log });
  process.stdout.write(`${summaryOf(report)}\n`);
  if (args.json !== null) writeFileSync(resolve(args.json), `${JSON.stringify(report, null, 2)}\n`);
  return report.violationCount === 0 ? 0 : 1;
}

// Child processes end with this process: Redis and the services notice when it is gone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`fuzz: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
