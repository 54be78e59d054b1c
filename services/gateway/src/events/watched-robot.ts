/** One reader for all polls and streams of a robot: an event costs one read however many wait. A message is only a hint to read. */
import type { EventPage, Store } from '@perch/store';

export type Events = Pick<Store['events'], 'read' | 'subscribe'>;

export interface FeedReader {
  /** Number up to which the reader has all events; null while it accepts none, and is skipped. */
  readonly position: number | null;
  readonly batchMax: number;
  offer(page: CoveringPage): void;
  fail(error: unknown): void;
}

export interface CoveringPage extends EventPage {
  /** Highest number that the page covers: that of its last event, or of the log if the page reaches its end. */
  covers: number;
}

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

  /** Adds a reader. Resolves once events appended from now on wake it. @throws {StoreError} */
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
        const limit = readers.reduce((most, { batchMax }) => Math.max(most, batchMax), 0);
        const page = await readPage(this.#events, this.#robot, after, limit);
        for (const reader of readers) reader.offer(page);
        // The log continues beyond this page, and no message announces the rest.
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

export async function readPage(events: Pick<Events, 'read'>, robot: string, after: number, limit: number): Promise<CoveringPage> {
  const page = await events.read(robot, { after, limit });
  return { ...page, covers: page.events.length < limit ? page.lastSeq : page.events.at(-1)!.seq };
}
