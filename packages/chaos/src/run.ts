/** A run: rounds one after the other, each on the system its Redis asks for, which stays while it is well. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { none } from './faults/none.js';
import type { Fault } from './faults/fault.js';
import type { Random } from './random.js';
import { reportOf, type Report, type RoundReport } from './report.js';
import { runRound } from './round.js';
import { bagSize, planOf } from './schedule.js';
import { Stalls } from './stalls.js';
import { startSystem, type RedisShape, type System } from './system/system.js';

export interface RunOptions {
  seed: Random;
  faults: readonly Fault[];
  /** Which rounds, in this order; the run ends with the last, or when `mayGoOn` says no. */
  rounds: Iterable<number>;
  /** Asked before each round. */
  mayGoOn: (done: number) => boolean;
  /** Told of each round once it is over. */
  onRound: (round: RoundReport) => void;
  /** What the services inherit. */
  env: NodeJS.ProcessEnv;
  /** Each line a service logs. */
  log?: (line: string, place: string) => void;
}

/** Ends everything it started, whatever happens. @throws when a system does not start */
export async function runChaos({ seed, faults, rounds, mayGoOn, onRound, env, log }: RunOptions): Promise<Report> {
  const startedAt = performance.now();
  const done: RoundReport[] = [];
  const stalls = new Stalls();
  let stage: Stage | null = null;
  try {
    for (const round of rounds) {
      if (!mayGoOn(done.length)) break;
      const plan = planOf(faults, seed, round);
      if (stage !== null && stage.system.shape !== plan.redis) {
        await stage.close();
        stage = null;
      }
      stage ??= await Stage.open(plan.redis, seed, stalls, { env, log });
      const { system, store, crashes } = stage;
      const report = await runRound({ system, store, crashes, plan, seed: seed.seed, random: seed.fork(`round ${round}`), stalls });
      done.push(report);
      onRound(report);
      // What a round left broken would be found again in every round after it.
      if (report.violations.length > 0 || report.failure !== null) {
        await stage.close();
        stage = null;
      }
    }
  } finally {
    stalls.stop();
    await stage?.close();
  }
  return reportOf(seed.seed, done, performance.now() - startedAt);
}

/** Whether every kind has come. */
export function hasSeenAll(faults: readonly Fault[], done: number): boolean {
  return done >= bagSize(faults);
}

/** A system that is warm, and a store on its Redis. */
class Stage {
  readonly system: System;
  readonly store: Store;
  readonly crashes: string[];

  private constructor(system: System, store: Store, crashes: string[]) {
    this.system = system;
    this.store = store;
    this.crashes = crashes;
  }

  static async open(
    redis: RedisShape,
    seed: Random,
    stalls: Stalls,
    { env, log }: Pick<RunOptions, 'env'> & { log: RunOptions['log'] },
  ): Promise<Stage> {
    const crashes: string[] = [];
    const system = await startSystem({
      redis,
      random: seed.fork('system'),
      env,
      dir: mkdtempSync(join(tmpdir(), 'perch-chaos-')),
      onCrash: (place, how) => crashes.push(`${place} ended with ${how}`),
      ...(log === undefined ? {} : { log }),
    });
    try {
      const store = await openStore({ url: system.redis.url, instance: 'chaos' });
      const stage = new Stage(system, store, crashes);
      await stage.#warmUp(seed, stalls);
      return stage;
    } catch (error) {
      await system.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.store.close().catch(() => undefined);
    await this.system.stop();
  }

  /** Connections, caches and subscriptions come to be with the first traffic; what is there then is what should be there later. */
  async #warmUp(seed: Random, stalls: Stalls): Promise<void> {
    const { system, store, crashes } = this;
    const plan = { round: 0, redis: system.shape, faults: [none] };
    const { failure } = await runRound({ system, store, crashes, plan, seed: seed.seed, random: seed.fork('warm-up'), stalls, notesBaseline: true });
    if (failure !== null) throw new Error(`no traffic before any fault: ${failure}`);
  }
}
