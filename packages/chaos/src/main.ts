/** `npm run chaos`: rounds of traffic and faults, and what of the guarantees did not hold. Exit code 1 on any violation, 2 where it could not be run. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { faults as allFaults } from './faults/faults.js';
import { chaosArguments, helpText } from './options.js';
import { Random } from './random.js';
import { lineOf } from './report.js';
import { hasSeenAll, runChaos } from './run.js';

/** From here on, minutes, a run goes on until every fault has come. */
const wholeFromMinutes = 5;
const shownMax = 12;

async function main(): Promise<number> {
  const kinds = allFaults.map(({ kind }) => kind);
  const args = chaosArguments(process.argv.slice(2), kinds);
  if (args.help) {
    process.stdout.write(helpText(kinds));
    return 0;
  }
  const seed = new Random(args.seed ?? randomBytes(4).toString('hex'));
  const faults = args.only === null ? allFaults : allFaults.filter(({ kind }) => args.only?.includes(kind));
  const startedAt = performance.now();
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`seed ${seed.seed}`);
  const inTime = (done: number): boolean =>
    performance.now() - startedAt < args.minutes * 60_000 || (args.minutes >= wholeFromMinutes && !hasSeenAll(faults, done));
  const report = await runChaos({
    seed,
    faults,
    env: process.env,
    rounds: args.round === null ? upTo(args.rounds ?? Infinity) : [args.round],
    mayGoOn: (done) => args.round !== null || args.rounds !== null || inTime(done),
    onRound: (round) => {
      say(lineOf(round));
      for (const { guarantee, what, excerpt } of round.violations.slice(0, shownMax))
        say(`  ${guarantee}: ${what}\n${excerpt.map((line) => `      ${line}`).join('\n')}`);
    },
  });
  if (args.json !== null) writeFileSync(resolve(args.json), `${JSON.stringify(report, null, 2)}\n`);
  const { rounds, calls, commands, events, violations, failures } = report;
  process.stdout.write(
    `seed ${seed.seed}: ${rounds} rounds, ${Object.keys(report.faults).length} kinds of faults, ${calls} calls, ${commands} commands, ${events} events, ${violations.length} violations\n`,
  );
  for (const { round, guarantee, what } of violations) process.stdout.write(`  round ${round}: ${guarantee}: ${what}\n`);
  if (violations.length > 0) return 1;
  return failures.length > 0 ? 2 : 0;
}

function* upTo(rounds: number): Generator<number> {
  for (let round = 1; round <= rounds; round += 1) yield round;
}

// What was started ends with this process: Redis and the services notice.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`chaos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
