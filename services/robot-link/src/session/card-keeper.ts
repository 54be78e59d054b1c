/** Copies the picture of a shown card in Redis. One replaced within `timing.keepCardMs` costs nothing. Saves the robot's state, which names it. */
import { noteFailure, type LinkContext } from './context.js';
import type { OpenSession } from './open-session.js';

const retryAfterMs = 10_000;
/** A copy expires after 3 days. */
const renewAfterMs = 24 * 3600 * 1000;

export class CardKeeper {
  readonly #session: Pick<OpenSession, 'id' | 'robot' | 'account' | 'save'>;
  readonly #context: Pick<LinkContext, 'store' | 'metrics' | 'log' | 'timing'>;
  #shown: string | null = null;
  /** Time at which the copy is made, renewed or deleted, on the clock of `sweep`. */
  #dueAt = Infinity;
  #hasCopy = false;

  constructor(session: Pick<OpenSession, 'id' | 'robot' | 'account' | 'save'>, context: Pick<LinkContext, 'store' | 'metrics' | 'log' | 'timing'>) {
    this.#session = session;
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
    const { id: session, robot, account } = this.#session;
    const { shownCards } = this.#context.store;
    this.#session.save();
    try {
      if (card === null) await shownCards.drop({ robot, session, account });
      this.#hasCopy = card !== null && (await shownCards.keep({ robot, session, account }, card));
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
