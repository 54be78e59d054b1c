/** `npm run chaos`. Exit code 1 on any violation, 2 if a round could not be run, 130 if a signal ended the run; the report is written anyway. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireMicropython, type Micropython } from '@perch/micropython-robot';
import type { Fault } from './faults/fault.js';
import { faults as allFaults } from './faults/faults.js';
import { chaosArguments, helpText, type ChaosArguments } from './options.js';
import { Random } from './random.js';
import { exitCodeOf, interruptedCode, lineOf, summaryOf, type Report, type RoundReport } from './report.js';
import { runChaos } from './run.js';

const shownMax = 12;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // Child processes end with this process: Redis and the services notice when it is gone.
    if (stopping.signal.aborted) process.exit(interruptedCode);
    log(`${signal}: running rounds complete; a second signal ends at once`);
    stopping.abort();
  });
}

async function main(): Promise<number> {
  const kinds = allFaults.map(({ kind }) => kind);
  const args = chaosArguments(process.argv.slice(2), kinds);
  if (args.help) {
    process.stdout.write(helpText(kinds));
    return 0;
  }
  const { faults, leftOut } = await possible(args.only);
  const made = await run(args, faults, args.micropython ? await requireMicropython(process.env) : null);
  const report = { ...made, missing: [...made.missing, ...leftOut] };
  if (args.json !== null) writeFileSync(resolve(args.json), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(summaryOf(report));
  return exitCodeOf(report, stopping.signal.aborted);
}

/** Leaves out faults for which this machine lacks something. @throws an Error if such a fault was requested by name */
async function possible(only: ChaosArguments['only']): Promise<{ faults: Fault[]; leftOut: string[] }> {
  const wanted = only === null ? allFaults : allFaults.filter(({ kind }) => only.includes(kind));
  const faults: Fault[] = [];
  const leftOut: string[] = [];
  for (const fault of wanted) {
    const obstacle = (await fault.prepare?.(log)) ?? null;
    if (obstacle === null) faults.push(fault);
    else if (only !== null) throw new Error(`${fault.kind} is not possible on this machine: ${obstacle}`);
    else {
      log(`${fault.kind} is skipped: ${obstacle}`);
      leftOut.push(fault.kind);
    }
  }
  return { faults, leftOut };
}

function run(
  { seed: given, round, rounds, minutes, systems }: ChaosArguments,
  faults: readonly Fault[],
  robotProgram: Micropython | null,
): Promise<Report> {
  const seed = new Random(given ?? randomBytes(4).toString('hex'));
  log(`seed ${seed.seed}`);
  const until = performance.now() + minutes * 60_000;
  return runChaos({
    seed,
    faults,
    env: process.env,
    micropython: robotProgram,
    rounds: round === null ? upTo(rounds ?? Infinity) : [round],
    systems: round === null ? systems : 1,
    mayContinue: () => round !== null || rounds !== null || performance.now() < until,
    stopping: stopping.signal,
    onRound: printRound,
  });
}

function printRound(round: RoundReport): void {
  log(lineOf(round));
  for (const { guarantee, what, excerpt } of round.violations.slice(0, shownMax))
    log(`  ${guarantee}: ${what}\n${excerpt.map((line) => `      ${line}`).join('\n')}`);
}

function* upTo(rounds: number): Generator<number> {
  for (let round = 1; round <= rounds; round += 1) yield round;
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`chaos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
