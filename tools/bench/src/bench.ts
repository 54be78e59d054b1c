/** Shared by all groups of rows: the load, the robots, the plan, and one way to run actions and check them. */
import { setTimeout as pause } from 'node:timers/promises';
import { requireRedisServer, type RedisServerBinary } from '@perch/local-redis';
import { Calibrator } from './calibrator.js';
import { Figures } from './figures.js';
import type { Acted, ActOptions, Targets } from './load/load.js';
import { cpuMsOf } from './operating-system.js';
import type { Plan } from './plan.js';
import { RoundMaker } from './rounds.js';
import { Perch, type PerchOptions } from './variants/perch.js';
import type { Variant } from './variants/variant.js';
import { Worker } from './worker.js';

export interface BenchOptions {
  plan: Plan;
  env: NodeJS.ProcessEnv;
  log: (line: string) => void;
  base?: string | null;
  picture?: (file: string, svg: string) => void;
}

export interface Run extends Acted {
  /** Processor time of all processes together, ms per action. */
  cpuMs: number;
  cpuMsByPid: Map<number, number>;
  perS: number;
}

export interface RunOptions extends Pick<ActOptions, 'calls' | 'inFlight'>, Partial<Omit<ActOptions, 'calls' | 'inFlight'>> {
  targets?: Targets;
  /** Commands that a robot gets for one call. Default 1. */
  commandsPerCall?: number;
  pids?: readonly number[];
}

/** Every picture of some rows is new: those of a run are more than an account may have. */
export const roomy = { PERCH_MEDIA_MB: '2048', PERCH_ACCOUNT_MEDIA_MB: '1024', PERCH_ACCOUNT_STORAGE_MB: '1000' };

const runWithinMs = 60_000;
const executedWithinMs = 3000;

export class Bench {
  readonly plan: Plan;
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly base: string | null;
  readonly picture: BenchOptions['picture'];
  readonly figures = new Figures();
  readonly redisBinary: RedisServerBinary;
  readonly load = new Worker('load/load-main');
  readonly robots = new Worker('robots/robots-main');
  readonly #shared = new Map<'plain' | 'proxied', Promise<Perch>>();
  #calibrator: Promise<Calibrator> | null = null;
  readonly #roundMaker: RoundMaker;
  readonly #warm = new WeakMap<Variant, Set<string>>();
  /** Wrong answers, and commands that robots executed too often or not at all. */
  wrong = 0;
  readonly failures: string[] = [];

  /** @throws if there is no redis-server */
  constructor({ plan, env, log, base = null, picture }: BenchOptions) {
    this.redisBinary = requireRedisServer(env);
    this.plan = plan;
    this.env = env;
    this.log = log;
    this.base = base;
    this.picture = picture;
    const { rounds: count, roundsMost: most, calibratorCalls } = plan;
    const calibrator = (): Promise<Calibrator> => (this.#calibrator ??= Calibrator.start(this.load, calibratorCalls));
    this.#roundMaker = new RoundMaker({ count, most, calibratorMs: async () => (await calibrator()).cpuMs() });
  }

  async close(): Promise<void> {
    await (await this.#calibrator?.catch(() => null))?.stop();
    for (const started of this.#shared.values()) await (await started.catch(() => null))?.stop();
    await Promise.all([this.load.stop(), this.robots.stop()]);
  }

  perchOptions(more: Partial<PerchOptions> = {}): PerchOptions {
    const { robots, redisBinary, env, plan } = this;
    return { robotsWorker: robots, redisBinary, env, robots: plan.robots, keys: plan.keys, ...more };
  }

  /** Used by groups of rows one after the other; started on first use, stopped with the bench. */
  shared(redis: 'plain' | 'proxied'): Promise<Perch> {
    let started = this.#shared.get(redis);
    if (started === undefined) {
      started = Perch.start(this.perchOptions({ redis, env: { ...this.env, ...roomy } }));
      this.#shared.set(redis, started);
    }
    return started;
  }

  async withPerch<T>(more: Partial<PerchOptions>, work: (perch: Perch) => Promise<T>): Promise<T> {
    const perch = await Perch.start(this.perchOptions(more));
    try {
      return await work(perch);
    } finally {
      await perch.stop();
    }
  }

  /** Verifies every answer, and that each robot executed what was asked, as often as it was asked. */
  async run(variant: Variant, options: RunOptions): Promise<Run> {
    return (await this.runTogether(variant, [options]))[0]!;
  }

  /** At the same time. The processor time is that of all, divided by the calls of each. @param all pids of the first */
  async runTogether(variant: Variant, all: readonly RunOptions[]): Promise<Run[]> {
    const pids = all[0]?.pids ?? variant.pids;
    const executedBefore = await variant.fleet.executed();
    const before = pids.map((pid) => cpuMsOf([pid]));
    const acted = await Promise.all(
      all.map(({ targets = variant.targets, commandsPerCall: _commands, pids: _pids, ...options }) =>
        this.load.ask<Acted>('act', targets, { withinMs: runWithinMs, ...options }),
      ),
    );
    const spent = pids.map((pid, i) => cpuMsOf([pid]) - before[i]!);
    const expected = executedBefore.perRobot.map((count, robot) =>
      acted.reduce((sum, { perRobot }, i) => sum + (perRobot[robot] ?? 0) * (all[i]!.commandsPerCall ?? 1), count),
    );
    await this.#verify(
      variant,
      acted,
      expected,
      all.every(({ commandsPerCall = 1 }) => commandsPerCall === 1),
    );
    return acted.map((each) => ({
      ...each,
      cpuMs: spent.reduce((sum, ms) => sum + ms, 0) / each.calls,
      cpuMsByPid: new Map(pids.map((pid, i) => [pid, spent[i]! / each.calls])),
      perS: (each.calls * 1000) / each.elapsedMs,
    }));
  }

  /**
   * Runs the rounds of the plan, each on a quiet machine. If the plan's bound does not give enough of these, the least disturbed are taken, and figures
   * that are set from then on in this group of rows decide about no goal.
   */
  async rounds<T>(what: string, round: (number: number) => Promise<T>): Promise<T[]> {
    const { results, good, made, disturbances } = await this.#roundMaker.make(async (number) => {
      const result = await round(number);
      this.log(`${what}, round ${number + 1}`);
      return result;
    });
    if (good < results.length) {
      this.figures.doubt = `${good} of ${made} rounds on a quiet machine`;
      this.log(`${what}: ${this.figures.doubt}: ${disturbances}`);
    }
    return results;
  }

  async warmUp(variant: Variant, more: Partial<Omit<RunOptions, 'inFlight'>> = {}): Promise<void> {
    const warm = this.#warm.get(variant) ?? new Set();
    this.#warm.set(variant, warm);
    const what = JSON.stringify(more);
    if (warm.has(what)) return;
    await this.run(variant, { calls: this.plan.warmUpCalls, inFlight: 16, ...more });
    warm.add(what);
  }

  /** @param expected executed by each robot @param atOnce no command may arrive after the answer, as the last one of several may */
  async #verify(variant: Variant, acted: readonly Acted[], expected: readonly number[], atOnce: boolean): Promise<void> {
    for (const { wrong, wrongOnes } of acted) if (wrong > 0) this.mark(wrong, `${variant.name}: wrong answers: ${wrongOnes.join(' | ')}`);
    const giveUpAt = performance.now() + executedWithinMs;
    for (;;) {
      const { perRobot, problems } = await variant.fleet.executed();
      const off = expected.reduce((sum, count, robot) => sum + Math.abs(count - perRobot[robot]!), 0);
      if (problems.length > 0) this.mark(problems.length, `${variant.name}: wrong commands: ${problems.join(' | ')}`);
      if (off === 0) return;
      if (atOnce || performance.now() > giveUpAt) return this.mark(off, `${variant.name}: ${off} commands too many or too few`);
      await pause(20);
    }
  }

  mark(wrong: number, what: string): void {
    this.wrong += wrong;
    this.log(what);
  }

  fail(what: string): void {
    this.failures.push(what);
    this.log(what);
  }
}
