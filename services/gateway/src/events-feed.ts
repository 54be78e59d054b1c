/**
 * Reads of a robot's events, and polls that wait for the next one.
 * All polls of one robot share one subscription and one reader: an event costs one read, however many wait for it.
 */
import type { EventName, RobotEvent } from '@perch/schema';
import type { EventPage, Store } from '@perch/store';
import { isDraining } from './held-calls.js';

type Events = Store['events'];

export interface EventsQuery {
  after: number;
  /** null: all. */
  names: ReadonlySet<EventName> | null;
  /** How long to wait for a next event, ms. */
  waitMs: number;
}

export interface EventsRead {
  events: RobotEvent[];
  /** Highest number the answer covers, events of other names included. */
  lastSeq: number;
  /** Oldest number kept, so that a reader sees a gap; null when none is kept. */
  firstSeq: number | null;
}

export class EventsFeed {
  readonly #events: Pick<Events, 'read' | 'subscribe'>;
  readonly #watched = new Map<string, WatchedRobot>();

  constructor(events: Pick<Events, 'read' | 'subscribe'>) {
    this.#events = events;
  }

  /** Robots somebody waits for, for metrics and leak checks. */
  get size(): number {
    return this.#watched.size;
  }

  /** Whether `read` would have to wait is known only after a first look, which this is. */
  async look(robot: string, query: EventsQuery): Promise<{ found: EventsRead; waits: boolean }> {
    const page = await this.#events.read(robot, { after: query.after });
    const found = readOf(page, query);
    // An `after` above the highest number is answered at once with what is kept.
    return { found, waits: query.waitMs > 0 && found.events.length === 0 && query.after <= page.lastSeq };
  }

  /**
   * Waits for a next event after `seen`; resolves empty after `waitMs`, or at once when this instance drains.
   * @throws the signal's reason otherwise
   */
  async next(robot: string, query: EventsQuery, seen: EventsRead, signal: AbortSignal): Promise<EventsRead> {
    let watched = this.#watched.get(robot);
    if (watched === undefined) {
      watched = new WatchedRobot(robot, this.#events, () => this.#watched.delete(robot));
      this.#watched.set(robot, watched);
    }
    return watched.poll(query, seen, signal);
  }
}

interface Poll {
  query: EventsQuery;
  /** What it would answer now. */
  covered: EventsRead;
  expired: boolean;
  resolve: (read: EventsRead) => void;
  reject: (reason: unknown) => void;
}

class WatchedRobot {
  readonly #robot: string;
  readonly #events: Pick<Events, 'read' | 'subscribe'>;
  readonly #onEmpty: () => void;
  readonly #polls = new Set<Poll>();
  #subscription: Promise<() => void> | null = null;
  #reading = false;
  #readAgain = false;

  constructor(robot: string, events: Pick<Events, 'read' | 'subscribe'>, onEmpty: () => void) {
    this.#robot = robot;
    this.#events = events;
    this.#onEmpty = onEmpty;
  }

  poll(query: EventsQuery, seen: EventsRead, signal: AbortSignal): Promise<EventsRead> {
    return new Promise<EventsRead>((resolve, reject) => {
      const poll: Poll = {
        query,
        covered: seen,
        expired: false,
        resolve: (read) => end(() => resolve(read)),
        reject: (reason) => end(() => reject(reason)),
      };
      const onAbort = (): void => (isDraining(signal.reason) ? poll.resolve(poll.covered) : poll.reject(signal.reason));
      const timer = setTimeout(() => {
        poll.expired = true;
        this.#wake();
      }, query.waitMs);
      const end = (settle: () => void): void => {
        if (!this.#polls.delete(poll)) return;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        settle();
        if (this.#polls.size === 0) this.#leave();
      };
      this.#polls.add(poll);
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#subscription ??= this.#events.subscribe(this.#robot, () => this.#wake());
      // Subscribe, then check, then wait: what came before the subscription is in this read.
      this.#subscription.then(
        () => this.#wake(),
        (error: unknown) => this.#fail(error),
      );
    });
  }

  #leave(): void {
    this.#onEmpty();
    this.#subscription?.then(
      (unsubscribe) => unsubscribe(),
      () => {},
    );
    this.#subscription = null;
  }

  #wake(): void {
    if (this.#reading) this.#readAgain = true;
    else void this.#read();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#readAgain = false;
        const polls = [...this.#polls];
        if (polls.length === 0) return;
        const after = Math.min(...polls.map((poll) => poll.covered.lastSeq));
        const page = await this.#events.read(this.#robot, { after });
        for (const poll of polls) this.#offer(poll, page);
        // More is kept than one read gives: what is beyond it wakes nobody.
        if (lastOf(page) < page.lastSeq) this.#readAgain = true;
      } while (this.#readAgain);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#reading = false;
    }
  }

  #offer(poll: Poll, page: EventPage): void {
    // A page for polls that are further behind: it ends before this one begins.
    const { lastSeq } = poll.covered;
    if (lastOf(page) < lastSeq && lastSeq <= page.lastSeq) {
      if (poll.expired) poll.resolve(poll.covered);
      return;
    }
    const read = readOf(page, {
      ...poll.query,
      after: page.after < lastSeq && page.lastSeq >= lastSeq ? lastSeq : page.after,
    });
    if (read.events.length > 0 || poll.expired) poll.resolve(read);
    else poll.covered = read;
  }

  #fail(error: unknown): void {
    for (const poll of [...this.#polls]) poll.reject(error);
  }
}

/** What of a page a query is about. A page that ends before the log does covers only what it holds. */
function readOf(page: EventPage, query: Pick<EventsQuery, 'after' | 'names'>): EventsRead {
  const after = query.after > page.lastSeq ? 0 : query.after;
  return {
    events: page.events.filter((event) => event.seq > after && (query.names === null || query.names.has(event.name))),
    lastSeq: lastOf(page),
    firstSeq: page.firstSeq,
  };
}

/** The highest number the page covers. */
function lastOf({ events, lastSeq }: EventPage): number {
  return events.length < pageMax ? lastSeq : (events.at(-1)?.seq ?? lastSeq);
}

/** As many as `Events.read` gives at most. */
const pageMax = 1000;
