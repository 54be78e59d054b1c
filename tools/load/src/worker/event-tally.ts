/** Compares the events that the robots of a worker sent with those that programs received. An event is identified by the place of its tap. */
import { Histogram } from '../histogram.js';
import { readerKinds, type ReaderKind } from '../mix.js';
import type { ReaderCounts, SentTap } from './plan.js';
import { sharedNow } from './shared-clock.js';
import { tapAt } from './tap-places.js';

interface RobotEvents {
  reader: ReaderKind;
  /** By number: sharedNow() at sending, of events not received yet. */
  readonly sentAt: Map<number, number>;
  /** By number: id of the message that delivered it, or '' for polls and streams. */
  readonly seen: Map<number, string>;
}

interface SeenTap {
  robot: string;
  n: number;
  message: string;
  /** sharedNow() */
  at: number;
}

interface Kind {
  robots: number;
  sent: number;
  seen: number;
  doubled: number;
  latency: Histogram;
}

export class EventTally {
  readonly recent = new Histogram();
  redelivered = 0;
  readonly #robots = new Map<string, RobotEvents>();
  readonly #kinds = Object.fromEntries(
    readerKinds.map((kind) => [kind, { robots: 0, sent: 0, seen: 0, doubled: 0, latency: new Histogram() }]),
  ) as Record<ReaderKind, Kind>;
  readonly #problem: (what: string) => void;
  /** Received events, in order. Robots report what they sent from another process, often after a program received it. */
  #unmatched: SeenTap[] = [];

  constructor(problem: (what: string) => void) {
    this.#problem = problem;
  }

  robot(id: string, reader: ReaderKind): void {
    this.#robots.set(id, { reader, sentAt: new Map(), seen: new Map() });
    this.#kinds[reader].robots += 1;
  }

  /** Counts taps that robots sent. @param until sharedNow(): all taps up to then are known, so that events received up to then can be matched */
  sent(taps: readonly SentTap[], until: number): void {
    for (const { robot, n, at } of taps) {
      const events = this.#robots.get(robot)!;
      events.sentAt.set(n, at);
      this.#kinds[events.reader].sent += 1;
    }
    const later = this.#unmatched.findIndex(({ at }) => at > until);
    for (const seen of this.#unmatched.splice(0, later === -1 ? Infinity : later)) this.#match(seen);
  }

  /** Notes a received event; ignores those not counted as sent (`connected`, answers). @param message webhook-id, or '' for polls and streams */
  seen(robot: string, name: unknown, data: unknown, message = ''): void {
    if (!this.#robots.has(robot) || name !== 'tap') return;
    const { x, y } = data as { x: number; y: number };
    this.#unmatched.push({ robot, n: tapAt(x, y), message, at: sharedNow() });
  }

  #match({ robot, n, message, at }: SeenTap): void {
    const events = this.#robots.get(robot)!;
    const kind = this.#kinds[events.reader];
    const sentAt = events.sentAt.get(n);
    if (sentAt !== undefined) {
      events.sentAt.delete(n);
      events.seen.set(n, message);
      const ms = at - sentAt;
      kind.seen += 1;
      kind.latency.record(ms);
      this.recent.record(ms);
      return;
    }
    const before = events.seen.get(n);
    if (before === undefined) return;
    if (message !== '' && before === message) this.redelivered += 1;
    else {
      kind.doubled += 1;
      this.#problem(`event ${n} of ${robot} came twice by ${events.reader}: ${before} ${message}`.trimEnd());
    }
  }

  get total(): { sent: number; seen: number } {
    const kinds = Object.values(this.#kinds);
    return { sent: kinds.reduce((sum, { sent }) => sum + sent, 0), seen: kinds.reduce((sum, { seen }) => sum + seen, 0) };
  }

  missing(): string[] {
    return [...this.#robots]
      .filter(([, { sentAt }]) => sentAt.size > 0)
      .slice(0, 5)
      .map(([robot, { reader, sentAt }]) => `${robot}: event ${[...sentAt.keys()].slice(0, 5).join(', ')} did not come by ${reader}`);
  }

  counts(): Record<ReaderKind, ReaderCounts> {
    const counts = readerKinds.map((kind): [ReaderKind, ReaderCounts] => {
      const { latency, ...numbers } = this.#kinds[kind];
      return [kind, { ...numbers, histogram: latency.text() }];
    });
    return Object.fromEntries(counts) as Record<ReaderKind, ReaderCounts>;
  }
}
