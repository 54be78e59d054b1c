import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireMicropython } from '@perch/micropython-robot';
import { findHaproxy, newestRelease, releaseOf, releaseTree, thisTree, treeAt } from '@perch/testkit';
import { helpText, rollingArguments } from './options.js';
import { phasesOf } from './plan.js';
import { exitCodeOf, summaryOf } from './report.js';
import { runRolling } from './run.js';

async function main(): Promise<number> {
  const args = rollingArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(helpText);
    return 0;
  }
  if (findHaproxy() === null) throw new Error('HAProxy is not installed, and nothing was run; on Debian and Ubuntu: apt-get install haproxy');
  const startedAt = performance.now();
  const progress = (line: string): void =>
    void process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}\n`);
  const release = args.from === null ? newestRelease() : releaseOf(args.from);
  const lastRelease = async () => (args.lastRelease === null ? releaseTree(release, progress) : treeAt(resolve(args.lastRelease)));
  const seed = args.seed ?? randomBytes(4).toString('hex');
  progress(`seed ${seed}`);
  const run = await runRolling({
    phases: await phasesOf(args.plan, thisTree(), lastRelease),
    robots: args.robots,
    calls: args.calls,
    micropython: args.micropython ? await requireMicropython(process.env) : null,
    seed,
    env: process.env,
    progress,
    log: (line, instance) => args.verbose && progress(`${instance}: ${line}`),
    onPhase: ({ calls, failed, lost, doubled, away_p99_ms: away }) =>
      progress(`  ${calls} calls, ${failed} failed, ${lost} lost, ${doubled} doubled, away p99 ${away} ms`),
  });
  const report = { ...run, busy: args.busy };
  if (args.json !== null) writeFileSync(resolve(args.json), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(summaryOf(report));
  return exitCodeOf(report);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`rolling: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
