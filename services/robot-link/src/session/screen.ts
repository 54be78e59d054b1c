import type { CardPage, ScreenState, WaitState } from '@perch/schema';
import { turnsPages } from '@perch/store';
import { noteFailure } from '../metrics/link-metrics.js';
import type { Command, CommandFollower } from './commands.js';
import type { LinkContext } from './context.js';
import { CountdownTicker } from './countdown.js';
import type { Lease } from './lease.js';
import { hasPages, PageTurner, showGraceMs, turningPages, type PageTurnerOptions } from './page-turner.js';

interface Parts {
  readonly card: PageTurner;
  readonly question: PageTurner;
  readonly countdown: CountdownTicker;
}

/** Pictures that change by themselves on the screen. Redis keeps a card's pages with the robot's state, a question's with its wait, a countdown by its key. */
export class Screen implements CommandFollower {
  readonly #options: PageTurnerOptions;
  readonly #copy: CardCopy;
  /** Null while the session has neither found nor shown a picture. */
  #parts: Parts | null = null;
  #stopped = false;

  constructor(options: PageTurnerOptions) {
    this.#options = options;
    this.#copy = new CardCopy(options.lease, options.context);
  }

  /** Called about once a second. @param now monotonic, ms */
  sweep(now: number): void {
    // Pages that turn are renewed with each turn.
    if (this.pagesOfCard === null) this.#copy.sweep(this.#options.showing.card, now);
  }

  get pagesOfCard(): readonly CardPage[] | null {
    return this.#parts?.card.pages ?? null;
  }

  /** Returns whether the question of a wait stopped turning its pages before each had shown. */
  leftUnseen(wait: number): boolean {
    return this.#parts?.question.leftUnseen(wait) ?? false;
  }

  /** Shows the next page of the question now, if it has pages that turn. */
  turnQuestion(): void {
    this.#parts?.question.turnNow();
  }

  /** Shows the grey pages of the question again from the first one, if it has any. */
  restartQuestion(): void {
    this.#parts?.question.restart();
  }

  queued(command: Command): void {
    if (command.args['layer'] === undefined) return;
    const { card, question, countdown } = this.#open();
    card.queued(command);
    question.queued(command);
    countdown.queued(command);
  }

  acked(command: Command): void {
    this.#parts?.card.acked(command);
    this.#parts?.question.acked(command);
    this.#parts?.countdown.acked(command);
  }

  /** Goes on with what another session turned, if the robot still shows it. Call it before the session queues its first command. */
  takeOver(showing: Pick<ScreenState, 'card' | 'question'>, wait: WaitState | null): void {
    if (showing.card === null && showing.question === null) return;
    const { card, question, countdown } = this.#open();
    if (showing.card !== null && turnsPages(showing.card)) void this.#resumeCard(card, showing.card);
    if (showing.card !== null) void countdown.takeOver(showing.card);
    // One that is not armed is shown again.
    if (showing.question !== null && wait?.armed && hasPages(wait.record))
      question.resume(turningPages(wait.record), showing.question, wait.armed.deadline - this.#options.lease.now() + showGraceMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#parts?.card.stop();
    this.#parts?.question.stop();
    this.#parts?.countdown.stop();
  }

  #open(): Parts {
    this.#parts ??= {
      card: new PageTurner('card', this.#options),
      question: new PageTurner('question', this.#options),
      countdown: new CountdownTicker(this.#options),
    };
    return this.#parts;
  }

  async #resumeCard(turner: PageTurner, shown: string): Promise<void> {
    const { context, lease } = this.#options;
    try {
      const saved = await context.store.leases.saved(lease.robot);
      if (!this.#stopped) turner.resume({ pages: saved?.pages ?? [] }, shown);
    } catch (error) {
      noteFailure(context, 'card', error);
    }
  }
}

const retryAfterMs = 10_000;
/** A copy expires after 3 days. */
const renewAfterMs = 24 * 3600 * 1000;

/** The copy in Redis of the card that shows. A card replaced within `timing.keepCardMs` costs nothing. */
class CardCopy {
  readonly #lease: Lease;
  readonly #context: LinkContext;
  #shown: string | null = null;
  /** Time at which the copy is made, renewed or deleted, on the clock of `sweep`. */
  #dueAt = Infinity;
  #hasCopy = false;

  constructor(lease: Lease, context: LinkContext) {
    this.#lease = lease;
    this.#context = context;
  }

  /** Called about once a second. @param card id of the picture on the card layer, or null @param now monotonic, ms */
  sweep(card: string | null, now: number): void {
    if (card !== this.#shown) {
      this.#shown = card;
      this.#dueAt = card !== null || this.#hasCopy ? now + this.#context.timing.keepCardMs : Infinity;
    }
    if (now < this.#dueAt) return;
    this.#dueAt = Infinity;
    void this.#keep(card, now);
  }

  async #keep(card: string | null, now: number): Promise<void> {
    const { session, robot, account } = this.#lease;
    const { screenPictures } = this.#context.store;
    // The state names the card.
    this.#lease.save();
    try {
      if (card === null) await screenPictures.drop({ robot, session, account });
      this.#hasCopy = card !== null && (await screenPictures.keep({ robot, session, account }, card));
      if (this.#hasCopy) this.#again(card, now + renewAfterMs);
    } catch (error) {
      noteFailure(this.#context, 'card', error);
      this.#again(card, now + retryAfterMs);
    }
  }

  /** Unless another card showed meanwhile, which has a time of its own. */
  #again(card: string | null, at: number): void {
    if (this.#shown === card) this.#dueAt = at;
  }
}
