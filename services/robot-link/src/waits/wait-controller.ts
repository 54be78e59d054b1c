/**
 * The open ask, menu or clickmap of one robot. Only the wait with the highest number counts; messages about lower ones are dropped. While an outcome
 * is being stored, other commands are held, so that the removal of a question is written before any command that the outcome triggers. A wait is
 * armed when its picture is on the screen: Redis has its deadline, the robot's clock and last input then. `Consent` decides which later touches answer it.
 */
import type { Span } from '@perch/runtime';
import type { Armed, ErrorCode, ScreenState, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import { armWithinMs, StoreError, waitPictureId, type SettleResult } from '@perch/store';
import type { Command } from '../commands/command.js';
import type { CommandOutcome } from '../commands/command-outcome.js';
import { CommandSpan } from '../commands/command-span.js';
import type { Touch } from '../input/input-queue.js';
import { Consent } from './consent.js';
import { PagesSeen } from './pages-seen.js';
import { clockCommand, hasPages, isQuestion, pictureId, showCommand, turningPages } from './wait-commands.js';
import { match } from './wait-matcher.js';
import type { WaitPort } from './wait-port.js';
import { WaitScreen } from './wait-screen.js';

const retryMs = 250;

interface Wait {
  record: WaitRecord;
  armed: Armed | null;
  /** Null until it is armed. */
  consent: Consent | null;
  /** For an approval. */
  pages: PagesSeen | null;
  /** The robot's clock when the screen was lit for this wait, ms; `dark` until then, null for a screen that can be read. */
  lit: number | 'dark' | null;
  arming: Promise<void> | null;
  /** Command whose ack arms the wait (mostly the one that shows its picture) or starts the time of a touch, until it is done. */
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
  /** The robot's clock when the screen last showed something else than before, ms; null: not in this session. */
  #screenSince: number | null = null;
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

  /** Call it when an ack of the robot says that the screen shows something else. Frames of a countdown are the same card. */
  screenChanged(robotMs: number): void {
    this.#screenSince = robotMs;
    // The picture of a question is its own, and nothing covers it.
    if (this.#current !== null && !isQuestion(this.#current.record)) this.#current.consent?.shown(robotMs);
  }

  /** Call it for each ack of a picture on the question layer. */
  questionShown(id: string, robotMs: number): void {
    this.#current?.pages?.shown(id, robotMs);
  }

  /** Call it if a later picture of the question has expired without which no answer counts. */
  pictureMissing(hash: string): void {
    const wait = this.#current;
    if (wait !== null && isQuestion(wait.record)) this.#drawAgain(wait, wait.armed, hash);
  }

  /** Goes on if the wait was armed in the same boot and still shows, else draws it again with the remaining time, or removes an ended question. */
  takeOver(state: WaitState | null, showing: Pick<ScreenState, 'card' | 'question'>): void {
    this.#screen.takeOver(showing.question);
    if (state === null) return this.#screen.removeQuestion();
    const { record, armed } = state;
    this.#floor = record.number;
    if (!isQuestion(record)) this.#screen.removeQuestion();
    if (armed !== null && this.#canContinue(record, armed, showing.question)) {
      const wait = newWait(record, armed, this.#port.traceWait(record), showing.question);
      this.#current = wait;
      if (hasPages(record)) this.#screen.hasPages = true;
      this.#watchDeadline(wait, armed);
      this.#light(wait);
      const isShown = isQuestion(record) || (record.picture !== null && showing.card === pictureId(record));
      wait.consent = this.#consentOf(wait, armed, isShown ? armed.ms : null);
      if (!isShown || armed.ms === null) this.#askClock(wait);
    } else {
      this.#begin(record, armed);
    }
  }

  /**
   * `settled`: the touch answered, and its input is stored; inputs up to `safeSeq` may be forgotten. `lost`: another session holds the robot. A touch
   * after another outcome is an event. `early`: it began too soon, and is an event that says so. After a StoreError call again with the same touch.
   */
  async answer(touch: Touch, safeSeq: number): Promise<'settled' | 'event' | 'early' | 'lost'> {
    await this.#current?.arming;
    const wait = this.#current;
    const { bootId } = this.#port;
    if (wait === null || wait.consent === null || wait.armed?.bootId !== bootId) return 'event';
    if (touch.dark === true) {
      wait.consent.lit(touch.downMs);
      this.#port.restartPages();
    }
    const hit = match(wait.record, touch);
    const verdict = hit === null ? 'no_touch' : wait.consent.judge(touch, hit.index);
    if (hit === null && wait.consent.turnsPage(touch)) this.#port.turnPage();
    if (hit === null || verdict === 'no_touch') return 'event';
    if (verdict === 'early') return 'early';
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

  /** The picture of a clickmap may have been replaced by another command. A robot-link of 0.10 shows approvals as other questions. */
  #canContinue(record: WaitRecord, armed: Armed, question: string | null): boolean {
    if (armed.deadline <= this.#port.now()) return true;
    const { greyPages, pages = [] } = turningPages(record);
    if (greyPages !== undefined && ![...greyPages, ...pages].some(({ id }) => id === question)) return false;
    return armed.bootId === this.#port.bootId && (!isQuestion(record) || this.#screen.question === pictureId(record));
  }

  #begin(record: WaitRecord, armed: Armed | null, arrivedAt?: number): void {
    const wait = newWait(record, null, this.#port.traceWait(record));
    this.#current = wait;
    this.#light(wait);
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
    switch (outcome.kind) {
      case 'ack':
        return this.#startArming(wait, outcome.ms);
      case 'nack':
        return this.#fail(wait, outcome.code, outcome.error);
      case 'media_missing':
        return this.#drawAgain(wait, armed, outcome.hash);
      // The session is ending, and the wait stays stored for the next one. Only sounds are replaced.
      case 'replaced':
      case 'unsent':
    }
  }

  /** The gateway opens the wait again, with its pictures drawn again. */
  #drawAgain(wait: Wait, armed: Armed | null, hash: string): void {
    const { record } = wait;
    this.#drop(wait);
    this.#floor = record.number - 1;
    this.#redrawPending = armed === null ? null : { number: record.number, armed };
    this.#port.waitMediaMissing(record, hash);
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
        // The picture under a clickmap without one of its own may have been there before.
        wait.consent = this.#consentOf(wait, armed, wait.record.picture === null ? (this.#screenSince ?? armed.ms) : armed.ms);
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

  #consentOf({ record, lit, pages }: Wait, armed: Armed, since: number | null): Consent {
    const consent = new Consent({ record, armed, since, heldMinMs: this.#port.heldMinMs, pages });
    if (lit === 'dark') consent.dark();
    else if (lit !== null) consent.lit(lit);
    return consent;
  }

  /** Before the picture is sent. */
  #light(wait: Wait): void {
    const lighting = this.#port.light.begin(isQuestion(wait.record));
    if (lighting === null) return;
    wait.lit = 'dark';
    void lighting.then((ms) => {
      if (ms === null) return;
      wait.lit = ms;
      wait.consent?.lit(ms);
      if (this.#current === wait) this.#port.restartPages();
    });
  }

  /** For a wait of an earlier session: since when the screen shows what lies under it is not known, and the time starts with the ack. */
  #askClock(wait: Wait): void {
    const retry = (): void => void setTimeout(() => this.#current === wait && this.#askClock(wait), retryMs);
    wait.show = clockCommand(wait.record, {
      expires: this.#port.now() + armWithinMs,
      done: (outcome) => {
        wait.show = null;
        if (this.#current !== wait || outcome.kind === 'unsent') return;
        const ms = outcome.kind === 'ack' ? outcome.ms : outcome.kind === 'nack' && outcome.end === 'nack' ? this.#port.robotMs() : null;
        if (ms === null) retry();
        else wait.consent?.shown(ms);
      },
    });
    if (this.#port.commands.push(wait.show)) return;
    wait.show = null;
    retry();
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
    this.#port.light.end();
    if (wait.show !== null) this.#port.commands.remove(wait.show);
    if (isQuestion(wait.record) && !keepQuestion) this.#screen.removeQuestion();
    if (wait.held) this.#port.commands.release();
    wait.held = false;
    wait.span?.end();
  }
}

/** @param onScreen id of the picture on the question layer, if it is taken over */
function newWait(record: WaitRecord, armed: Armed | null, span: Span | null, onScreen: string | null = null): Wait {
  const pages = record.greyPages === undefined ? null : new PagesSeen(turningPages(record), onScreen);
  return { record, armed, consent: null, lit: null, pages, arming: null, show: null, held: false, timer: null, span };
}
