/**
 * A robot whose next event somebody waits for: one subscription and one reader for all of them, so that an event costs one read,
 * however many wait for it. A message is a hint: what came before the subscription, and while it was lost, is in the read that follows.
 */
import type { EventPage, Store } from '@perch/store';

export type Events = Pick<Store['events'], 'read' | 'subscribe'>;

/** Somebody who waits. */
export interface FeedReader {
  /** The number up to which it has everything; null while it takes nothing, and is passed over. */
  readonly position: number | null;
  /** How many events it takes at a time. */
  readonly atOnce: number;
  /** What there is after the lowest position of all readers, as far as one read gives it. */
  offer(page: CoveringPage): void;
  /** The events could not be read. Whoever stays is offered them when they can be. */
  fail(error: unknown): void;
}

export interface CoveringPage extends EventPage {
  /** The highest number it covers: a page that ends before the log does covers only what it holds. */
  covers: number;
}

/** After a read that failed. */
const retryMs = 1000;

export class WatchedRobot {
  readonly #robot: string;
  readonly #events: Events;
  readonly #onEmpty: () => void;
  readonly #readers = new Set<FeedReader>();
  #subscription: Promise<() => void> | null = null;
  #reading = false;
  #readAgain = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(robot: string, events: Events, onEmpty: () => void) {
    this.#robot = robot;
    this.#events = events;
    this.#onEmpty = onEmpty;
  }

  /** Resolves once what is appended from now on wakes the reader. @throws {StoreError} */
  async join(reader: FeedReader): Promise<void> {
    this.#readers.add(reader);
    this.#subscription ??= this.#events.subscribe(this.#robot, () => this.wake());
    await this.#subscription;
  }

  leave(reader: FeedReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#onEmpty();
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#subscription?.then(
      (unsubscribe) => unsubscribe(),
      () => {},
    );
    this.#subscription = null;
  }

  /** Reads what there is and offers it. */
  wake(): void {
    if (this.#reading) this.#readAgain = true;
    else void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#readAgain = false;
        const readers = [...this.#readers].filter(({ position }) => position !== null);
        if (readers.length === 0) return;
        const after = readers.reduce((lowest, { position }) => Math.min(lowest, position!), Infinity);
        const limit = readers.reduce((most, { atOnce }) => Math.max(most, atOnce), 0);
        const page = await readPage(this.#events, this.#robot, after, limit);
        for (const reader of readers) reader.offer(page);
        // More is kept than one read gives: what is beyond it wakes nobody.
        if (page.covers < page.lastSeq) this.#readAgain = true;
      } while (this.#readAgain);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #fail(error: unknown): void {
    for (const reader of [...this.#readers]) reader.fail(error);
    if (this.#readers.size === 0 || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.wake();
    }, retryMs);
  }
}

/** What is kept after a number, oldest first. @param limit events at most */
export async function readPage(events: Pick<Events, 'read'>, robot: string, after: number, limit: number): Promise<CoveringPage> {
  const page = await events.read(robot, { after, limit });
  return { ...page, covers: page.events.length < limit ? page.lastSeq : page.events.at(-1)!.seq };
}
