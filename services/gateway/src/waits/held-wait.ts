import type { DetachedWait, WaitRecord } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { WaitPlan } from './wait-plan.js';
import type { WaitWatch } from './wait-watch.js';

export class HeldWait {
  readonly call: Call;
  readonly plan: WaitPlan;
  readonly record: WaitRecord;
  /** Aborts when the call is cancelled, its key stops working or this instance drains. */
  readonly signal: AbortSignal;
  readonly watch: WaitWatch;
  /** Stored beside the record once the wait outlives its call; null: it does not. */
  readonly kept: DetachedWait | null;
  /** Aborts when the wait is to outlive its call at once. */
  readonly givenUp: AbortSignal | null;
  armed = false;
  over = false;
  #armedAt: number | null = null;

  constructor(call: Call, plan: WaitPlan, record: WaitRecord, signal: AbortSignal, watch: WaitWatch, kept: DetachedWait | null) {
    this.call = call;
    this.plan = plan;
    this.record = record;
    this.signal = signal;
    this.watch = watch;
    this.kept = kept;
    this.givenUp = kept === null ? null : (call.pending?.givenUp ?? null);
  }

  /** Redis ms from which the picture has been on the screen; null: not known. */
  get armedAt(): number | null {
    return this.#armedAt;
  }

  noteArmed(at: number): void {
    if (this.#armedAt !== null) return;
    this.#armedAt = at;
    this.plan.shown?.(at);
  }
}
