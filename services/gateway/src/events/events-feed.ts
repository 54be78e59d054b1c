import type { EventName, RobotEvent } from '@perch/schema';
import { isDraining } from '../calls/failures.js';
import type { EventPage, Store } from '@perch/store';

export interface EventsQuery {
  after: number;
  /** null: all. */
  names: ReadonlySet<EventName> | null;
  waitMs: number;
}

export interface EventsRead {
  events: RobotEvent[];
  /** Highest number that the answer covers, including events with other names; never below `after` of the query. */
  lastSeq: number;
  firstSeq: number | null;
  /** Whether the robot has an event log; a removed robot has none. */
  logged: boolean;
}

const pageMax = 1000;

export class EventsFeed {
  readonly #events: Events;
  readonly #watched = new Map<string, WatchedRobot>();

  constructor(events: Events) {
    this.#events = events;
  }

  get size(): number {
    return this.#watched.size;
  }

  read(robot: string, after: number): Promise<CoveringPage> {
    return readPage(this.#events, robot, after, pageMax);
  }

  async firstRead(robot: string, query: EventsQuery): Promise<{ found: EventsRead; waits: boolean }> {
    const page = await this.read(robot, query.after);
    const found = readOf(page, query);
    return { found, waits: query.waitMs > 0 && found.events.length === 0 };
  }

  /** Resolves empty after `waitMs`, or at once when this instance drains. @throws the signal's reason otherwise */
  next(robot: string, query: EventsQuery, seen: EventsRead, signal: AbortSignal): Promise<EventsRead> {
    return new Promise<EventsRead>((resolve, reject) => {
      const watched = this.watch(robot);
      const poll = new Poll(query, seen, (settle) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        watched.leave(poll);
        settle(resolve, reject);
      });
      const onAbort = (): void => (isDraining(signal.reason) ? poll.resolve() : poll.fail(signal.reason));
      const timer = setTimeout(() => {
        poll.expired = true;
        watched.wake();
      }, query.waitMs);
      // Subscribe, then read, then wait: the read finds events appended before the subscription.
      watched.join(poll).then(
        () => watched.wake(),
        (error: unknown) => poll.fail(error),
      );
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Every `join` must be followed by `leave`. */
  watch(robot: string): WatchedRobot {
    let watched = this.#watched.get(robot);
    if (watched === undefined) {
      watched = new WatchedRobot(robot, this.#events, () => this.#watched.delete(robot));
      this.#watched.set(robot, watched);
    }
    return watched;
  }
}

type Settle = (resolve: (read: EventsRead) => void, reject: (reason: unknown) => void) => void;

class Poll implements FeedReader {
  readonly batchMax = pageMax;
  expired = false;
  readonly #query: EventsQuery;
  readonly #end: (settle: Settle) => void;
  #covered: EventsRead;
  #over = false;

  constructor(query: EventsQuery, seen: EventsRead, end: (settle: Settle) => void) {
    this.#query = query;
    this.#covered = seen;
    this.#end = end;
  }

  get position(): number {
    return this.#covered.lastSeq;
  }

  offer(page: CoveringPage): void {
    this.#covered = readOf(page, this.#query, this.#covered.lastSeq);
    if (this.#covered.events.length > 0 || this.expired) this.resolve();
  }

  resolve(): void {
    this.#settle((resolve) => resolve(this.#covered));
  }

  fail(error: unknown): void {
    this.#settle((_, reject) => reject(error));
  }

  #settle(settle: Settle): void {
    if (this.#over) return;
    this.#over = true;
    this.#end(settle);
  }
}

function readOf(page: CoveringPage, { after, names }: Pick<EventsQuery, 'after' | 'names'>, seen = after): EventsRead {
  return {
    events: page.events.filter(({ seq, name }) => seq > seen && (names === null || names.has(name))),
    // A page read for readers that are further behind may end before this reader begins.
    lastSeq: Math.max(page.covers, seen),
    firstSeq: firstSeqOf(page, after),
    logged: page.lastSeq > 0,
  };
}

/** Returns the number from which all events are kept: the oldest kept, or the first one behind a jump of the numbering after `after`. */
function firstSeqOf({ firstSeq, jumpedTo }: CoveringPage, after: number): number | null {
  if (firstSeq === null || jumpedTo === null || after === 0 || jumpedTo <= after + 1) return firstSeq;
  return Math.max(firstSeq, jumpedTo);
}

/** One reader for all polls and streams of a robot: an event costs one read however many wait. A message is only a hint to read. */
type Events = Pick<Store['events'], 'read' | 'subscribe'>;

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

async function readPage(events: Pick<Events, 'read'>, robot: string, after: number, limit: number): Promise<CoveringPage> {
  const page = await events.read(robot, { after, limit });
  return { ...page, covers: page.events.length < limit ? page.lastSeq : page.events.at(-1)!.seq };
}
