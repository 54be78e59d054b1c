/**
 * Passes a robot's raw inputs to gesture recognition, stores the results in Redis once, as an answer or as events, then acks them. An input is acked
 * once everything up to it is safe: inputs of an unfinished or unstored gesture are held back, so that the next instance gets all of it. While Redis
 * is unavailable, results are queued and retried in order.
 */
import { AsyncSignal } from '@perch/runtime';
import type { Input } from '@perch/schema';
import { StoreError, type AppendResult, type TakenLease } from '@perch/store';
import { Gestures, touchEvent, type GestureOutput } from '../input/gestures.js';
import type { ScreenTouch } from '../input/screen-touch.js';
import { noteFailure } from '../metrics/link-metrics.js';
import type { LinkContext } from './context.js';
import type { InputMark, Lease, Marks, EventBody } from './lease.js';
import type { RobotSocket } from './robot-socket.js';
import type { RobotState } from './state.js';
import type { WaitController } from './wait.js';

/** Maximum inputs with results that are queued for Redis; people cannot produce so many during an outage. */
const pendingMax = 256;
const retryMs = { first: 100, most: 2000 };
/** Pause after `busy` (too many events in this second), ms. */
const busyMs = 250;
/** Time without an input after which nothing is going on at the robot, ms; readings of its proximity sensor come at 10 Hz while they change. */
const quietMs = 2000;
/** Time that an input may take from the robot longer than the one before it, ms. */
const lateMs = 100;

const noMarks: Marks = {};

interface Result {
  touch: ScreenTouch | null;
  events: EventBody[];
  seq: number | null;
  marks: Marks;
  /** Highest input that may be acked once everything before this result is stored, but not this result. */
  ackBefore: number;
}

export class Inputs {
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #socket: RobotSocket;
  readonly #state: RobotState;
  readonly #waits: WaitController;
  /** Null before the first input of the session. */
  #gestures: Gestures | null = null;
  readonly #storedBefore: number;
  readonly #marks: { near: boolean | null; usb: boolean | null };
  #unsaved = noMarks;
  #fedSeq = 0;
  #fedAt = -Infinity;
  #acked: number;
  readonly #pending: Result[] = [];
  #working: Promise<void> | null = null;
  /** Null before the first retry. */
  #endSignal: AsyncSignal | null = null;
  #ended = false;
  /** Ends a touch of the head that no input continues. */
  #settling: NodeJS.Timeout | undefined;

  constructor(lease: Lease, context: LinkContext, socket: RobotSocket, state: RobotState, waits: WaitController, stored: TakenLease) {
    this.#lease = lease;
    this.#context = context;
    this.#socket = socket;
    this.#state = state;
    this.#waits = waits;
    this.#storedBefore = state.lastSeq = stored.inSeq;
    this.#acked = stored.safeSeq;
    this.#marks = { near: stored.near, usb: stored.usb };
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
    this.#state.lastSeq = Math.max(input.seq, this.#storedBefore);
    this.#fedAt = performance.now();
    const outputs = gestures.feed(
      input,
      input.kind === 'imu_burst' && this.#state.readings.headMovedWithin((input.samples.length / input.hz) * 1000),
    );
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
    if (this.#safe() > this.#acked) this.#context.inputAcks.later(this);
  }

  event(event: EventBody): void {
    this.#add({ touch: null, events: [event], seq: null, marks: noMarks, ackBefore: this.#ackable });
  }

  /** Acks all inputs that are safe, unless that was done before. */
  sendAck(): void {
    const seq = this.#safe();
    if (this.#ended || seq <= this.#acked) return;
    this.#acked = seq;
    this.#socket.sendJson({ t: 'in_ack', seq });
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
  #add(...units: Result[]): void {
    if (this.#ended || units.length === 0) return;
    for (const unit of units) {
      if (this.#pending.length >= pendingMax) {
        this.#context.metrics.inputsDropped.inc();
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
          this.#lease.lose();
          break;
        }
        if (result === 'busy') pauseMs = busyMs;
      } catch (error) {
        if (this.#ended) break;
        noteFailure(this.#context, 'input', error);
        if (error instanceof StoreError) pauseMs = Math.min(retryMs.most, retryMs.first * 2 ** attempts);
        else this.#context.metrics.inputsDropped.inc();
      }
      if (pauseMs > 0) {
        attempts += 1;
        this.#endSignal ??= new AsyncSignal();
        await this.#endSignal.wait(pauseMs);
        continue;
      }
      attempts = 0;
      this.#pending.shift();
      if (this.#safe() > this.#acked) this.#context.inputAcks.later(this);
    }
    this.#working = null;
  }

  /** @param again whether an earlier attempt may have stored the events @throws {StoreError} and is called again */
  async #append(events: readonly EventBody[], at: InputMark, marks: Marks, again: boolean): Promise<AppendResult> {
    if (again && at.seq === null && (await this.#isStored(events))) return { appended: false, why: 'old' };
    const appended = await this.#lease.append(events, at, marks);
    if (appended.appended) for (const { name } of events) this.#context.metrics.events.inc({ name });
    return appended;
  }

  /** For events without an input number: an earlier attempt, whose reply was lost, may have stored them. */
  async #isStored(events: readonly EventBody[]): Promise<boolean> {
    const page = await this.#context.store.events.read(this.#lease.robot, { limit: 20, newest: true });
    return page.events.some(({ name, at }) => name === events[0]?.name && Date.parse(at) >= this.#lease.openedAt);
  }

  async #store(unit: Result, again: boolean): Promise<'stored' | 'lost' | 'busy'> {
    let { seq } = unit;
    // The progress with this result stored. Never below what was acked, also by a session before this one.
    const safeSeq = Math.max(this.#acked, this.#pending[1]?.ackBefore ?? this.#ackable);
    if (unit.touch !== null) {
      const verdict = await this.#waits.answer(unit.touch, safeSeq);
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
    const appended = await this.#append(unit.events, { seq, safeSeq }, unit.marks, again);
    return appended.appended || appended.why === 'old' ? 'stored' : appended.why;
  }
}

function seqOf(output: GestureOutput): number {
  return output.kind === 'touch' ? output.upSeq : output.seq;
}

function finished(output: GestureOutput, ackBefore: number): Result {
  const seq = seqOf(output);
  if (output.kind === 'touch') return { touch: output, events: [], seq, marks: noMarks, ackBefore };
  return { touch: null, events: [{ name: output.name, data: output.data }], seq, marks: noMarks, ackBefore };
}
