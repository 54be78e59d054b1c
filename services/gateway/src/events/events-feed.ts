import type { EventName, RobotEvent } from '@perch/schema';
import { isDraining } from '../calls/failures.js';
import { readPage, WatchedRobot, type CoveringPage, type Events, type FeedReader } from './watched-robot.js';

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
