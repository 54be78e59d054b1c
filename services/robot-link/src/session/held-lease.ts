/** Everything for the robot is written under its lease. Once Redis reports that another session holds it, this one ends and writes nothing more. */
import type { WaitOutcome, WaitRecord } from '@perch/schema';
import type { AppendResult, Playing, SavedState, Store } from '@perch/store';
import type { InputMark, Marks, NamedEvent } from '../input/input-queue.js';
import { noteFailure, type LinkContext } from './context.js';

/** Maximum difference between the clocks of Redis and this instance, with a margin, ms. */
const clockSkewMaxMs = 1000;

export interface LeaseHolder {
  readonly id: string;
  readonly robot: string;
  readonly bootId: string;
  /** Redis time, ms. */
  readonly openedAt: number;
  /** Called once, before `close`: gateways get not_here from then on. */
  leaseLost(): void;
  close(code: 4001 | 4009, reason: string): void;
}

export class HeldLease {
  readonly #holder: LeaseHolder;
  readonly #context: LinkContext;
  #isLost = false;

  constructor(holder: LeaseHolder, context: LinkContext) {
    this.#holder = holder;
    this.#context = context;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  append(events: readonly NamedEvent[], { seq, safeSeq }: InputMark, marks: Marks): Promise<AppendResult> {
    const { id, robot, bootId } = this.#holder;
    return this.#context.store.events.append(robot, { session: id, bootId, inSeq: seq, safeSeq, events, ...marks });
  }

  arm(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): ReturnType<Store['waits']['arm']> {
    return this.#context.store.waits.arm(this.#holder.robot, this.#holder.id, record, at);
  }

  settle(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): ReturnType<Store['waits']['settle']> {
    return this.#context.store.waits.settle(this.#holder.robot, number, outcome, this.#holder.id, input);
  }

  async save(saved: SavedState): Promise<void> {
    try {
      if (!(await this.#context.store.leases.save(this.#holder.robot, this.#holder.id, saved))) this.lose();
    } catch (error) {
      noteFailure(this.#context, 'save', error);
    }
  }

  async savePlaying(playing: Playing): Promise<void> {
    try {
      if (!(await this.#context.store.leases.savePlaying(this.#holder.robot, this.#holder.id, playing))) this.lose();
    } catch (error) {
      noteFailure(this.#context, 'playing', error);
    }
  }

  release(state: 'moving' | 'away', saved: SavedState): void {
    if (!this.#isLost) this.#context.registry.releaseLease(this.#holder.robot, this.#holder.id, state, saved);
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

  /** 4001 keeps a robot away for a minute: sent only if a newer session really holds it, since Redis may have been restored from an older copy. */
  async #close(): Promise<void> {
    const { id, robot, openedAt } = this.#holder;
    const lease = await this.#context.store.leases.find(robot).catch(() => null);
    if (lease?.state === 'held' && lease.session !== id && lease.since > openedAt - clockSkewMaxMs) this.#holder.close(4001, 'replaced');
    else this.#holder.close(4009, 'no longer held');
  }
}
