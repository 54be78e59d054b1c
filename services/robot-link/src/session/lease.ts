/** Everything for the robot is written under its lease. Once Redis reports that another session holds it, this one ends and writes nothing more. */
import type { Logger } from '@perch/runtime';
import type { EventName, WaitOutcome, WaitRecord } from '@perch/schema';
import { StoreError, type AppendResult, type Playing, type SavedState, type SettleResult, type Store } from '@perch/store';
import { noteFailure, type LinkMetrics } from '../metrics/link-metrics.js';

/** Maximum difference between the clocks of Redis and this instance, with a margin, ms. */
const clockSkewMaxMs = 1000;

export interface LeaseContext {
  readonly store: Store;
  readonly log: Logger;
  readonly metrics: LinkMetrics;
  readonly releases: LeaseReleases;
}

export interface LeaseHolder {
  /** Null once the session is over. */
  readonly saved: SavedState | null;
  /** Called once, before `close`: gateways get not_here from then on. */
  leaseLost(): void;
  close(code: 4001 | 4009, reason: string): void;
}

export interface EventBody {
  name: EventName;
  data: Record<string, unknown>;
}

export interface Marks {
  readonly near?: boolean | null;
  readonly usb?: boolean | null;
}

export interface InputMark {
  /** The input that completed the result; null if no input did or if its number is already stored. */
  seq: number | null;
  safeSeq: number;
}

/** The session that holds the robot, and the right to write for it. */
export class Lease {
  readonly session: string;
  readonly robot: string;
  readonly account: string;
  readonly bootId: string;
  /** Redis time, ms. */
  readonly openedAt: number;
  readonly #holder: LeaseHolder;
  readonly #context: LeaseContext;
  #isLost = false;

  constructor(of: { session: string; robot: string; account: string; bootId: string }, holder: LeaseHolder, context: LeaseContext) {
    this.session = of.session;
    this.robot = of.robot;
    this.account = of.account;
    this.bootId = of.bootId;
    this.#holder = holder;
    this.#context = context;
    this.openedAt = this.now();
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Redis time, ms. */
  now(): number {
    return this.#context.store.clock.now();
  }

  append(events: readonly EventBody[], { seq, safeSeq }: InputMark, marks: Marks): Promise<AppendResult> {
    const { session, bootId } = this;
    return this.#context.store.events.append(this.robot, { session, bootId, inSeq: seq, safeSeq, events, ...marks });
  }

  arm(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): ReturnType<Store['waits']['arm']> {
    return this.#context.store.waits.arm(this.robot, this.session, record, at);
  }

  settle(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult> {
    return this.#context.store.waits.settle(this.robot, number, outcome, this.session, input);
  }

  /** Saves the state of the robot in Redis, without waiting for it. */
  save(): void {
    const { saved } = this.#holder;
    if (saved !== null) void this.#write('save', this.#context.store.leases.save(this.robot, this.session, saved));
  }

  savePlaying(playing: Playing): void {
    void this.#write('playing', this.#context.store.leases.savePlaying(this.robot, this.session, playing));
  }

  release(state: 'moving' | 'away', saved: SavedState): void {
    if (!this.#isLost) this.#context.releases.send(this.robot, this.session, state, saved);
  }

  markLost(): void {
    this.#isLost = true;
  }

  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#holder.leaseLost();
    void this.#close();
  }

  async #write(task: 'save' | 'playing', written: Promise<boolean>): Promise<void> {
    try {
      if (!(await written)) this.lose();
    } catch (error) {
      noteFailure(this.#context, task, error);
    }
  }

  /** 4001 keeps a robot away for a minute: sent only if a newer session really holds it, since Redis may have been restored from an older copy. */
  async #close(): Promise<void> {
    const lease = await this.#context.store.leases.find(this.robot).catch(() => null);
    if (lease?.state === 'held' && lease.session !== this.session && lease.since > this.openedAt - clockSkewMaxMs)
      this.#holder.close(4001, 'replaced');
    else this.#holder.close(4009, 'no longer held');
  }
}

const pendingMax = 50_000;
const giveUpMs = 10 * 60_000;

interface LeaseRelease {
  robot: string;
  session: string;
  state: 'moving' | 'away';
  saved: SavedState | null;
  since: number;
}

/** Retries a release every second: otherwise the robot would count as connected until the instance ends. */
export class LeaseReleases {
  readonly #context: Omit<LeaseContext, 'releases'>;
  readonly #pending = new Map<string, LeaseRelease>();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(context: Omit<LeaseContext, 'releases'>) {
    this.#context = context;
  }

  get size(): number {
    return this.#inFlight.size + this.#pending.size;
  }

  send(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void {
    this.#start({ robot, session, state, saved, since: performance.now() });
  }

  retry(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const release of pending) if (performance.now() - release.since < giveUpMs) this.#start(release);
  }

  async done(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #start(release: LeaseRelease): void {
    const sending: Promise<void> = this.#release(release).finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #release(release: LeaseRelease): Promise<void> {
    const { robot, session, state, saved } = release;
    try {
      // The script ignores the release if another session has taken the lease meanwhile.
      await this.#context.store.leases.release(robot, session, state, saved ?? undefined);
    } catch (error) {
      noteFailure(this.#context, 'release', error);
      if (error instanceof StoreError && this.#pending.size < pendingMax) this.#pending.set(session, release);
    }
  }
}
