/**
 * The open ask, menu or clickmap of one robot: shown, armed, answered or timed out, and taken away, by its number.
 * Only the highest number counts: what comes late for a lower one is dropped. While an outcome is on its way to Redis the robot's other
 * commands are held, so that the removal of a question is written before anything its outcome brings about.
 */
import type { Span } from '@perch/runtime';
import type { Armed, ErrorCode, Showing, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import { armWithinMs, StoreError, type Settled } from '@perch/store';
import type { Command, CommandOutcome, CommandQueue } from '../commands/command-queue.js';
import { CommandSpan } from '../commands/command-span.js';
import type { Touch } from '../input/input-queue.js';
import { isQuestion, pictureId, showCommand } from './wait-commands.js';
import { match } from './wait-matcher.js';

/** How long the removal of a question may take, ms; then its `show_ms` takes it away. */
const removeWithinMs = 30_000;
const retryMs = 250;

export interface WaitPort {
  readonly bootId: string;
  readonly commands: CommandQueue;
  /** Redis time, ms. */
  now(): number;
  /** Highest input number seen. */
  lastSeq(): number;
  /** What the robot's clock showed at the latest when it sent what came last, counted on to now; null when it has not told in this session. */
  robotMs(): number | null;
  /** @throws {StoreError} */
  armWait(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): Promise<Armed | 'lost' | null>;
  /** @throws {StoreError} */
  settleWait(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<Settled>;
  /** @throws {StoreError} */
  readWait(number: number): Promise<WaitState | null>;
  /** The wait's picture is gone from Redis: whoever opened it draws it again. */
  waitMediaMissing(record: WaitRecord, hash: string): void;
  /** This session ended the wait. */
  waitSettled(record: WaitRecord, outcome: WaitOutcome): void;
  /** Continues the trace of a wait; null if it is not traced. */
  traceWait(record: WaitRecord): Span | null;
  /** Another session holds the robot. */
  loseLease(): void;
  storeFailed(error: unknown): void;
}

interface Wait {
  record: WaitRecord;
  armed: Armed | null;
  /** While Redis is told that it counts from now on. */
  arming: Promise<void> | null;
  /** The command whose ack arms it, its picture's mostly, until that is done. */
  show: Command | null;
  /** Whether the robot's commands are held for it: its outcome is on its way to Redis, or may have got there. */
  held: boolean;
  /** To the deadline. */
  timer: NodeJS.Timeout | null;
  /** From the moment it came until this session is done with it, if it is traced. */
  span: Span | null;
}

export class WaitKeeper {
  readonly #port: WaitPort;
  #current: Wait | null = null;
  /** Nothing at or below this number is shown any more. */
  #floor = 0;
  /** The picture that was written last to the question layer and not taken away since. */
  #question: string | null = null;
  /** A wait whose picture was gone when it was to be drawn again: it keeps its deadline when it comes back. */
  #undrawn: { number: number; armed: Armed } | null = null;
  #ended = false;

  constructor(port: WaitPort) {
    this.#port = port;
  }

  /** Whether a wait is open. */
  get busy(): boolean {
    return this.#current !== null;
  }

  /** A wait was opened: shows and arms it. Late or repeated ones are dropped. @param arrivedAt of its call, Redis ms, where it is known */
  open(record: WaitRecord, arrivedAt?: number): void {
    if (this.#ended || record.number <= this.#floor) return;
    this.#floor = record.number;
    const armed = this.#undrawn?.number === record.number ? this.#undrawn.armed : null;
    this.#undrawn = null;
    // A question on the screen is covered by the next one.
    if (this.#current !== null) this.#drop(this.#current, { keepQuestion: isQuestion(record) });
    if (!isQuestion(record)) this.#removeQuestion();
    this.#begin(record, armed, arrivedAt);
  }

  /** A wait ended elsewhere: its question goes. A clickmap leaves the screen as it is. */
  close(number: number): void {
    if (this.#ended) return;
    if (number > this.#floor) this.#floor = number;
    if (this.#current !== null && this.#current.record.number <= number) this.#drop(this.#current);
    else if (this.#question === `w${number}`) this.#removeQuestion();
  }

  /** Whether the wait ended elsewhere and the word of it was lost. */
  async lookAgain(): Promise<void> {
    const wait = this.#current;
    if (wait === null) return;
    try {
      const state = await this.#port.readWait(wait.record.number);
      if (this.#current === wait && (state === null || state.outcome !== null)) this.#drop(wait);
    } catch (error) {
      this.#port.storeFailed(error);
    }
  }

  /**
   * Goes on where another session stopped: the open wait against what the robot says it shows.
   * Armed in the same boot and shown: goes on. Else it is drawn again with the time left; a question without its wait is taken away.
   */
  takeOver(state: WaitState | null, showing: Pick<Showing, 'card' | 'question'>): void {
    this.#question = showing.question;
    if (state === null) return this.#removeQuestion();
    const { record, armed } = state;
    this.#floor = record.number;
    if (!isQuestion(record)) this.#removeQuestion();
    if (armed !== null && this.#mayGoOn(record, armed)) {
      this.#current = newWait(record, armed, this.#port.traceWait(record));
      this.#watchDeadline(this.#current, armed);
    } else {
      this.#begin(record, armed);
    }
  }

  /**
   * Offers a finished touch to the wait. `settled`: it answered, its input is stored, the question is on its way out.
   * A touch that came second to another outcome is an event.
   * @throws {StoreError} when Redis does not answer; ask again with the same touch
   */
  async answer(touch: Touch, safeSeq: number): Promise<'settled' | 'event' | 'lost'> {
    await this.#current?.arming;
    const wait = this.#current;
    if (wait === null || wait.armed === null) return 'event';
    const { bootId } = this.#port;
    const hit = match(wait.record, wait.armed, touch, bootId);
    if (hit === null) return 'event';
    wait.span?.event('tapped');
    const settled = await this.#settle(wait, { outcome: 'answered', ...hit }, { bootId, seq: touch.upSeq, safeSeq });
    if (settled.settled) return 'settled';
    if (settled.why === 'lost') return 'lost';
    // `old`: stored by a call whose answer was lost, as an answer or as an event.
    return settled.why === 'old' ? 'settled' : 'event';
  }

  /** The session ends; what shows is for the next one to compare. */
  end(): void {
    this.#ended = true;
    if (this.#current?.timer) clearTimeout(this.#current.timer);
    this.#current?.span?.set({ 'perch.outcome': 'left_to_next_session' });
    this.#current?.span?.end();
    this.#current = null;
  }

  /** A clickmap leaves the screen to others: what shows in place of its picture was put there later. */
  #mayGoOn(record: WaitRecord, armed: Armed): boolean {
    if (armed.deadline <= this.#port.now()) return true;
    return armed.bootId === this.#port.bootId && (!isQuestion(record) || this.#question === pictureId(record));
  }

  #begin(record: WaitRecord, armed: Armed | null, arrivedAt?: number): void {
    const wait = newWait(record, null, this.#port.traceWait(record));
    this.#current = wait;
    if (armed !== null) this.#watchDeadline(wait, armed);
    // By the robot's clock: what it kept from before, while nobody heard it, answers nothing. A robot that has not told it in this session,
    // and may be about to send what it kept, is asked.
    const robotMs = this.#port.robotMs();
    if (record.picture === null && robotMs !== null) return this.#startArming(wait, robotMs);
    const now = this.#port.now();
    const told = {
      expires: now + armWithinMs,
      ...(arrivedAt === undefined ? null : { arrivedAt }),
      written: () => {
        if (isQuestion(record)) this.#question = pictureId(record);
      },
      done: (outcome: CommandOutcome) => this.#onShown(wait, armed, outcome),
      ...(wait.span && { span: new CommandSpan(wait.span.child('show')) }),
    };
    const show = showCommand(record, armed === null ? record.timeoutMs : armed.deadline - now, told);
    wait.show = show;
    if (!this.#port.commands.push(show)) this.#fail(wait, 'robot_busy', 'The robot has too many commands waiting.');
  }

  #onShown(wait: Wait, armed: Armed | null, outcome: CommandOutcome): void {
    wait.show = null;
    if (this.#current !== wait) return;
    const { record } = wait;
    switch (outcome.kind) {
      case 'ack':
        return this.#startArming(wait, outcome.ms);
      case 'nack':
        return this.#fail(wait, outcome.code, outcome.error);
      case 'media_missing':
        this.#drop(wait);
        this.#floor = record.number - 1;
        this.#undrawn = armed === null ? null : { number: record.number, armed };
        return this.#port.waitMediaMissing(record, outcome.hash);
      case 'replaced':
      case 'unsent':
    }
  }

  #startArming(wait: Wait, ms: number | null): void {
    const at = { bootId: this.#port.bootId, ms, seq: this.#port.lastSeq() };
    wait.arming = this.#arm(wait, at).finally(() => {
      wait.arming = null;
    });
  }

  async #arm(wait: Wait, at: { bootId: string; ms: number | null; seq: number }): Promise<void> {
    const giveUpAt = this.#port.now() + armWithinMs;
    while (this.#current === wait && wait.armed === null) {
      try {
        const armed = await this.#port.armWait(wait.record, at);
        if (this.#current !== wait) return;
        if (armed === 'lost') return this.#port.loseLease();
        if (armed === null) return this.#unarmed(wait);
        wait.armed = armed;
        wait.span?.event('armed');
        this.#watchDeadline(wait, armed);
      } catch (error) {
        this.#port.storeFailed(error);
        if (this.#current !== wait) return;
        if (!(error instanceof StoreError) || this.#port.now() > giveUpAt) return this.#unarmed(wait);
        await new Promise<void>((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** It ended before it counted: its picture was shown for nothing. */
  #unarmed(wait: Wait): void {
    this.#drop(wait);
    if (!isQuestion(wait.record) && wait.record.picture !== null) this.#remove('card', pictureId(wait.record));
  }

  #watchDeadline(wait: Wait, armed: Armed): void {
    this.#setTimer(wait, armed.deadline - this.#port.now());
  }

  #setTimer(wait: Wait, ms: number): void {
    if (wait.timer) clearTimeout(wait.timer);
    wait.timer = setTimeout(() => void this.#timeOut(wait), Math.max(0, Math.ceil(ms)));
  }

  async #timeOut(wait: Wait): Promise<void> {
    if (this.#current !== wait) return;
    try {
      const settled = await this.#settle(wait, { outcome: 'timed_out' });
      if (!settled.settled && settled.why === 'lost') this.#port.loseLease();
    } catch (error) {
      this.#port.storeFailed(error);
      if (this.#current === wait) this.#setTimer(wait, retryMs);
    }
  }

  #fail(wait: Wait, code: ErrorCode, error: string): void {
    wait.span?.fail(code);
    this.#drop(wait, { keepQuestion: true });
    // Without an id: what a picture that failed was to cover goes, too.
    if (isQuestion(wait.record)) this.#remove('question');
    const outcome: WaitOutcome = { outcome: 'failed', code, error };
    this.#port.settleWait(wait.record.number, outcome).then(
      (settled) => {
        if (settled.settled) this.#port.waitSettled(wait.record, outcome);
        else if (settled.why === 'lost') this.#port.loseLease();
      },
      // The gateway ends what was not armed in time.
      (failure: unknown) => this.#port.storeFailed(failure),
    );
  }

  /** Settles with the robot's other commands held; whoever won, the question is then first in line for removal. */
  async #settle(wait: Wait, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<Settled> {
    if (!wait.held) this.#port.commands.hold();
    wait.held = true;
    // After an error the commands stay held: the outcome may be in place. The call is repeated.
    const settled = await this.#port.settleWait(wait.record.number, outcome, input);
    if (settled.settled) {
      wait.span?.set({ 'perch.outcome': outcome.outcome });
      this.#port.waitSettled(wait.record, outcome);
    }
    const lost = !settled.settled && settled.why === 'lost';
    // Whoever lost the robot writes nothing more to it: its question may be the new session's.
    if (this.#current === wait && !lost) this.#drop(wait);
    return settled;
  }

  /** Forgets the current wait: its picture leaves the line or, a question, the screen, before other commands go on. */
  #drop(wait: Wait, { keepQuestion = false } = {}): void {
    this.#current = null;
    if (wait.timer) clearTimeout(wait.timer);
    wait.timer = null;
    if (wait.show !== null) this.#port.commands.remove(wait.show);
    if (isQuestion(wait.record) && !keepQuestion) this.#removeQuestion();
    if (wait.held) this.#port.commands.release();
    wait.held = false;
    wait.span?.end();
  }

  #removeQuestion(): void {
    if (this.#question !== null) this.#remove('question', this.#question);
  }

  #remove(layer: 'card' | 'question', id?: string): void {
    if (layer === 'question') this.#question = null;
    const args = id === undefined ? { layer } : { layer, id };
    this.#port.commands.pushFirst({ name: 'screen.clear', args, expires: this.#port.now() + removeWithinMs, done: () => {} });
  }
}

function newWait(record: WaitRecord, armed: Armed | null, span: Span | null): Wait {
  return { record, armed, arming: null, show: null, held: false, timer: null, span };
}
