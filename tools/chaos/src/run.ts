/** A run: systems in parallel, rounds one after the other on each. A system is kept while it is healthy and the rounds need its Redis. */
import type { Fault } from './faults/fault.js';
import { RoundQueue } from './queue.js';
import type { Random } from './random.js';
import { notRun, reportOf, type Report, type RoundReport } from './report.js';
import { runRound } from './round.js';
import { bagSize, planOf } from './schedule.js';
import { Stage } from './stage.js';
import { Stalls } from './stalls.js';
import { StolenTime } from './stolen-time.js';

export interface RunOptions {
  seed: Random;
  faults: readonly Fault[];
  /** Numbers of the rounds; the run ends with the last one, or when `mayGoOn` returns false. */
  rounds: Iterable<number>;
  /** Number of systems; each runs one round at a time. */
  systems: number;
  /** Called before each round. */
  mayGoOn: () => boolean;
  /** On abort no round begins any more, and the running ones heal their faults at once and complete. */
  stopping: AbortSignal;
  /** Called when a round is over. */
  onRound: (round: RoundReport) => void;
  /** Environment that the services inherit. */
  env: NodeJS.ProcessEnv;
  /** Called for each line a service logs. */
  log?: (line: string, place: string) => void;
}

/** Number of systems in a row that may fail to start before the run ends. */
const failedStartsMax = 3;

/**
 * Runs all rounds and ends everything it started, whatever happens. A system that does not start fails its round; repeated failures end the run, with
 * its report.
 */
export async function runChaos(options: RunOptions): Promise<Report> {
  const { seed, faults, systems } = options;
  const startedAt = performance.now();
  const done: RoundReport[] = [];
  const stalls = new Stalls();
  const stolen = new StolenTime();
  const queue = new RoundQueue(options.rounds, (round) => planOf(faults, seed, round), bagSize(faults));
  const broken = new AbortController();
  const stopping = AbortSignal.any([options.stopping, broken.signal]);
  const lanes: Lane[] = Array.from({ length: systems }, () => ({ stage: null, redis: null }));
  try {
    const ends = await Promise.allSettled(
      lanes.map((lane) =>
        runLane(lane, lanes, { ...options, queue, stalls, stolen, done, stopping, broken }).catch((error: unknown) => {
          broken.abort();
          throw error;
        }),
      ),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    stalls.stop();
    stolen.stop();
  }
  const kinds = faults.map(({ kind }) => kind);
  return reportOf({
    seed: seed.seed,
    kinds,
    rounds: done.toSorted((a, b) => a.round - b.round),
    ms: performance.now() - startedAt,
    stolen: stolen.share(),
  });
}

interface Lane {
  stage: Stage | null;
  /** Redis of its system, set before that starts. */
  redis: Stage['system']['shape'] | null;
}

interface LaneOptions extends Omit<RunOptions, 'rounds' | 'systems'> {
  queue: RoundQueue;
  stalls: Stalls;
  stolen: StolenTime;
  done: RoundReport[];
  /** Aborting it ends the run. */
  broken: AbortController;
}

async function runLane(lane: Lane, lanes: readonly Lane[], { queue, stalls, stolen, done, broken, ...options }: LaneOptions): Promise<void> {
  const { seed, env, log, mayGoOn, stopping, onRound } = options;
  const others = lanes.filter((other) => other !== lane);
  const neighbours = (): Stage['system'][] => others.flatMap(({ stage }) => stage?.system ?? []);
  let failedStarts = 0;
  try {
    while (mayGoOn() && !stopping.aborted) {
      const plan = queue.next(
        lane.redis,
        others.flatMap(({ redis }) => redis ?? []),
      );
      if (plan === null) break;
      if (lane.redis !== plan.redis) await leave(lane);
      lane.redis = plan.redis;
      let report: RoundReport;
      try {
        lane.stage ??= await Stage.open({ redis: plan.redis, seed, stalls, stolen, neighbours, stopping, env, log });
        failedStarts = 0;
        if (stopping.aborted) break;
        const { system, store, crashes } = lane.stage;
        const random = seed.fork(`round ${plan.round}`);
        report = await runRound({ system, store, crashes, plan, seed: seed.seed, random, stalls, stolen, neighbours, stopping });
      } catch (error) {
        failedStarts += 1;
        report = notRun(plan, error instanceof Error ? error.message : String(error));
      }
      done.push(report);
      onRound(report);
      // A problem that a round leaves behind would be found again in every following round.
      if (report.violations.length > 0 || report.failure !== null) await leave(lane);
      if (failedStarts === failedStartsMax) broken.abort();
    }
  } finally {
    await leave(lane);
    lane.redis = null;
  }
}

async function leave(lane: Lane): Promise<void> {
  const { stage } = lane;
  lane.stage = null;
  await stage?.close();
}
