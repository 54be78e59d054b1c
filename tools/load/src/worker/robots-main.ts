/** In a process of its own with a lower priority: without free cores, calls still start when they are due, and services run before the robots. */
import { getPriority, setPriority } from 'node:os';
import { serve } from '@perch/bench';
import { Random } from '@perch/chaos';
import { Arrivals } from '../schedule.js';
import { Lateness, runDue } from './due-starts.js';
import { LoadRobot } from './load-robot.js';
import type { ConfirmedCommand, RobotsNews, RobotsPlan, RobotsResult, RobotsSample, SentTap, WorkerStorm } from './plan.js';
import { Robots } from './robots.js';
import { sharedNow } from './shared-clock.js';
import { WheelClock } from './wheel-clock.js';

const problemsMax = 20;
/** Difference to the nice value of the programs. Values range from -20 (highest priority) to 19. */
const niceBy = 5;
const niceMost = 19;
/** A program can be answered that a robot is away this long before the robot notices it, ms. */
const noticedWithinMs = 1000;

class RobotsProcess {
  readonly #plan: RobotsPlan;
  readonly #robots = new Robots();
  readonly #byId: ReadonlyMap<string, LoadRobot>;
  readonly #random: Random;
  readonly #clock = new WheelClock();
  readonly #late = new Lateness();
  readonly #problems: string[] = [];
  #taps: SentTap[] = [];

  constructor(plan: RobotsPlan) {
    this.#plan = plan;
    this.#random = new Random(`${plan.seed}/robots`);
    for (const { id, token } of plan.robots) {
      const robot = new LoadRobot({
        id,
        token,
        links: plan.links,
        at: plan.firstLink + (plan.spreads ? this.#robots.all.length : 0),
        random: this.#random,
        clock: this.#clock,
        answerAfterMs: plan.mix.answer_after_ms,
        lost: () => this.#robots.lost(),
        welcomed: (each) => this.#robots.welcomed(each),
        problem: (what) => this.#problem(what),
      });
      this.#robots.all.push(robot);
    }
    this.#byId = new Map(this.#robots.all.map((robot) => [robot.id, robot]));
  }

  async connect(withinMs: number): Promise<number> {
    await this.#robots.connect(withinMs);
    return this.#robots.connected;
  }

  async run(): Promise<void> {
    const { mix, durationMs } = this.#plan;
    const taps = new Arrivals((mix.taps_per_robot_minute * this.#robots.all.length) / 60, this.#random.fork('taps'));
    await runDue(durationMs, taps, () => this.#tap(), this.#late);
  }

  /** Returns what was tapped since the last news, and which confirmed commands are missing. */
  news(confirmed: readonly ConfirmedCommand[]): RobotsNews {
    const taps = this.#taps;
    this.#taps = [];
    return { taps, until: sharedNow(), missing: confirmed.filter(({ robot, mark }) => !this.#byId.get(robot)!.marks.has(mark)) };
  }

  wasAway(robot: string, from: number, to: number): boolean {
    return this.#byId.get(robot)!.away.some((away) => away.from <= to + noticedWithinMs && away.to >= from);
  }

  lostSince(from: number): string[] {
    return this.#robots.all.filter(({ lostAt }) => lostAt >= from).map(({ id }) => id);
  }

  answeredAt(robot: string): number {
    return this.#byId.get(robot)!.answeredAt;
  }

  sample(): RobotsSample {
    return { connected: this.#robots.connected, late: this.#late.takeRecent() };
  }

  watchStorm(): void {
    this.#robots.watchStorm();
  }

  storm(): WorkerStorm {
    return this.#robots.storm;
  }

  result(): RobotsResult {
    const { all, awayTimes, connected } = this.#robots;
    const sum = (of: (robot: LoadRobot) => number): number => all.reduce((total, robot) => total + of(robot), 0);
    return {
      connected,
      late: this.#late.all.text(),
      awayTimes: awayTimes.text(),
      done: sum(({ done }) => done),
      doubled: sum(({ doubled }) => doubled),
      problems: this.#problems,
    };
  }

  async stop(): Promise<void> {
    await this.#robots.stop();
    this.#clock.stop();
  }

  #tap(): void {
    const { all } = this.#robots;
    const first = this.#random.int(0, all.length - 1);
    for (let i = 0; i < all.length; i++) {
      const robot = all[(first + i) % all.length]!;
      if (!robot.isFree) continue;
      const at = sharedNow();
      this.#taps.push({ robot: robot.id, n: robot.tap(), at });
      return;
    }
  }

  #problem(what: string): void {
    if (this.#problems.length < problemsMax) this.#problems.push(what);
  }
}

let robots: RobotsProcess | null = null;

function mine(): RobotsProcess {
  if (robots === null) throw new Error('prepare first');
  return robots;
}

serve({
  prepare: (plan: RobotsPlan) => {
    setPriority(Math.min(niceMost, getPriority() + niceBy));
    robots = new RobotsProcess(plan);
  },
  connect: (withinMs: number) => mine().connect(withinMs),
  run: () => mine().run(),
  news: (confirmed: readonly ConfirmedCommand[]) => mine().news(confirmed),
  wasAway: (robot: string, from: number, to: number) => mine().wasAway(robot, from, to),
  lostSince: (from: number) => mine().lostSince(from),
  answeredAt: (robot: string) => mine().answeredAt(robot),
  sample: () => mine().sample(),
  watchStorm: () => mine().watchStorm(),
  storm: () => mine().storm(),
  result: () => mine().result(),
  stop: () => mine().stop(),
});
