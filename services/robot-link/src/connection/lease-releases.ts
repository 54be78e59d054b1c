/**
 * Tells Redis which robots this instance no longer holds. What Redis does not take now is told again every second:
 * a robot that is gone must not count as here until its instance ends.
 */
import { StoreError, type SavedState } from '@perch/store';
import { noteFailure, type LinkContext } from '../session/context.js';

/** Most that wait for Redis, and for how long, ms. */
const waitingMax = 50_000;
const givenUpMs = 10 * 60_000;

interface Farewell {
  robot: string;
  session: string;
  state: 'moving' | 'away';
  saved: SavedState | null;
  since: number;
}

export class Farewells {
  readonly #context: Pick<LinkContext, 'store' | 'metrics' | 'log'>;
  /** By session. */
  readonly #waiting = new Map<string, Farewell>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(context: Pick<LinkContext, 'store' | 'metrics' | 'log'>) {
    this.#context = context;
  }

  /** Those under way and those that wait. */
  get size(): number {
    return this.#underWay.size + this.#waiting.size;
  }

  say(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void {
    this.#tell({ robot, session, state, saved, since: performance.now() });
  }

  /** Tells again what Redis did not take. */
  retry(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const farewell of waiting) if (performance.now() - farewell.since < givenUpMs) this.#tell(farewell);
  }

  /** Resolves when all that was said until now has been answered, or could not be. */
  async said(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #tell(farewell: Farewell): void {
    const telling: Promise<void> = this.#release(farewell).finally(() => this.#underWay.delete(telling));
    this.#underWay.add(telling);
  }

  async #release(farewell: Farewell): Promise<void> {
    const { robot, session, state, saved } = farewell;
    try {
      // A lease that another session took meanwhile is left alone by the script.
      await this.#context.store.leases.release(robot, session, state, saved ?? undefined);
    } catch (error) {
      noteFailure(this.#context, 'release', error);
      if (error instanceof StoreError && this.#waiting.size < waitingMax) this.#waiting.set(session, farewell);
    }
  }
}
