/** The streams of robots' events that an instance holds. What can be refused is refused before a stream begins, as any other call. */
import { ApiError, limits, type ArgsOf } from '@perch/schema';
import type { Call } from '../actions/call.js';
import type { EventsFeed } from './events-feed.js';
import { EventStream } from './event-stream.js';
import type { Exchange } from '../http/exchange.js';
import type { HeldCalls } from '../auth/open-calls.js';
import { HeldStreams } from './open-streams.js';
import { unknownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import type { StreamEnd } from '../http/sse/sse-connection.js';

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
  readonly #held: HeldStreams;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    const refusal = `This key holds ${streamsMax} streams of events here already. Close some first.`;
    this.#held = new HeldStreams({ held: options.held, ofKey: { max: streamsMax, refusal } });
  }

  /**
   * Resolves when the stream has ended.
   * @throws {ApiError} before it began: rate_limited where the key holds too many, unknown_robot, unauthorized, draining
   */
  serve(call: Call, args: ArgsOf<'events'>, exchange: Exchange): Promise<void> {
    return this.#held.place(call.keyHash, call.signal, (signal) => this.#hold(call, args, exchange, signal));
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
      await this.#held.run(stream, exchange, signal, (response) => {
        stream.begin(response, page);
        // What came since that page woke nobody who was passed over.
        watched.wake();
      });
    } finally {
      watched.leave(stream);
    }
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
