/**
 * Reads of a robot's events, and polls that wait for the next one. Whoever waits for one robot, polls and streams alike, shares one subscription
 * and one reader.
 */
import type { EventName, RobotEvent } from '@perch/schema';
import { isDraining } from '../auth/open-calls.js';
import { readPage, WatchedRobot, type CoveringPage, type Events, type FeedReader } from './watched-robot.js';

export interface EventsQuery {
  after: number;
  /** null: all. */
  names: ReadonlySet<EventName> | null;
  /** How long to wait for a next event, ms. */
  waitMs: number;
}

export interface EventsRead {
  events: RobotEvent[];
  /** Highest number the answer covers, events of other names included; never below the `after` of the query. */
  lastSeq: number;
  /** As `firstSeqOf` says; null when no event is kept. */
  firstSeq: number | null;
  /** Whether the robot has an event log at all: a removed robot has none. */
  logged: boolean;
}

/** Events in one answer. */
const pageMax = 1000;

export class EventsFeed {
  readonly #events: Events;
  readonly #watched = new Map<string, WatchedRobot>();

  constructor(events: Events) {
    this.#events = events;
  }

  /** Robots somebody waits for, for metrics and leak checks. */
  get size(): number {
    return this.#watched.size;
  }

  /** What is kept after a number, as far as one read gives it. */
  read(robot: string, after: number): Promise<CoveringPage> {
    return readPage(this.#events, robot, after, pageMax);
  }

  /** Whether `read` would have to wait is known only after a first look, which this is. */
  async look(robot: string, query: EventsQuery): Promise<{ found: EventsRead; waits: boolean }> {
    const page = await this.read(robot, query.after);
    const found = readOf(page, query);
    return { found, waits: query.waitMs > 0 && found.events.length === 0 };
  }

  /**
   * Waits for a next event after `seen`; resolves empty after `waitMs`, or at once when this instance drains.
   * @throws the signal's reason otherwise
   */
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
      // Subscribe, then check, then wait: what came before the subscription is in this read.
      watched.join(poll).then(
        () => watched.wake(),
        (error: unknown) => poll.fail(error),
      );
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The robot as all who wait for it share it; whoever joins it must leave. */
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
  readonly atOnce = pageMax;
  expired = false;
  readonly #query: EventsQuery;
  readonly #end: (settle: Settle) => void;
  /** What it would answer now. */
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

  /** Answers with what there is. */
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

/** Selects what of a page answers a query. @param seen number up to which the reader has been served already */
function readOf(page: CoveringPage, { after, names }: Pick<EventsQuery, 'after' | 'names'>, seen = after): EventsRead {
  return {
    events: page.events.filter(({ seq, name }) => seq > seen && (names === null || names.has(name))),
    // A page for readers that are further behind ends before this reader begins.
    lastSeq: Math.max(page.covers, seen),
    firstSeq: firstSeqOf(page, after),
    logged: page.lastSeq > 0,
  };
}

/**
 * The number from which on everything is kept, as far as a reader of `after` is concerned: the oldest number kept or, where numbering jumped
 * behind `after`, the first number after the jump. Above `after` + 1 it means that events in between are missing.
 */
function firstSeqOf({ firstSeq, jumpedTo }: CoveringPage, after: number): number | null {
  if (firstSeq === null || jumpedTo === null || after === 0 || jumpedTo <= after + 1) return firstSeq;
  return Math.max(firstSeq, jumpedTo);
}
