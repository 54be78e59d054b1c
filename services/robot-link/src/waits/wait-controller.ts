/**
 * The open ask, menu or clickmap of one robot. Only the wait with the highest number counts; messages about lower ones are dropped. While an outcome
 * is being stored, other commands are held, so that the removal of a question is written before any command that the outcome triggers. A wait is
 * armed when its picture is on the screen: Redis has its deadline, the robot's clock and last input then. Only later touches can answer it.
 */
import type { Span } from '@perch/runtime';
import type { Armed, ErrorCode, ScreenState, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import { armWithinMs, StoreError, waitPictureId, type SettleResult } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { CommandOutcome } from '../commands/command-outcome.js';
import { CommandSpan } from '../commands/command-span.js';
import type { Touch } from '../input/input-queue.js';
import { isQuestion, pictureId, showCommand } from './wait-commands.js';
import { match } from './wait-matcher.js';
import type { WaitPort } from './wait-port.js';
import { WaitScreen } from './wait-screen.js';

const retryMs = 250;

interface Wait {
  record: WaitRecord;
  armed: Armed | null;
  arming: Promise<void> | null;
  /** Command whose ack arms the wait (mostly the one that shows its picture), until it is done. */
  show: Command | null;
  /** Its outcome is being stored in Redis, or may have been stored. */
  held: boolean;
  timer: NodeJS.Timeout | null;
  span: Span | null;
}

export class WaitController {
  readonly #port: WaitPort;
  readonly #screen: WaitScreen;
  #current: Wait | null = null;
  /** Waits up to this number were opened or have ended. */
  #floor = 0;
  #redrawPending: { number: number; armed: Armed } | null = null;
  #ended = false;

  constructor(port: WaitPort) {
    this.#port = port;
    this.#screen = new WaitScreen(port);
  }

  get isOpen(): boolean {
    return this.#current !== null;
  }

  /** Drops late and repeated waits. @param arrivedAt Redis ms at which the call arrived, if known */
  open(record: WaitRecord, arrivedAt?: number): void {
    if (this.#ended || record.number <= this.#floor) return;
    this.#floor = record.number;
    const armed = this.#redrawPending?.number === record.number ? this.#redrawPending.armed : null;
    this.#redrawPending = null;
    // The next question covers the one on the screen.
    if (this.#current !== null) this.#drop(this.#current, { keepQuestion: isQuestion(record) });
    if (!isQuestion(record)) this.#screen.removeQuestion();
    this.#begin(record, armed, arrivedAt);
  }

  /** Ends the waits up to this number without an outcome, and removes their question from the screen; the picture of a clickmap stays. */
  close(number: number): void {
    if (this.#ended) return;
    if (number > this.#floor) this.#floor = number;
    if (this.#current !== null && this.#current.record.number <= number) this.#drop(this.#current);
    else if (this.#screen.question === waitPictureId(number)) this.#screen.removeQuestion();
  }

  /** Drops the wait if it has ended in Redis: for when the message that says so may have been lost. */
  async recheck(): Promise<void> {
    const wait = this.#current;
    if (wait === null) return;
    try {
      const state = await this.#port.readWait(wait.record.number);
      if (this.#current === wait && (state === null || state.outcome !== null)) this.#drop(wait);
    } catch (error) {
      this.#port.storeFailed(error);
    }
  }

  /** Goes on if the wait was armed in the same boot and still shows, else draws it again with the remaining time, or removes an ended question. */
  takeOver(state: WaitState | null, showing: Pick<ScreenState, 'card' | 'question'>): void {
    this.#screen.takeOver(showing.question);
    if (state === null) return this.#screen.removeQuestion();
    const { record, armed } = state;
    this.#floor = record.number;
    if (!isQuestion(record)) this.#screen.removeQuestion();
    if (armed !== null && this.#canContinue(record, armed)) {
      this.#current = newWait(record, armed, this.#port.traceWait(record));
      if (record.pages !== undefined) this.#screen.hasPages = true;
      this.#watchDeadline(this.#current, armed);
    } else {
      this.#begin(record, armed);
    }
  }

  /**
   * `settled`: the touch answered, and its input is stored; inputs up to `safeSeq` may be forgotten. `lost`: another session holds the robot. A touch
   * after another outcome is an event. After a StoreError call again with the same touch.
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
    // `old`: an attempt whose reply was lost has stored the touch, as an answer or as an event.
    return settled.why === 'old' ? 'settled' : 'event';
  }

  /** The picture stays, for the next session to compare. */
  end(): void {
    this.#ended = true;
    if (this.#current?.timer) clearTimeout(this.#current.timer);
    this.#current?.span?.set({ 'perch.outcome': 'left_to_next_session' });
    this.#current?.span?.end();
    this.#current = null;
  }

  /** The picture of a clickmap may have been replaced by another command. */
  #canContinue(record: WaitRecord, armed: Armed): boolean {
    if (armed.deadline <= this.#port.now()) return true;
    return armed.bootId === this.#port.bootId && (!isQuestion(record) || this.#screen.question === pictureId(record));
  }

  #begin(record: WaitRecord, armed: Armed | null, arrivedAt?: number): void {
    const wait = newWait(record, null, this.#port.traceWait(record));
    this.#current = wait;
    if (armed !== null) this.#watchDeadline(wait, armed);
    // Touches that the robot made and kept before, while it was disconnected, must not answer the wait, so the robot's clock at this time is needed.
    // If the robot has not reported its clock in this session, and may be about to send such touches, a command asks for it.
    const robotMs = this.#port.robotMs();
    if (record.picture === null && robotMs !== null) return this.#startArming(wait, robotMs);
    const now = this.#port.now();
    const options = {
      expires: now + armWithinMs,
      ...(arrivedAt === undefined ? null : { arrivedAt }),
      written: () => {
        if (isQuestion(record)) this.#screen.written(record);
      },
      done: (outcome: CommandOutcome) => this.#onShown(wait, armed, outcome),
      ...(wait.span && { span: new CommandSpan(wait.span.child('show')) }),
    };
    const show = showCommand(record, armed === null ? record.timeoutMs : armed.deadline - now, options);
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
        // The gateway opens the wait again, with the picture drawn again.
        this.#floor = record.number - 1;
        this.#redrawPending = armed === null ? null : { number: record.number, armed };
        return this.#port.waitMediaMissing(record, outcome.hash);
      // The session is ending, and the wait stays stored for the next one. Only sounds are replaced.
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
        if (armed === null) return this.#dropUnarmed(wait);
        wait.armed = armed;
        wait.span?.event('armed');
        this.#watchDeadline(wait, armed);
      } catch (error) {
        this.#port.storeFailed(error);
        if (this.#current !== wait) return;
        if (!(error instanceof StoreError) || this.#port.now() > giveUpAt) return this.#dropUnarmed(wait);
        await new Promise<void>((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  #dropUnarmed(wait: Wait): void {
    this.#drop(wait);
    if (!isQuestion(wait.record) && wait.record.picture !== null) this.#screen.removeCard(pictureId(wait.record));
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
    // Without an id: an earlier question, kept on the screen for this one to cover, is removed too.
    if (isQuestion(wait.record)) this.#screen.clearQuestion();
    const outcome: WaitOutcome = { outcome: 'failed', code, error };
    this.#port.settleWait(wait.record.number, outcome).then(
      (settled) => {
        if (settled.settled) this.#port.waitSettled(wait.record, outcome);
        else if (settled.why === 'lost') this.#port.loseLease();
      },
      // The gateway ends a wait that was not armed in time.
      (failure: unknown) => this.#port.storeFailed(failure),
    );
  }

  /** Whichever outcome was first, the removal of the question is the next command. */
  async #settle(wait: Wait, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult> {
    if (!wait.held) this.#port.commands.hold();
    wait.held = true;
    // After an error the outcome may be stored: the commands stay held.
    const settled = await this.#port.settleWait(wait.record.number, outcome, input);
    if (settled.settled) {
      wait.span?.set({ 'perch.outcome': outcome.outcome });
      this.#port.waitSettled(wait.record, outcome);
    }
    const lost = !settled.settled && settled.why === 'lost';
    // After losing the robot this session writes nothing more to it: the question may belong to the new session.
    if (this.#current === wait && !lost) this.#drop(wait);
    return settled;
  }

  /** Its picture leaves the queue or, for a question, the screen before other commands go on. */
  #drop(wait: Wait, { keepQuestion = false } = {}): void {
    this.#current = null;
    if (wait.timer) clearTimeout(wait.timer);
    wait.timer = null;
    if (wait.show !== null) this.#port.commands.remove(wait.show);
    if (isQuestion(wait.record) && !keepQuestion) this.#screen.removeQuestion();
    if (wait.held) this.#port.commands.release();
    wait.held = false;
    wait.span?.end();
  }
}

function newWait(record: WaitRecord, armed: Armed | null, span: Span | null): Wait {
  return { record, armed, arming: null, show: null, held: false, timer: null, span };
}
