/** Compares the events that this worker's robots send with those that programs receive. An event is identified by the position of its tap. */
import { Histogram } from '../histogram.js';
import { readerKinds, type ReaderKind } from '../mix.js';
import type { ReaderCounts } from './plan.js';

const screenWidth = 320;
const screenHeight = 240;

interface RobotEvents {
  reader: ReaderKind;
  count: number;
  /** By number: performance.now() at sending, of events not received yet. */
  readonly sentAt: Map<number, number>;
  /** By number: id of the message that delivered it, or '' for polls and streams. */
  readonly seen: Map<number, string>;
}

interface Kind {
  robots: number;
  sent: number;
  seen: number;
  doubled: number;
  latency: Histogram;
}

export class EventTally {
  /** Latencies since the last sample, over all readers. */
  readonly recent = new Histogram();
  redelivered = 0;
  readonly #robots = new Map<string, RobotEvents>();
  readonly #kinds = Object.fromEntries(
    readerKinds.map((kind) => [kind, { robots: 0, sent: 0, seen: 0, doubled: 0, latency: new Histogram() }]),
  ) as Record<ReaderKind, Kind>;
  readonly #problem: (what: string) => void;

  constructor(problem: (what: string) => void) {
    this.#problem = problem;
  }

  robot(id: string, reader: ReaderKind): void {
    this.#robots.set(id, { reader, count: 0, sentAt: new Map(), seen: new Map() });
    this.#kinds[reader].robots += 1;
  }

  /** Counts the next event of a robot. Returns the position of its tap. */
  sent(robot: string): { x: number; y: number } {
    const events = this.#robots.get(robot)!;
    const n = ++events.count;
    events.sentAt.set(n, performance.now());
    this.#kinds[events.reader].sent += 1;
    return { x: n % screenWidth, y: Math.floor(n / screenWidth) % screenHeight };
  }

  /**
   * Counts an event that a program received. Events that were not counted as sent (`connected`, answers to questions) are ignored.
   * @param message webhook-id, or '' for polls and streams
   */
  seen(robot: string, name: unknown, data: unknown, message = ''): void {
    const events = this.#robots.get(robot);
    if (events === undefined || name !== 'tap') return;
    const { x, y } = data as { x: number; y: number };
    const n = y * screenWidth + x;
    const kind = this.#kinds[events.reader];
    const sentAt = events.sentAt.get(n);
    if (sentAt !== undefined) {
      events.sentAt.delete(n);
      events.seen.set(n, message);
      const ms = performance.now() - sentAt;
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
