/** The programs that make calls: each call starts when it is due, whatever happened to earlier ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@perch/chaos';
import { Counter } from '../counter.js';
import { Histogram } from '../histogram.js';
import { callKinds, type CallKind, type Mix } from '../mix.js';
import type { CalledRobot, CallPlanner } from './calls.js';
import type { Answer, Gateways } from './gateways.js';
import type { ConfirmedCommand } from './plan.js';
import { sharedNow } from './shared-clock.js';

export interface Account {
  callKeys: readonly string[];
  robots: readonly CalledRobot[];
}

/** Questions to the process of the robots. Times are sharedNow(). */
export interface KnownRobots {
  wasAway(robot: string, from: number, to: number): Promise<boolean>;
  lostSince(from: number): Promise<readonly string[]>;
  answeredAt(robot: string): Promise<number>;
}

export interface ProgramsOptions {
  gateways: Gateways;
  robots: KnownRobots;
  accounts: readonly Account[];
  planner: CallPlanner;
  mix: Mix;
  random: Random;
  keyPrefix: string;
  problem: (what: string) => void;
}

/** Number of robots tried for a call before it becomes one that every robot accepts. */
const triesMax = 8;
/** A robot learns this long after the gateway that its connection was lost, at most, ms. */
const robotsNoticeMs = 1000;

export class Programs {
  readonly codes = new Counter();
  readonly asks = new Counter();
  readonly byKind = Object.fromEntries(callKinds.map((kind) => [kind, new Histogram()])) as Record<CallKind, Histogram>;
  readonly answers = new Histogram();
  readonly recent = new Histogram();
  started = 0;
  errors = 0;
  away = 0;
  refused = 0;
  confirmed = 0;
  commandsLost = 0;
  inFlight = 0;
  /** Confirmed commands whose execution has not been checked yet. */
  #unchecked: ConfirmedCommand[] = [];
  /** sharedNow() of the kill, and of its end; Infinity: no storm. */
  #storm = { from: Infinity, to: Infinity };
  #stormCalls: { robot: string; ms: number }[] = [];
  readonly #options: ProgramsOptions;
  #account = 0;
  #key = 0;

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  call(dueAt: number): void {
    const { accounts, planner } = this.#options;
    const account = accounts[this.#account++ % accounts.length]!;
    const wanted = planner.kind();
    const called = this.#robotFor(wanted, account);
    const kind = planner.fits(wanted, called) ? wanted : 'leds';
    this.started += 1;
    this.inFlight += 1;
    void this.#make(kind, account, called, dueAt).finally(() => (this.inFlight -= 1));
  }

  #robotFor(kind: CallKind, { robots }: Account): CalledRobot {
    const { random, planner } = this.#options;
    let called = random.pick(robots);
    for (let tries = 1; tries < triesMax && !planner.fits(kind, called); tries++) called = random.pick(robots);
    return called;
  }

  async #make(kind: CallKind, { callKeys }: Account, called: CalledRobot, dueAt: number): Promise<void> {
    const { gateways, planner, mix, random, keyPrefix } = this.#options;
    const { robot } = called;
    const { path, body, mark } = planner.plan(kind, called);
    const apiKey = callKeys[this.#key++ % callKeys.length]!;
    const keyed = body !== undefined && random.chance(mix.keyed_share);
    if (kind === 'ask') called.asking = true;
    const answer = await gateways.call({
      path: `/v1/robots/${robot}${path}`,
      apiKey,
      ...(body === undefined ? {} : { body }),
      ...(keyed ? { headers: { 'idempotency-key': `${keyPrefix}${this.#key}` } } : {}),
    });
    const endedAt = sharedNow();
    const ms = endedAt - dueAt;
    this.codes.add(answer.code);
    if (kind === 'ask') {
      await this.#asked(answer, robot, endedAt);
      called.asking = false;
    } else {
      this.recent.record(ms);
      if (dueAt >= this.#storm.from && dueAt < this.#storm.to) this.#stormCalls.push({ robot, ms });
    }
    this.byKind[kind].record(ms);
    if (answer.code !== 'ok') return this.#countFailure(answer, robot, dueAt, endedAt);
    if (mark === null) return;
    this.confirmed += 1;
    this.#unchecked.push({ robot, mark });
  }

  takeConfirmed(): ConfirmedCommand[] {
    const confirmed = this.#unchecked;
    this.#unchecked = [];
    return confirmed;
  }

  missing(commands: readonly ConfirmedCommand[]): void {
    this.commandsLost += commands.length;
    for (const { robot, mark } of commands) this.#options.problem(`${mark} was confirmed and ${robot} never received it`);
  }

  stormBegins(): void {
    this.#storm = { from: sharedNow(), to: Infinity };
  }

  stormEnds(): void {
    this.#storm.to = sharedNow();
  }

  async others(): Promise<Histogram> {
    const others = new Histogram();
    if (this.#stormCalls.length === 0) return others;
    const lost = new Set(await this.#options.robots.lostSince(this.#storm.from));
    for (const { robot, ms } of this.#stormCalls) if (!lost.has(robot)) others.record(ms);
    return others;
  }

  async #asked({ code, body }: Answer, robot: string, endedAt: number): Promise<void> {
    this.asks.add(code === 'ok' ? String(body['outcome']) : code);
    if (body['outcome'] === 'answered') this.answers.record(endedAt - (await this.#options.robots.answeredAt(robot)));
  }

  /** A call to a robot that had no connection is not a failure of the service. */
  async #countFailure({ code, status }: Answer, robot: string, dueAt: number, endedAt: number): Promise<void> {
    if (['robot_offline', 'no_ack', 'outcome_unknown'].includes(code)) {
      await sleep(robotsNoticeMs);
      if (await this.#options.robots.wasAway(robot, dueAt, endedAt)) {
        this.away += 1;
        return;
      }
    }
    if (status >= 500 || status === 429 || status === 0) this.errors += 1;
    else {
      this.refused += 1;
      this.#options.problem(`a call was refused as ${code}`);
    }
  }
}
