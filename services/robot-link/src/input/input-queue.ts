/**
 * The raw input of one robot, in order: through the gestures, then into Redis as an answer or as events, once, then acked.
 * An input is acked when everything up to it is safe; the inputs of an unfinished or not yet stored gesture are held back,
 * so that the next instance sees the whole gesture. While Redis is away what is finished waits and is tried again in order.
 */
import type { EventName, Input } from '@perch/schema';
import { StoreError, type Appended } from '@perch/store';
import { Gestures, touchEvent, type GestureOutput } from './gestures.js';

/** Inputs with finished gestures that wait for Redis; people do not make so many while it is away. */
const pendingMax = 256;
const retryMs = { first: 100, most: 2000 };
/** After `busy` (too many events this second), ms. */
const busyMs = 250;
/** Without an input for so long nothing goes on at the robot, ms; readings of its proximity sensor come at 10 Hz while it matters. */
const quietMs = 2000;

export type Touch = Extract<GestureOutput, { kind: 'touch' }>;

export interface NamedEvent {
  name: EventName;
  data: Record<string, unknown>;
}

/** What lies beside the events; said only when it changed. */
export interface Marks {
  near?: boolean | null;
  usb?: boolean | null;
}

/** Where the robot's input stands once something is stored. */
export interface InputMark {
  /** The input that completed it; null where none did, or its mark is set already. */
  seq: number | null;
  /** Up to which input the robot may forget. */
  safeSeq: number;
}

export interface InputPort {
  /** Whether the robot's own movement shakes it now. */
  headMoving(): boolean;
  /** Offers a touch to the open wait; `settled`: it answered and is stored. @throws {StoreError} and is asked again */
  answer(touch: Touch, safeSeq: number): Promise<'settled' | 'event' | 'lost'>;
  /** @param again a call before this one may have stored them @throws {StoreError} and is asked again */
  append(events: readonly NamedEvent[], at: InputMark, marks: Marks, again: boolean): Promise<Appended>;
  /** There is something to ack: ask `takeAck` soon. */
  ackLater(): void;
  /** Another session holds the robot. */
  loseLease(): void;
  storeFailed(error: unknown): void;
  /** A finished gesture was given up. */
  inputDropped(): void;
}

/** What one input completed. */
interface Finished {
  touch: Touch | null;
  events: NamedEvent[];
  seq: number | null;
  marks: Marks;
  /** What may be acked once all before this is stored, and this is not. */
  ackBefore: number;
}

export class InputQueue {
  readonly #port: InputPort;
  readonly #gestures: Gestures;
  /** What was stored of this boot before this session. */
  readonly #storedBefore: number;
  readonly #marks: { near: boolean | null; usb: boolean | null };
  #unsaved: Marks = {};
  #fedSeq = 0;
  /** performance.now() of the last input. */
  #fedAt = -Infinity;
  #acked: number;
  readonly #pending: Finished[] = [];
  #working: Promise<void> | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(port: InputPort, stored: { inSeq: number; safeSeq: number; near: boolean | null; usb: boolean | null }) {
    this.#port = port;
    this.#storedBefore = stored.inSeq;
    this.#acked = stored.safeSeq;
    this.#marks = { near: stored.near, usb: stored.usb };
    this.#gestures = new Gestures({ near: stored.near, usb: stored.usb });
  }

  /** The highest input number seen of this boot, in this session or stored before it. */
  get lastSeq(): number {
    return Math.max(this.#fedSeq, this.#storedBefore);
  }

  /** Whether no gesture is in progress and nothing waits to be stored. */
  get isQuiet(): boolean {
    return this.#pending.length === 0 && this.#gestures.ackable >= this.#fedSeq && performance.now() - this.#fedAt >= quietMs;
  }

  /** Takes one input; a number that was fed before is passed over, one that was stored before feeds the gestures and yields nothing. */
  feed(input: Input): void {
    if (this.#ended || input.seq <= this.#fedSeq) return;
    const ackBefore = this.#gestures.ackable;
    this.#fedSeq = input.seq;
    this.#fedAt = performance.now();
    const outputs = this.#gestures.feed(input, this.#port.headMoving());
    this.#noteMarks();
    if (outputs.length > 0 && input.seq > this.#storedBefore) this.#add(finished(outputs, input.seq, ackBefore));
    if (this.#safe() > this.#acked) this.#port.ackLater();
  }

  /** An event that no input made. */
  event(event: NamedEvent): void {
    this.#add({ touch: null, events: [event], seq: null, marks: {}, ackBefore: this.#gestures.ackable });
  }

  /** The highest input number that is safe now, or null when it was taken before. */
  takeAck(): number | null {
    const safe = this.#safe();
    if (this.#ended || safe <= this.#acked) return null;
    this.#acked = safe;
    return safe;
  }

  /** Resolves when all that is finished is stored, or the queue has ended. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Nothing more is stored or acked; the robot keeps what was not acked. */
  end(): void {
    this.#ended = true;
    this.#pending.length = 0;
    if (this.#retryTimer) clearTimeout(this.#retryTimer);
    this.#wake?.();
  }

  #safe(): number {
    return this.#pending[0]?.ackBefore ?? this.#gestures.ackable;
  }

  #noteMarks(): void {
    const { near, usb } = this.#gestures.marks;
    if (near !== this.#marks.near) this.#unsaved.near = this.#marks.near = near;
    if (usb !== this.#marks.usb) this.#unsaved.usb = this.#marks.usb = usb;
  }

  #add(unit: Finished): void {
    if (this.#ended) return;
    if (this.#pending.length >= pendingMax) return this.#port.inputDropped();
    unit.marks = this.#unsaved;
    this.#unsaved = {};
    this.#pending.push(unit);
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
        await this.#pause(pauseMs);
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
    // With this unit out of the way; what was acked before stays so, also where this session was not fed it.
    const safeSeq = Math.max(this.#acked, this.#pending[1]?.ackBefore ?? this.#gestures.ackable);
    if (unit.touch !== null) {
      const verdict = await this.#port.answer(unit.touch, safeSeq);
      if (verdict === 'lost') return 'lost';
      if (verdict === 'event') unit.events.unshift(touchEvent(unit.touch));
      // The answer has advanced the mark to this input; what else it completed goes in beside it.
      else seq = unit.seq = null;
      unit.touch = null;
    }
    if (unit.events.length === 0) {
      this.#unsaved = { ...unit.marks, ...this.#unsaved };
      return 'stored';
    }
    const appended = await this.#port.append(unit.events, { seq, safeSeq }, unit.marks, again);
    return appended.appended || appended.why === 'old' ? 'stored' : appended.why;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#retryTimer = setTimeout(resolve, ms);
    });
  }
}

function finished(outputs: readonly GestureOutput[], seq: number, ackBefore: number): Finished {
  const unit: Finished = { touch: null, events: [], seq, marks: {}, ackBefore };
  for (const output of outputs) {
    if (output.kind === 'touch') unit.touch = output;
    else unit.events.push({ name: output.name, data: output.data });
  }
  return unit;
}
