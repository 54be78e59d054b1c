/**
 * The streams of events an instance holds: opened, looked after by one timer, and ended when their key, their robot, the instance or their
 * client goes. What can be refused is refused before a stream begins, as any other call.
 */
import { ApiError, limits, type ArgsOf } from '@perch/schema';
import type { Call } from './call.js';
import { ClientGone } from './errors.js';
import type { EventsFeed } from './events-feed.js';
import { EventStream } from './event-stream.js';
import type { Exchange } from './exchange.js';
import type { HeldCalls } from './held-calls.js';
import { unknownRobot, type RobotDirectory } from './robot-directory.js';
import type { StreamEnd } from './sse-line.js';

const tickMs = 1000;
const { streamsMax } = limits.events;

export interface EventStreamsOptions {
  feed: EventsFeed;
  held: HeldCalls;
  directory: Pick<RobotDirectory, 'read'>;
  /** For metrics. */
  ended: (why: StreamEnd) => void;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #streams = new Set<EventStream>();
  /** How many each key holds. */
  readonly #ofKey = new Map<string, number>();
  #ticks: NodeJS.Timeout | null = null;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the stream has ended.
   * @throws {ApiError} before it began: rate_limited where the key holds too many, unknown_robot, unauthorized, draining
   */
  async serve(call: Call, args: ArgsOf<'events'>, exchange: Exchange): Promise<void> {
    const { keyHash } = call;
    const ofKey = this.#ofKey.get(keyHash) ?? 0;
    if (ofKey >= streamsMax) {
      throw new ApiError('rate_limited', `This key holds ${streamsMax} streams of events here already. Close some first.`, { retryAfterS: 15 });
    }
    this.#ofKey.set(keyHash, ofKey + 1);
    try {
      await this.#options.held.run(keyHash, 'stream', call.signal, (signal) => this.#hold(call, args, exchange, signal));
    } finally {
      const left = this.#ofKey.get(keyHash)! - 1;
      if (left === 0) this.#ofKey.delete(keyHash);
      else this.#ofKey.set(keyHash, left);
    }
  }

  async #hold({ robot, requestId }: Call, { after, names }: ArgsOf<'events'>, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { feed, ended } = this.#options;
    const watched = feed.watch(robot);
    const stream = new EventStream({
      after,
      names: names === undefined ? null : new Set(names),
      requestId,
      wake: () => watched.wake(),
      suspect: () => void this.#endIfRemoved(robot, stream),
      ended,
    });
    try {
      await watched.join(stream);
      const page = await feed.read(robot, after);
      if (page.lastSeq === 0) await this.#mustExist(robot);
      signal.throwIfAborted();
      const response = exchange.stream('text/event-stream');
      const over = new Promise<void>((resolve) => {
        response.once('close', resolve);
        signal.addEventListener('abort', () => {
          if (!(signal.reason instanceof ClientGone)) return stream.end(signal.reason);
          // One that stands in line behind another answer of its connection hears of no close.
          stream.hungUp();
          resolve();
        });
      });
      stream.begin(response, page);
      this.#streams.add(stream);
      this.#ticks ??= setInterval(() => this.#tick(), tickMs);
      // What came since that page woke nobody who was passed over.
      watched.wake();
      await over;
      stream.hungUp();
    } finally {
      watched.leave(stream);
      this.#streams.delete(stream);
      if (this.#streams.size === 0 && this.#ticks !== null) {
        clearInterval(this.#ticks);
        this.#ticks = null;
      }
    }
  }

  #tick(): void {
    const now = performance.now();
    for (const stream of this.#streams) stream.tick(now);
  }

  async #endIfRemoved(robot: string, stream: EventStream): Promise<void> {
    try {
      await this.#mustExist(robot);
    } catch (error) {
      if (error instanceof ApiError) stream.end(error);
      // Redis is away: the next read says more.
    }
  }

  /** @throws {ApiError} unknown_robot */
  async #mustExist(robot: string): Promise<void> {
    if ((await this.#options.directory.read(robot)) === null) throw unknownRobot();
  }
}
