/** Pictures that change by themselves on the screen. Redis keeps a card's pages with the robot's state, a question's with its wait, a countdown by its key. */
import type { CardPage, ScreenState, WaitState } from '@perch/schema';
import { turnsPages } from '@perch/store';
import type { Command } from '../commands/command.js';
import { CountdownTicker, type TickingSession } from './countdown-ticker.js';
import { hasPages, showGraceMs, turningPages } from '../waits/wait-commands.js';
import { noteFailure, type LinkContext } from '../session/context.js';
import { PageTurner, type PageTurnerOptions } from './page-turner.js';

export interface ScreenPagesOptions extends PageTurnerOptions {
  session: PageTurnerOptions['session'] & TickingSession;
  context: PageTurnerOptions['context'] & Pick<LinkContext, 'frames'>;
}

interface Parts {
  readonly card: PageTurner;
  readonly question: PageTurner;
  readonly countdown: CountdownTicker;
}

export class ScreenPages {
  readonly #options: ScreenPagesOptions;
  /** Null while the session has neither found nor shown a picture. */
  #parts: Parts | null = null;
  #stopped = false;

  constructor(options: ScreenPagesOptions) {
    this.#options = options;
  }

  get ofCard(): readonly CardPage[] | null {
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

  confirmed(command: Command): void {
    this.#parts?.card.confirmed(command);
    this.#parts?.question.confirmed(command);
    this.#parts?.countdown.confirmed(command);
  }

  /** Goes on with what another session turned, if the robot still shows it. Call it before the session queues its first command. */
  takeOver(showing: Pick<ScreenState, 'card' | 'question'>, wait: WaitState | null): void {
    if (showing.card === null && showing.question === null) return;
    const { card, question, countdown } = this.#open();
    if (showing.card !== null && turnsPages(showing.card)) void this.#resumeCard(card, showing.card);
    if (showing.card !== null) void countdown.takeOver(showing.card);
    // One that is not armed is shown again.
    if (showing.question !== null && wait?.armed && hasPages(wait.record))
      question.resume(turningPages(wait.record), showing.question, wait.armed.deadline - this.#options.session.now() + showGraceMs);
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
    const { context, session } = this.#options;
    try {
      const saved = await context.store.leases.saved(session.robot);
      if (!this.#stopped) turner.resume({ pages: saved?.pages ?? [] }, shown);
    } catch (error) {
      noteFailure(context, 'card', error);
    }
  }
}
