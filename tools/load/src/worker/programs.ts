/** The programs that make calls: each call starts when it is due, whatever happened to earlier ones. */
import type { Random } from '@perch/chaos';
import { Counter } from '../counter.js';
import { Histogram } from '../histogram.js';
import { callKinds, type CallKind, type Mix } from '../mix.js';
import type { CalledRobot, CallPlanner } from './calls.js';
import type { Answer, Gateways } from './gateways.js';

export interface Account {
  callKeys: readonly string[];
  robots: readonly CalledRobot[];
}

export interface ProgramsOptions {
  gateways: Gateways;
  accounts: readonly Account[];
  planner: CallPlanner;
  mix: Mix;
  random: Random;
  /** Prefix of this worker's Idempotency-Keys. */
  keyPrefix: string;
  problem: (what: string) => void;
}

/** Number of robots tried for a call before it becomes one that every robot accepts. */
const triesMax = 8;

export class Programs {
  readonly codes = new Counter();
  readonly asks = new Counter();
  readonly byKind = Object.fromEntries(callKinds.map((kind) => [kind, new Histogram()])) as Record<CallKind, Histogram>;
  readonly answers = new Histogram();
  readonly others = new Histogram();
  /** Simple calls since the last sample. */
  readonly recent = new Histogram();
  started = 0;
  errors = 0;
  away = 0;
  refused = 0;
  confirmed = 0;
  commandsLost = 0;
  inFlight = 0;
  /** performance.now() of the kill; Infinity: no storm. */
  stormFrom = Infinity;
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
    const isStorm = dueAt >= this.stormFrom;
    if (kind === 'ask') called.asking = true;
    const answer = await gateways.call({
      path: `/v1/robots/${robot.id}${path}`,
      apiKey,
      ...(body === undefined ? {} : { body }),
      ...(keyed ? { headers: { 'idempotency-key': `${keyPrefix}${this.#key}` } } : {}),
    });
    const ms = performance.now() - dueAt;
    this.codes.add(answer.code);
    if (kind === 'ask') {
      called.asking = false;
      this.#asked(answer, called);
    } else {
      this.recent.record(ms);
      if (isStorm && robot.lostAt < this.stormFrom) this.others.record(ms);
    }
    this.byKind[kind].record(ms);
    this.#countFailure(answer, called, dueAt);
    if (answer.code !== 'ok' || mark === null) return;
    this.confirmed += 1;
    if (robot.marks.has(mark)) return;
    this.commandsLost += 1;
    this.#options.problem(`${mark} was confirmed and ${robot.id} never received it`);
  }

  #asked({ code, body }: Answer, { robot }: CalledRobot): void {
    this.asks.add(code === 'ok' ? String(body['outcome']) : code);
    if (body['outcome'] === 'answered') this.answers.record(performance.now() - robot.answeredAt);
  }

  /** A call to a robot that this worker knows to be offline is not a failure of the service. */
  #countFailure({ code, status }: Answer, { robot }: CalledRobot, dueAt: number): void {
    if (code === 'ok') return;
    const wasAway = !robot.online || robot.lostAt >= dueAt;
    if (wasAway && ['robot_offline', 'no_ack', 'outcome_unknown'].includes(code)) this.away += 1;
    else if (status >= 500 || status === 429 || status === 0) this.errors += 1;
    else {
      this.refused += 1;
      this.#options.problem(`a call was refused as ${code}`);
    }
  }
}
