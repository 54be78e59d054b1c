/** The programs of some accounts. robots-main runs their robots and reports what they sent, to compare it with what programs received. */
import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, Worker } from '@perch/bench';
import { Random } from '@perch/chaos';
import { Histogram } from '../histogram.js';
import { callKinds } from '../mix.js';
import { Arrivals } from '../schedule.js';
import { CallPlanner } from './calls.js';
import { Lateness, runDue } from './due-starts.js';
import { EventReaders } from './event-readers.js';
import { EventTally } from './event-tally.js';
import { Gateways } from './gateways.js';
import { robotsProcess } from './node-options.js';
import type { PreparedWorker, RobotsNews, RobotsPlan, RobotsResult, RobotsSample, Sample, WorkerPlan, WorkerResult, WorkerStorm } from './plan.js';
import { Programs, type Account } from './programs.js';
import { WebhookReceiver } from './webhook-receiver.js';

const problemsMax = 20;
const callWithinMs = 60_000;
const newsEveryMs = 100;
/** Subtracted from the nice value of the services, where the system allows it, so that busy services do not delay the start of a call. */
const lessNice = 5;
const niceLeast = -20;

class LoadWorker {
  readonly #plan: WorkerPlan;
  readonly #robots = new Worker('robots-main', import.meta.url, robotsProcess);
  readonly #problems: string[] = [];
  readonly #tally = new EventTally((what) => this.#problem(what));
  readonly #gateways: Gateways;
  readonly #held: Gateways;
  readonly #readers: EventReaders;
  readonly #programs: Programs;
  readonly #random: Random;
  readonly #late = new Lateness();
  #receiver: WebhookReceiver | null = null;
  #started = 0;
  #errors = 0;
  #news: Promise<void> = Promise.resolve();
  #newsCount = 0;
  #isOver = false;

  constructor(plan: WorkerPlan) {
    this.#plan = plan;
    const { mix } = plan;
    const random = new Random(plan.seed);
    this.#random = random;
    this.#gateways = new Gateways(plan.bases, callWithinMs);
    this.#held = new Gateways(plan.bases, callWithinMs + mix.poll_seconds * 1000);
    this.#readers = new EventReaders({ held: this.#held, tally: this.#tally, pollSeconds: mix.poll_seconds });
    const accounts = plan.accounts.map(({ callKeys, robots }): Account => {
      for (const { id, reader } of robots) this.#tally.robot(id, reader);
      return { callKeys, robots: robots.map(({ id }, i) => ({ robot: id, shows: i % 2 === 1, asking: false, calls: 0 })) };
    });
    this.#programs = new Programs({
      gateways: this.#gateways,
      robots: {
        wasAway: (...about) => this.#robots.ask('wasAway', ...about),
        lostSince: (from) => this.#robots.ask('lostSince', from),
        answeredAt: (robot) => this.#robots.ask('answeredAt', robot),
      },
      accounts,
      planner: new CallPlanner(mix, random),
      mix,
      random,
      keyPrefix: `load-${plan.seed}-`,
      problem: (what) => this.#problem(what),
    });
  }

  async prepare(): Promise<PreparedWorker> {
    raisePriority();
    const { webhookHost, accounts, seed, links, firstLink, spreads, mix, durationMs } = this.#plan;
    const robots = accounts.flatMap((account) => account.robots.map(({ id, token }) => ({ id, token })));
    await this.#robots.ask('prepare', { seed, links, firstLink, spreads, mix, durationMs, robots } satisfies RobotsPlan);
    if (webhookHost !== null) this.#receiver = await WebhookReceiver.open(webhookHost, this.#tally);
    return { webhookUrl: this.#receiver?.url ?? null, robotsPid: this.#robots.pid };
  }

  connect(withinMs: number): Promise<number> {
    return this.#robots.ask('connect', withinMs);
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

  /** Resolves when the load is over: every due call and tap was started. */
  async run(): Promise<void> {
    const { ratePerS, durationMs } = this.#plan;
    const calls = new Arrivals(ratePerS, this.#random.fork('calls'));
    this.#news = this.#followRobots();
    this.#news.catch(() => undefined);
    await Promise.all([this.#robots.ask('run'), runDue(durationMs, calls, (dueAt) => this.#programs.call(dueAt), this.#late)]);
  }

  async sample(): Promise<Sample> {
    const { connected, late } = await this.#robots.ask<RobotsSample>('sample');
    const { started, errors, inFlight, recent } = this.#programs;
    const { sent, seen } = this.#tally.total;
    const sample: Sample = {
      connected,
      started: started - this.#started,
      errors: errors - this.#errors,
      inFlight,
      calls: recent.text(),
      lateP99Ms: Histogram.sum([this.#late.takeRecent(), late]).percentileMs(99),
      eventsP99Ms: this.#tally.recent.percentileMs(99),
      eventsSent: sent,
      eventsSeen: seen,
    };
    for (const histogram of [recent, this.#tally.recent]) histogram.clear();
    this.#started = started;
    this.#errors = errors;
    return sample;
  }

  stormBegins(): Promise<void> {
    this.#programs.stormBegins();
    return this.#robots.ask('watchStorm');
  }

  storm(): Promise<WorkerStorm> {
    return this.#robots.ask('storm');
  }

  stormEnds(): void {
    this.#programs.stormEnds();
  }

  /** Waits until all calls are answered and all events received, or `withinMs`; then returns the result. */
  async finish(withinMs: number): Promise<WorkerResult> {
    const until = performance.now() + withinMs;
    // All taps are known after the next news that is asked for from now on.
    const knownFrom = this.#newsCount + 2;
    const isSettled = (): boolean =>
      this.#newsCount >= knownFrom && this.#programs.inFlight === 0 && this.#tally.total.seen >= this.#tally.total.sent;
    while (!isSettled() && performance.now() < until) await sleep(50);
    this.#isOver = true;
    await this.#news;
    return this.#result();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#news.catch(() => undefined);
    await this.#readers.stop();
    await this.#robots.ask('stop');
    await Promise.all([this.#gateways.close(), this.#held.close(), this.#receiver?.close(), this.#robots.stop()]);
  }

  async #followRobots(): Promise<void> {
    let isLast: boolean;
    do {
      isLast = this.#isOver;
      const { taps, until, missing } = await this.#robots.ask<RobotsNews>('news', this.#programs.takeConfirmed());
      this.#tally.sent(taps, until);
      this.#programs.missing(missing);
      this.#newsCount += 1;
      if (!isLast) await sleep(newsEveryMs);
    } while (!isLast);
  }

  async #result(): Promise<WorkerResult> {
    const { codes, errors, away, refused, byKind, answers, asks, confirmed, commandsLost } = this.#programs;
    const others = await this.#programs.others();
    const robots = await this.#robots.ask<RobotsResult>('result');
    return {
      connected: robots.connected,
      codes: codes.counts,
      errors,
      away,
      refused,
      calls: Object.fromEntries(callKinds.map((kind) => [kind, byKind[kind].text()])) as WorkerResult['calls'],
      late: Histogram.sum([this.#late.all.text(), robots.late]).text(),
      answers: answers.text(),
      others: others.text(),
      awayTimes: robots.awayTimes,
      asks: asks.counts,
      readers: this.#tally.counts(),
      redelivered: this.#tally.redelivered,
      readerCodes: this.#readers.codes.counts,
      commands: { confirmed, done: robots.done, lost: commandsLost, doubled: robots.doubled },
      problems: [...this.#problems, ...robots.problems, ...this.#tally.missing()],
    };
  }

  #problem(what: string): void {
    if (this.#problems.length < problemsMax) this.#problems.push(what);
  }
}

function raisePriority(): void {
  try {
    setPriority(Math.max(niceLeast, getPriority() - lessNice));
  } catch {
    // Only privileged users may: calls then start as late as the report tells.
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
    return worker.prepare();
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
