/**
 * A worker: some of the accounts, their robots, programs and simulated people. Events are sent and received in one process, so that they can be
 * compared.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '@perch/bench';
import { Random } from '@perch/chaos';
import { Histogram } from '../histogram.js';
import { callKinds } from '../mix.js';
import { Arrivals } from '../schedule.js';
import { CallPlanner } from './calls.js';
import { EventReaders } from './event-readers.js';
import { EventTally } from './event-tally.js';
import { Gateways } from './gateways.js';
import { LoadRobot } from './load-robot.js';
import type { Sample, WorkerPlan, WorkerResult, WorkerStorm } from './plan.js';
import { Programs, type Account } from './programs.js';
import { Robots } from './robots.js';
import { WebhookReceiver } from './webhook-receiver.js';

const problemsMax = 20;
const callWithinMs = 60_000;

class LoadWorker {
  readonly #plan: WorkerPlan;
  readonly #problems: string[] = [];
  readonly #tally = new EventTally((what) => this.#problem(what));
  readonly #robots = new Robots();
  readonly #gateways: Gateways;
  readonly #held: Gateways;
  readonly #readers: EventReaders;
  readonly #programs: Programs;
  readonly #random: Random;
  readonly #late = new Histogram();
  readonly #recentLate = new Histogram();
  #receiver: WebhookReceiver | null = null;
  #started = 0;
  #errors = 0;

  constructor(plan: WorkerPlan) {
    this.#plan = plan;
    const { mix } = plan;
    const random = new Random(plan.seed);
    this.#random = random;
    this.#gateways = new Gateways(plan.bases, callWithinMs);
    this.#held = new Gateways(plan.bases, callWithinMs + mix.poll_seconds * 1000);
    this.#readers = new EventReaders({ held: this.#held, tally: this.#tally, pollSeconds: mix.poll_seconds });
    const accounts = plan.accounts.map(({ callKeys, robots }): Account => {
      const called = robots.map(({ id, token, reader }, i) => {
        this.#tally.robot(id, reader);
        const robot = new LoadRobot({
          id,
          token,
          links: plan.links,
          at: plan.firstLink + (plan.spreads ? this.#robots.all.length : 0),
          random,
          answerAfterMs: mix.answer_after_ms,
          lost: () => this.#robots.lost(),
          welcomed: (each) => this.#robots.welcomed(each),
          problem: (what) => this.#problem(what),
        });
        this.#robots.all.push(robot);
        return { robot, shows: i % 2 === 1, asking: false, calls: 0 };
      });
      return { callKeys, robots: called };
    });
    const planner = new CallPlanner(mix, random);
    const keyPrefix = `load-${plan.seed}-`;
    this.#programs = new Programs({ gateways: this.#gateways, accounts, planner, mix, random, keyPrefix, problem: (what) => this.#problem(what) });
  }

  async receive(): Promise<string | null> {
    const { webhookHost } = this.#plan;
    if (webhookHost === null) return null;
    this.#receiver = await WebhookReceiver.open(webhookHost, this.#tally);
    return this.#receiver.url;
  }

  async connect(withinMs: number): Promise<number> {
    await this.#robots.connect(withinMs);
    return this.#robots.connected;
  }

  async read(): Promise<void> {
    const { accounts } = this.#plan;
    const most = Math.max(0, ...accounts.map(({ robots }) => robots.length));
    // Accounts in turn, so that no key exceeds its rate of new readers.
    for (let i = 0; i < most; i++) {
      for (const { robots, readKeys } of accounts) {
        const { id, reader } = robots[i] ?? { id: '', reader: 'webhook' };
        const apiKey = readKeys[i % readKeys.length]!;
        if (reader === 'poll') this.#readers.poll(id, apiKey);
        else if (reader === 'stream') this.#readers.stream(id, apiKey);
      }
    }
    await this.#readers.opened();
  }

  /** Resolves when the load is over: every due call was started. */
  async run(): Promise<void> {
    const { ratePerS, durationMs, mix } = this.#plan;
    const calls = new Arrivals(ratePerS, this.#random.fork('calls'));
    const taps = new Arrivals((mix.taps_per_robot_minute * this.#robots.all.length) / 60, this.#random.fork('taps'));
    const startedAt = performance.now();
    for (;;) {
      const dueMs = Math.min(calls.dueMs, taps.dueMs);
      if (dueMs >= durationMs) break;
      const now = performance.now() - startedAt;
      if (dueMs > now) {
        await sleep(Math.max(1, dueMs - now));
        continue;
      }
      this.#late.record(now - dueMs);
      this.#recentLate.record(now - dueMs);
      if (calls.dueMs <= taps.dueMs) {
        this.#programs.call(startedAt + dueMs);
        calls.next();
      } else {
        this.#tap();
        taps.next();
      }
    }
    await sleep(Math.max(0, startedAt + durationMs - performance.now()));
  }

  sample(): Sample {
    const { started, errors, inFlight, recent } = this.#programs;
    const { sent, seen } = this.#tally.total;
    const sample: Sample = {
      connected: this.#robots.connected,
      started: started - this.#started,
      errors: errors - this.#errors,
      inFlight,
      calls: recent.text(),
      lateP99Ms: this.#recentLate.percentileMs(99),
      eventsP99Ms: this.#tally.recent.percentileMs(99),
      eventsSent: sent,
      eventsSeen: seen,
    };
    for (const histogram of [recent, this.#recentLate, this.#tally.recent]) histogram.clear();
    this.#started = started;
    this.#errors = errors;
    return sample;
  }

  stormBegins(): void {
    this.#robots.watchStorm();
    this.#programs.stormFrom = performance.now();
  }

  storm(): WorkerStorm {
    return this.#robots.storm;
  }

  stormEnds(): void {
    this.#programs.stormFrom = Infinity;
  }

  /** Waits until all calls are answered and all events received, or `withinMs`; then returns the result. */
  async finish(withinMs: number): Promise<WorkerResult> {
    const until = performance.now() + withinMs;
    const isSettled = (): boolean => this.#programs.inFlight === 0 && this.#tally.total.seen >= this.#tally.total.sent;
    while (!isSettled() && performance.now() < until) await sleep(50);
    return this.#result();
  }

  async stop(): Promise<void> {
    await this.#readers.stop();
    await this.#robots.stop();
    await Promise.all([this.#gateways.close(), this.#held.close(), this.#receiver?.close()]);
  }

  #result(): WorkerResult {
    const { codes, errors, away, refused, byKind, answers, others, asks, confirmed, commandsLost } = this.#programs;
    const { all, awayTimes, connected } = this.#robots;
    const sum = (of: (robot: LoadRobot) => number): number => all.reduce((total, robot) => total + of(robot), 0);
    return {
      connected,
      codes: codes.counts,
      errors,
      away,
      refused,
      calls: Object.fromEntries(callKinds.map((kind) => [kind, byKind[kind].text()])) as WorkerResult['calls'],
      late: this.#late.text(),
      answers: answers.text(),
      others: others.text(),
      awayTimes: awayTimes.text(),
      asks: asks.counts,
      readers: this.#tally.counts(),
      redelivered: this.#tally.redelivered,
      readerCodes: this.#readers.codes.counts,
      commands: {
        confirmed,
        done: sum(({ done }) => done),
        lost: commandsLost,
        doubled: sum(({ doubled }) => doubled),
      },
      problems: [...this.#problems, ...this.#tally.missing()],
    };
  }

  #tap(): void {
    const { all } = this.#robots;
    const first = this.#random.int(0, all.length - 1);
    for (let i = 0; i < all.length; i++) {
      const robot = all[(first + i) % all.length]!;
      if (!robot.isFree) continue;
      const { x, y } = this.#tally.sent(robot.id);
      return robot.tap(x, y);
    }
  }

  #problem(what: string): void {
    if (this.#problems.length < problemsMax) this.#problems.push(what);
  }
}

let worker: LoadWorker | null = null;

function mine(): LoadWorker {
  if (worker === null) throw new Error('prepare first');
  return worker;
}

serve({
  prepare: (plan: WorkerPlan) => {
    worker = new LoadWorker(plan);
    return worker.receive();
  },
  connect: (withinMs: number) => mine().connect(withinMs),
  read: () => mine().read(),
  run: () => mine().run(),
  sample: () => mine().sample(),
  stormBegins: () => mine().stormBegins(),
  storm: () => mine().storm(),
  stormEnds: () => mine().stormEnds(),
  finish: (withinMs: number) => mine().finish(withinMs),
  stop: () => mine().stop(),
});
