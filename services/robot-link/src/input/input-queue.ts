/**
 * Passes a robot's raw inputs to gesture recognition, stores the results in Redis once, as an answer or as events, then acks them. An input is acked
 * once everything up to it is safe: inputs of an unfinished or unstored gesture are held back, so that the next instance gets all of it. While Redis
 * is unavailable, results are queued and retried in order.
 */
import { AsyncSignal } from '@perch/runtime';
import type { EventName, Input } from '@perch/schema';
import { StoreError, type AppendResult } from '@perch/store';
import { Gestures, touchEvent, type GestureOutput } from './gestures.js';

/** Maximum inputs with results that are queued for Redis; people cannot produce so many during an outage. */
const pendingMax = 256;
const retryMs = { first: 100, most: 2000 };
/** Pause after `busy` (too many events in this second), ms. */
const busyMs = 250;
/** Time without an input after which nothing is going on at the robot, ms; readings of its proximity sensor come at 10 Hz while they change. */
const quietMs = 2000;
/** Time that an input may take from the robot longer than the one before it, ms. */
const lateMs = 100;

export type Touch = Extract<GestureOutput, { kind: 'touch' }>;

export interface NamedEvent {
  name: EventName;
  data: Record<string, unknown>;
}

export interface Marks {
  readonly near?: boolean | null;
  readonly usb?: boolean | null;
}

const noMarks: Marks = {};

export interface InputMark {
  /** The input that completed the result; null if no input did or if its number is already stored. */
  seq: number | null;
  safeSeq: number;
}

export interface InputPort {
  headMovedWithin(ms: number): boolean;
  /** Offers a touch to the open wait; `settled`: the touch answered it and is stored; `early`: it began too soon. @throws {StoreError} and is called again */
  answer(touch: Touch, safeSeq: number): Promise<'settled' | 'event' | 'early' | 'lost'>;
  /** Appends events. @param again whether an earlier call may have stored them @throws {StoreError} and is called again */
  append(events: readonly NamedEvent[], at: InputMark, marks: Marks, again: boolean): Promise<AppendResult>;
  ackLater(): void;
  loseLease(): void;
  storeFailed(error: unknown): void;
  inputDropped(): void;
}

interface Finished {
  touch: Touch | null;
  events: NamedEvent[];
  seq: number | null;
  marks: Marks;
  /** Highest input that may be acked once everything before this result is stored, but not this result. */
  ackBefore: number;
}

export class InputQueue {
  readonly #port: InputPort;
  /** Null before the first input of the session. */
  #gestures: Gestures | null = null;
  readonly #storedBefore: number;
  readonly #marks: { near: boolean | null; usb: boolean | null };
  #unsaved = noMarks;
  #fedSeq = 0;
  #fedAt = -Infinity;
  #acked: number;
  readonly #pending: Finished[] = [];
  #working: Promise<void> | null = null;
  /** Null before the first retry. */
  #endSignal: AsyncSignal | null = null;
  #ended = false;
  /** Ends a touch of the head that no input continues. */
  #settling: NodeJS.Timeout | undefined;

  constructor(port: InputPort, stored: { inSeq: number; safeSeq: number; near: boolean | null; usb: boolean | null }) {
    this.#port = port;
    this.#storedBefore = stored.inSeq;
    this.#acked = stored.safeSeq;
    this.#marks = { near: stored.near, usb: stored.usb };
  }

  get lastSeq(): number {
    return Math.max(this.#fedSeq, this.#storedBefore);
  }

  get isQuiet(): boolean {
    return this.#pending.length === 0 && this.#ackable >= this.#fedSeq && performance.now() - this.#fedAt >= quietMs;
  }

  /** Processes one input. Ignores numbers that were fed before; a number that was stored before is fed to the gestures but yields nothing. */
  feed(input: Input): void {
    if (this.#ended || input.seq <= this.#fedSeq) return;
    const gestures = (this.#gestures ??= new Gestures(this.#marks));
    const ackBefore = gestures.ackable;
    this.#fedSeq = input.seq;
    this.#fedAt = performance.now();
    const outputs = gestures.feed(input, input.kind === 'imu_burst' && this.#port.headMovedWithin((input.samples.length / input.hz) * 1000));
    this.#noteMarks(gestures);
    this.#take(outputs, ackBefore);
    clearTimeout(this.#settling);
    const { pendingMs } = gestures;
    if (pendingMs !== null) this.#settling = setTimeout(() => this.#settle(gestures), pendingMs + lateMs);
  }

  #settle(gestures: Gestures): void {
    const ackBefore = gestures.ackable;
    this.#take(gestures.settle(), ackBefore);
  }

  #take(outputs: readonly GestureOutput[], ackBefore: number): void {
    this.#add(...outputs.filter((output) => seqOf(output) > this.#storedBefore).map((output) => finished(output, ackBefore)));
    if (this.#safe() > this.#acked) this.#port.ackLater();
  }

  event(event: NamedEvent): void {
    this.#add({ touch: null, events: [event], seq: null, marks: noMarks, ackBefore: this.#ackable });
  }

  /** Returns the highest input number that is safe to ack, or null if it was returned before. */
  takeAck(): number | null {
    const safe = this.#safe();
    if (this.#ended || safe <= this.#acked) return null;
    this.#acked = safe;
    return safe;
  }

  async idle(): Promise<void> {
    await this.#working;
  }

  /** Stops storing and acking; the robot keeps the inputs that were not acked. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#settling);
    this.#pending.length = 0;
    this.#endSignal?.set();
  }

  get #ackable(): number {
    return this.#gestures?.ackable ?? 0;
  }

  #safe(): number {
    return this.#pending[0]?.ackBefore ?? this.#ackable;
  }

  #noteMarks(gestures: Gestures): void {
    const { near, usb } = gestures.marks;
    if (near !== this.#marks.near) this.#unsaved = { ...this.#unsaved, near };
    if (usb !== this.#marks.usb) this.#unsaved = { ...this.#unsaved, usb };
    this.#marks.near = near;
    this.#marks.usb = usb;
  }

  /** All results of an input at once: the progress stored with the first must leave out the others. */
  #add(...units: Finished[]): void {
    if (this.#ended || units.length === 0) return;
    for (const unit of units) {
      if (this.#pending.length >= pendingMax) {
        this.#port.inputDropped();
        continue;
      }
      unit.marks = this.#unsaved;
      this.#unsaved = noMarks;
      this.#pending.push(unit);
    }
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    let attempts = 0;
    for (let unit = this.#pending[0]; unit !== undefined; unit = this.#pending[0]) {
      let pauseMs = 0;
      try {
        const result = await this.#store(unit, attempts > 0);
        if (this.#ended) break;
        if (result === 'lost') {
          this.#port.loseLease();
          break;
        }
        if (result === 'busy') pauseMs = busyMs;
      } catch (error) {
        if (this.#ended) break;
        this.#port.storeFailed(error);
        if (error instanceof StoreError) pauseMs = Math.min(retryMs.most, retryMs.first * 2 ** attempts);
        else this.#port.inputDropped();
      }
      if (pauseMs > 0) {
        attempts += 1;
        this.#endSignal ??= new AsyncSignal();
        await this.#endSignal.wait(pauseMs);
        continue;
      }
      attempts = 0;
      this.#pending.shift();
      if (this.#safe() > this.#acked) this.#port.ackLater();
    }
    this.#working = null;
  }

  async #store(unit: Finished, again: boolean): Promise<'stored' | 'lost' | 'busy'> {
    let { seq } = unit;
    // The progress with this result stored. Never below what was acked, also by a session before this one.
    const safeSeq = Math.max(this.#acked, this.#pending[1]?.ackBefore ?? this.#ackable);
    if (unit.touch !== null) {
      const verdict = await this.#port.answer(unit.touch, safeSeq);
      if (verdict === 'lost') return 'lost';
      // The answer has stored the number of this input; its other results are stored without one.
      if (verdict === 'settled') seq = unit.seq = null;
      else unit.events.unshift(touchEvent(unit.touch, verdict === 'early'));
      unit.touch = null;
    }
    if (unit.events.length === 0) {
      this.#unsaved = { ...unit.marks, ...this.#unsaved };
      return 'stored';
    }
    const appended = await this.#port.append(unit.events, { seq, safeSeq }, unit.marks, again);
    return appended.appended || appended.why === 'old' ? 'stored' : appended.why;
  }
}

function seqOf(output: GestureOutput): number {
  return output.kind === 'touch' ? output.upSeq : output.seq;
}

function finished(output: GestureOutput, ackBefore: number): Finished {
  const seq = seqOf(output);
  if (output.kind === 'touch') return { touch: output, events: [], seq, marks: noMarks, ackBefore };
  return { touch: null, events: [{ name: output.name, data: output.data }], seq, marks: noMarks, ackBefore };
}
