/** A system is kept while it is healthy and the rounds need its Redis. */
import type { Micropython } from '@perch/micropython-robot';
import type { Fault } from './faults/fault.js';
import { RoundQueue } from './queue.js';
import type { Random } from './random.js';
import { roundNotStarted, reportOf, type Report, type RoundReport } from './report.js';
import { runRound } from './round.js';
import { bagSize, planOf } from './schedule.js';
import { WarmSystem } from './warm-system.js';
import { Stalls } from './machine/stalls.js';
import { CpuSteal } from './machine/cpu-steal.js';

export interface RunOptions {
  seed: Random;
  faults: readonly Fault[];
  rounds: Iterable<number>;
  systems: number;
  mayContinue: () => boolean;
  /** On abort no round begins any more, and the running ones heal their faults at once. */
  stopping: AbortSignal;
  onRound: (round: RoundReport) => void;
  env: NodeJS.ProcessEnv;
  /** One robot of each round is the robot program in it. */
  micropython?: Micropython | null;
  log?: (line: string, place: string) => void;
}

const failedStartsMax = 3;

/** Ends everything it started, whatever happens. A system that does not start fails its round; repeated failures end the run, with its report. */
export async function runChaos(options: RunOptions): Promise<Report> {
  const { seed, faults, systems } = options;
  const startedAt = performance.now();
  const reports: RoundReport[] = [];
  const stalls = new Stalls();
  const cpuSteal = new CpuSteal();
  const queue = new RoundQueue(options.rounds, (round) => planOf(faults, seed, round), bagSize(faults));
  const broken = new AbortController();
  const stopping = AbortSignal.any([options.stopping, broken.signal]);
  const slots: Slot[] = Array.from({ length: systems }, () => ({ warmSystem: null, redis: null }));
  try {
    const ends = await Promise.allSettled(
      slots.map((slot) =>
        runSlot(slot, slots, { ...options, queue, stalls, cpuSteal, reports, stopping, broken }).catch((error: unknown) => {
          broken.abort();
          throw error;
        }),
      ),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    stalls.stop();
    cpuSteal.stop();
  }
  const kinds = faults.map(({ kind }) => kind);
  return reportOf({
    seed: seed.seed,
    kinds,
    rounds: reports.toSorted((a, b) => a.round - b.round),
    ms: performance.now() - startedAt,
    stolen: cpuSteal.share(),
  });
}

interface Slot {
  warmSystem: WarmSystem | null;
  redis: WarmSystem['system']['shape'] | null;
}

interface SlotOptions extends Omit<RunOptions, 'rounds' | 'systems'> {
  queue: RoundQueue;
  stalls: Stalls;
  cpuSteal: CpuSteal;
  reports: RoundReport[];
  broken: AbortController;
}

async function runSlot(slot: Slot, slots: readonly Slot[], { queue, stalls, cpuSteal, reports, broken, ...options }: SlotOptions): Promise<void> {
  const { seed, env, log, micropython = null, mayContinue, stopping, onRound } = options;
  const others = slots.filter((other) => other !== slot);
  const neighbours = (): WarmSystem['system'][] => others.flatMap(({ warmSystem }) => warmSystem?.system ?? []);
  let failedStarts = 0;
  try {
    while (mayContinue() && !stopping.aborted) {
      const plan = queue.next(
        slot.redis,
        others.flatMap(({ redis }) => redis ?? []),
      );
      if (plan === null) break;
      if (slot.redis !== plan.redis) await closeSystem(slot);
      slot.redis = plan.redis;
      let report: RoundReport;
      try {
        slot.warmSystem ??= await WarmSystem.open({ redis: plan.redis, seed, stalls, cpuSteal, neighbours, stopping, env, log });
        failedStarts = 0;
        if (stopping.aborted) break;
        const { system, store, crashes } = slot.warmSystem;
        const random = seed.fork(`round ${plan.round}`);
        report = await runRound({ system, store, crashes, plan, micropython, seed: seed.seed, random, stalls, cpuSteal, neighbours, stopping });
      } catch (error) {
        failedStarts += 1;
        report = roundNotStarted(plan, error instanceof Error ? error.message : String(error));
      }
      reports.push(report);
      onRound(report);
      // A problem that a round leaves behind would be found again in every following round.
      if (report.violations.length > 0 || report.failure !== null) await closeSystem(slot);
      if (failedStarts === failedStartsMax) broken.abort();
    }
  } finally {
    await closeSystem(slot);
    slot.redis = null;
  }
}

async function closeSystem(slot: Slot): Promise<void> {
  const { warmSystem } = slot;
  slot.warmSystem = null;
  await warmSystem?.close();
}
