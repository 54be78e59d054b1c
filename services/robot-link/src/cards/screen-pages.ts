/** Pictures that change by themselves on the screen. Redis keeps a card's pages with the robot's state, a question's with its wait, a countdown by its key. */
import type { CardPage, ScreenState, WaitState } from '@perch/schema';
import { turnsPages, waitPictureId } from '@perch/store';
import type { Command } from '../commands/command.js';
import { CountdownTicker } from './countdown-ticker.js';
import { showGraceMs } from '../waits/wait-commands.js';
import { noteFailure, type LinkContext } from '../session/context.js';
import { PageTurner, type PageTurnerOptions } from './page-turner.js';

export interface ScreenPagesOptions {
  session: PageTurnerOptions['session'] & { readonly id: string; readonly robot: string };
  context: PageTurnerOptions['context'] & Pick<LinkContext, 'frames'>;
  screen: Pick<ScreenState, 'card' | 'question'>;
  save: () => void;
}

export class ScreenPages {
  readonly #options: ScreenPagesOptions;
  readonly #card: PageTurner;
  readonly #question: PageTurner;
  readonly #countdown: CountdownTicker;
  #stopped = false;

  constructor(options: ScreenPagesOptions) {
    this.#options = options;
    const { session, context, screen, save } = options;
    this.#card = new PageTurner({ layer: 'card', session, context, shown: () => screen.card, started: save });
    this.#question = new PageTurner({ layer: 'question', session, context, shown: () => screen.question });
    this.#countdown = new CountdownTicker(session, context, screen);
  }

  get ofCard(): readonly CardPage[] | null {
    return this.#card.pages;
  }

  /** Returns whether the question of a wait stopped turning its pages before each had shown. */
  leftUnseen(wait: number): boolean {
    return this.#question.leftUnseen(waitPictureId(wait));
  }

  queued(command: Command): void {
    this.#card.queued(command);
    this.#question.queued(command);
    this.#countdown.queued(command);
  }

  confirmed(command: Command): void {
    this.#card.confirmed(command);
    this.#question.confirmed(command);
    this.#countdown.confirmed(command);
  }

  /** Goes on with what another session turned, if the robot still shows it. Call it before the session queues its first command. */
  takeOver({ card, question }: Pick<ScreenState, 'card' | 'question'>, wait: WaitState | null): void {
    if (card !== null && turnsPages(card)) void this.#resumeCard(card);
    if (card !== null) void this.#countdown.takeOver(card);
    // One that is not armed is shown again.
    if (question !== null && wait?.armed && wait.record.pages !== undefined)
      this.#question.resume(wait.record.pages, question, wait.armed.deadline - this.#options.session.now() + showGraceMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#card.stop();
    this.#question.stop();
    this.#countdown.stop();
  }

  async #resumeCard(card: string): Promise<void> {
    const { context, session } = this.#options;
    try {
      const saved = await context.store.leases.saved(session.robot);
      if (!this.#stopped) this.#card.resume(saved?.pages ?? [], card);
    } catch (error) {
      noteFailure(context, 'card', error);
    }
  }
}
