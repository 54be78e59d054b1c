/**
 * The open ask, menu or clickmap of one robot. Only the wait with the highest number counts; messages about lower ones are dropped. While an outcome
 * is being stored, other commands are held, so that the removal of a question is written before any command that the outcome triggers. A wait is
 * armed when its picture is on the screen: Redis has its deadline, the robot's clock and last input then. `Consent` decides which later touches answer it.
 */
import type { Span } from '@perch/runtime';
import { limits, type Armed, type ErrorCode, type ScreenState, type WaitOutcome, type WaitRecord, type WaitState } from '@perch/schema';
import { armWithinMs, StoreError, waitOfPicture, waitPictureId, type SettleResult } from '@perch/store';
import { Consent, match, PageViews } from '../input/consent.js';
import type { ScreenTouch } from '../input/screen-touch.js';
import { noteFailure } from '../metrics/link-metrics.js';
import { CommandSpan, type Command, type CommandFollower, type CommandOutcome, type Commands } from './commands.js';
import type { LinkContext } from './context.js';
import type { Lease } from './lease.js';
import type { ScreenLight } from './light.js';
import { hasPages, showGraceMs, turningPages } from './page-turner.js';
import { sendReply } from './replies.js';
import type { Screen } from './screen.js';
import type { RobotState } from './state.js';

const retryMs = 250;
/** The program of the web page's robot in 0.10.x. It has no panel, and a screen reader presses and releases at once. */
const firstPageProgram = 'page-1';

interface Wait {
  record: WaitRecord;
  armed: Armed | null;
  /** Null until it is armed. */
  consent: Consent | null;
  /** For an approval. */
  pages: PageViews | null;
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

export class WaitController implements CommandFollower {
  readonly #lease: Lease;
  readonly #context: LinkContext;
  readonly #commands: Commands;
  readonly #state: RobotState;
  readonly #pages: Screen;
  readonly #light: ScreenLight;
  /** Minimum time for which a touch that answers is held, ms. */
  readonly #heldMinMs: number;
  readonly #screen: WaitScreen;
  #current: Wait | null = null;
  /** Waits up to this number were opened or have ended. */
  #floor = 0;
  #redrawPending: { number: number; armed: Armed } | null = null;
  /** The robot's clock when the screen last showed something else than before, ms; null: not in this session. */
  #screenSince: number | null = null;
  #ended = false;

  constructor(lease: Lease, context: LinkContext, commands: Commands, state: RobotState, screen: Screen, light: ScreenLight, firmware: string) {
    this.#lease = lease;
    this.#context = context;
    this.#commands = commands;
    this.#state = state;
    this.#pages = screen;
    this.#light = light;
    this.#heldMinMs = firmware === firstPageProgram ? 0 : limits.answer.heldMin;
    this.#screen = new WaitScreen(lease, commands);
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
      const state = await this.#context.store.waits.read(this.#lease.robot, wait.record.number);
      if (this.#current === wait && (state === null || state.outcome !== null)) this.#drop(wait);
    } catch (error) {
      noteFailure(this.#context, 'input', error);
    }
  }

  acked({ name, args }: Command, robotMs: number, changed: boolean): void {
    if (changed) this.#screenSince = robotMs;
    const wait = this.#current;
    if (wait === null) return;
    // The picture of a question is its own, and nothing covers it.
    if (changed && !isQuestion(wait.record)) wait.consent?.shown(robotMs);
    if (name === 'screen.show' && args['layer'] === 'question') wait.pages?.shown(String(args['id']), robotMs);
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
      const wait = newWait(record, armed, this.#trace(record), showing.question);
      this.#current = wait;
      if (hasPages(record)) this.#screen.hasPages = true;
      this.#watchDeadline(wait, armed);
      this.#lightScreen(wait);
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
  async answer(touch: ScreenTouch, safeSeq: number): Promise<'settled' | 'event' | 'early' | 'lost'> {
    await this.#current?.arming;
    const wait = this.#current;
    const { bootId } = this.#lease;
    if (wait === null || wait.consent === null || wait.armed?.bootId !== bootId) return 'event';
    if (touch.dark === true) {
      wait.consent.lit(touch.downMs);
      this.#pages.restartQuestion();
    }
    const hit = match(wait.record, touch);
    const verdict = hit === null ? 'no_touch' : wait.consent.judge(touch, hit.index);
    if (hit === null && wait.consent.turnsPage(touch)) this.#pages.turnQuestion();
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
    if (armed.deadline <= this.#lease.now()) return true;
    const { greyPages, pages = [] } = turningPages(record);
    if (greyPages !== undefined && ![...greyPages, ...pages].some(({ id }) => id === question)) return false;
    return armed.bootId === this.#lease.bootId && (!isQuestion(record) || this.#screen.question === pictureId(record));
  }

  #begin(record: WaitRecord, armed: Armed | null, arrivedAt?: number): void {
    const wait = newWait(record, null, this.#trace(record));
    this.#current = wait;
    this.#lightScreen(wait);
    if (armed !== null) this.#watchDeadline(wait, armed);
    // Touches that the robot made and kept before, while it was disconnected, must not answer the wait, so the robot's clock at this time is needed.
    // If the robot has not reported its clock in this session, and may be about to send such touches, a command asks for it.
    const robotMs = this.#state.clock.now();
    if (record.picture === null && robotMs !== null) return this.#startArming(wait, robotMs);
    const now = this.#lease.now();
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
    if (!this.#commands.push(show)) this.#fail(wait, 'robot_busy', 'The robot has too many commands waiting.');
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
    sendReply(this.#context, record.gateway, { t: 'media_missing', id: record.call, hash });
  }

  #startArming(wait: Wait, ms: number | null): void {
    const at = { bootId: this.#lease.bootId, ms, seq: this.#state.lastSeq };
    wait.arming = this.#arm(wait, at).finally(() => {
      wait.arming = null;
    });
  }

  async #arm(wait: Wait, at: { bootId: string; ms: number | null; seq: number }): Promise<void> {
    const giveUpAt = this.#lease.now() + armWithinMs;
    while (this.#current === wait && wait.armed === null) {
      try {
        const armed = await this.#lease.arm(wait.record, at);
        if (this.#current !== wait) return;
        if (armed === 'lost') return this.#lease.lose();
        if (armed === null) return this.#dropUnarmed(wait);
        wait.armed = armed;
        // The picture under a clickmap without one of its own may have been there before.
        wait.consent = this.#consentOf(wait, armed, wait.record.picture === null ? (this.#screenSince ?? armed.ms) : armed.ms);
        wait.span?.event('armed');
        this.#watchDeadline(wait, armed);
      } catch (error) {
        noteFailure(this.#context, 'input', error);
        if (this.#current !== wait) return;
        if (!(error instanceof StoreError) || this.#lease.now() > giveUpAt) return this.#dropUnarmed(wait);
        await new Promise<void>((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  #consentOf({ record, lit, pages }: Wait, armed: Armed, since: number | null): Consent {
    const readable = since === null ? null : this.#light.readableSince(since);
    const consent = new Consent({ record, armed, since: readable, heldMinMs: this.#heldMinMs, pages });
    if (lit === 'dark') consent.dark();
    else if (lit !== null) consent.lit(lit);
    return consent;
  }

  /** Before the picture is sent. */
  #lightScreen(wait: Wait): void {
    const lighting = this.#light.begin(isQuestion(wait.record));
    if (lighting === null) return;
    wait.lit = 'dark';
    void lighting.then((ms) => {
      if (ms === null) return;
      wait.lit = ms;
      wait.consent?.lit(ms);
      if (this.#current === wait) this.#pages.restartQuestion();
    });
  }

  /** For a wait of an earlier session: since when the screen shows what lies under it is not known, and the time starts with the ack. */
  #askClock(wait: Wait): void {
    const retry = (): void => void setTimeout(() => this.#current === wait && this.#askClock(wait), retryMs);
    wait.show = clockCommand(wait.record, {
      expires: this.#lease.now() + armWithinMs,
      done: (outcome) => {
        wait.show = null;
        if (this.#current !== wait || outcome.kind === 'unsent') return;
        const ms = outcome.kind === 'ack' ? outcome.ms : outcome.kind === 'nack' && outcome.end === 'nack' ? this.#state.clock.now() : null;
        if (ms === null) retry();
        else wait.consent?.shown(ms);
      },
    });
    if (this.#commands.push(wait.show)) return;
    wait.show = null;
    retry();
  }

  #dropUnarmed(wait: Wait): void {
    this.#drop(wait);
    if (!isQuestion(wait.record) && wait.record.picture !== null) this.#screen.removeCard(pictureId(wait.record));
  }

  #watchDeadline(wait: Wait, armed: Armed): void {
    this.#setTimer(wait, armed.deadline - this.#lease.now());
  }

  #setTimer(wait: Wait, ms: number): void {
    if (wait.timer) clearTimeout(wait.timer);
    wait.timer = setTimeout(() => void this.#timeOut(wait), Math.max(0, Math.ceil(ms)));
  }

  async #timeOut(wait: Wait): Promise<void> {
    if (this.#current !== wait) return;
    try {
      const settled = await this.#settle(wait, { outcome: 'timed_out' });
      if (!settled.settled && settled.why === 'lost') this.#lease.lose();
    } catch (error) {
      noteFailure(this.#context, 'input', error);
      if (this.#current === wait) this.#setTimer(wait, retryMs);
    }
  }

  #fail(wait: Wait, code: ErrorCode, error: string): void {
    wait.span?.fail(code);
    this.#drop(wait, { keepQuestion: true });
    // Without an id: an earlier question, kept on the screen for this one to cover, is removed too.
    if (isQuestion(wait.record)) this.#screen.clearQuestion();
    const outcome: WaitOutcome = { outcome: 'failed', code, error };
    this.#store(wait.record.number, outcome).then(
      (settled) => {
        if (settled.settled) this.#context.metrics.waits.inc({ kind: wait.record.kind, outcome: outcome.outcome });
        else if (settled.why === 'lost') this.#lease.lose();
      },
      // The gateway ends a wait that was not armed in time.
      (failure: unknown) => noteFailure(this.#context, 'input', failure),
    );
  }

  /** Whichever outcome was first, the removal of the question is the next command. */
  async #settle(wait: Wait, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult> {
    if (!wait.held) this.#commands.hold();
    wait.held = true;
    // After an error the outcome may be stored: the commands stay held.
    const settled = await this.#store(wait.record.number, outcome, input);
    if (settled.settled) {
      wait.span?.set({ 'perch.outcome': outcome.outcome });
      this.#context.metrics.waits.inc({ kind: wait.record.kind, outcome: outcome.outcome });
    }
    const lost = !settled.settled && settled.why === 'lost';
    // After losing the robot this session writes nothing more to it: the question may belong to the new session.
    if (this.#current === wait && !lost) this.#drop(wait);
    return settled;
  }

  #store(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult> {
    const ended = outcome.outcome === 'answered' || outcome.outcome === 'timed_out';
    return this.#lease.settle(number, ended && this.#pages.leftUnseen(number) ? { ...outcome, pagesUnseen: true } : outcome, input);
  }

  #trace(record: WaitRecord): Span | null {
    if (record.trace === undefined) return null;
    const attributes = { 'perch.robot': this.#lease.robot, 'perch.wait': record.kind };
    return this.#context.tracing?.resume(`wait ${record.kind}`, record.trace, { kind: 'server', attributes }) ?? null;
  }

  /** Its picture leaves the queue or, for a question, the screen before other commands go on. */
  #drop(wait: Wait, { keepQuestion = false } = {}): void {
    this.#current = null;
    if (wait.timer) clearTimeout(wait.timer);
    wait.timer = null;
    this.#light.end();
    if (wait.show !== null) this.#commands.remove(wait.show);
    if (isQuestion(wait.record) && !keepQuestion) this.#screen.removeQuestion();
    if (wait.held) this.#commands.release();
    wait.held = false;
    wait.span?.end();
  }
}

/** @param onScreen id of the picture on the question layer, if it is taken over */
function newWait(record: WaitRecord, armed: Armed | null, span: Span | null, onScreen: string | null = null): Wait {
  const pages = record.greyPages === undefined ? null : new PageViews(turningPages(record), onScreen);
  return { record, armed, consent: null, lit: null, pages, arming: null, show: null, held: false, timer: null, span };
}

/** Expiry of the command that removes a picture, ms; after that the `show_ms` of a question removes it. */
const removeWithinMs = 30_000;

/** The question and card that waits put on the screen. Commands that remove them go before all queued ones. */
class WaitScreen {
  readonly #lease: Lease;
  readonly #commands: Commands;
  /** Id of the wait whose question is on the screen: written last and not removed since. */
  question: string | null = null;
  /** The question has several pictures, of which any may show. */
  hasPages = false;

  constructor(lease: Lease, commands: Commands) {
    this.#lease = lease;
    this.#commands = commands;
  }

  written(record: WaitRecord): void {
    this.question = pictureId(record);
    this.hasPages = hasPages(record);
  }

  /** @param shown id of the picture on the question layer, as in the robot's hello */
  takeOver(shown: string | null): void {
    const wait = shown === null ? null : waitOfPicture(shown);
    this.question = wait === null ? shown : waitPictureId(wait);
    this.hasPages = this.question !== shown;
  }

  removeQuestion(): void {
    const id = this.question;
    if (id === null) return;
    this.question = null;
    this.#clear(this.hasPages ? { layer: 'question' } : { layer: 'question', id });
  }

  clearQuestion(): void {
    this.question = null;
    this.#clear({ layer: 'question' });
  }

  removeCard(id: string): void {
    this.#clear({ layer: 'card', id });
  }

  #clear(args: { layer: 'card' | 'question'; id?: string }): void {
    this.#commands.pushFirst({ name: 'screen.clear', args, expires: this.#lease.now() + removeWithinMs, done: () => {} });
  }
}

// The ack of these commands carries the robot's clock, which determines from when touches count.

function showCommand(record: WaitRecord, leftMs: number, options: Pick<Command, 'span' | 'arrivedAt' | 'expires' | 'written' | 'done'>): Command {
  const { requestId } = record;
  const turning = turningPages(record);
  const { id, picture } = turning.greyPages?.[0] ?? { id: pictureId(record), picture: record.picture };
  if (picture === null) return clockCommand(record, options);
  return {
    name: 'screen.show',
    args: isQuestion(record) ? { layer: 'question', id, show_ms: Math.round(leftMs + showGraceMs) } : { layer: 'card', id },
    attachments: [{ path: [], picture }],
    ...(isQuestion(record) && turning),
    requestId,
    ...options,
  };
}

/** Changes nothing: its ack has the robot's clock. */
function clockCommand(record: WaitRecord, options: Omit<Command, 'name' | 'args'>): Command {
  return { name: 'screen.clear', args: { layer: 'question', id: pictureId(record) }, requestId: record.requestId, ...options };
}

function isQuestion({ kind }: WaitRecord): boolean {
  return kind !== 'clickmap';
}

function pictureId({ number }: WaitRecord): string {
  return waitPictureId(number);
}
