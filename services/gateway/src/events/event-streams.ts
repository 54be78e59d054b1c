/** Serves event streams. Errors that can be detected before a stream begins are answered like those of any other call. */
import { ApiError, limits, type ArgsOf } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { EventsFeed } from './events-feed.js';
import { EventStream } from './event-stream.js';
import type { Exchange } from '../http/exchange.js';
import type { OpenCalls } from '../calls/open-calls.js';
import { OpenStreams } from './open-streams.js';
import { unknownRobot, type RobotDirectory } from '../robots/robot-directory.js';
import type { StreamEnd } from '../http/sse/sse-connection.js';

const { streamsMax } = limits.events;

export interface EventStreamsOptions {
  feed: EventsFeed;
  openCalls: OpenCalls;
  directory: Pick<RobotDirectory, 'read'>;
  ended: (why: StreamEnd) => void;
}

export class EventStreams {
  readonly #options: EventStreamsOptions;
  readonly #openStreams: OpenStreams;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    const refusal = `This key already has ${streamsMax} open event streams at this instance. Close some first.`;
    this.#openStreams = new OpenStreams({ openCalls: options.openCalls, ofKey: { max: streamsMax, refusal } });
  }

  /** @throws {ApiError} before the stream begins: rate_limited if the key has too many streams, unknown_robot, unauthorized, draining */
  serve(call: Call, args: ArgsOf<'events'>, exchange: Exchange): Promise<void> {
    return this.#openStreams.place(call, call.signal, (signal) => this.#hold(call, args, exchange, signal));
  }

  async #hold({ robot, requestId }: Call, { after, names }: ArgsOf<'events'>, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { feed, ended } = this.#options;
    const watched = feed.watch(robot);
    const stream = new EventStream({
      after,
      names: names === undefined ? null : new Set(names),
      requestId,
      wake: () => watched.wake(),
      checkRemoved: () => void this.#endIfRemoved(robot, stream),
      ended,
    });
    try {
      await watched.join(stream);
      const page = await feed.read(robot, after);
      if (page.lastSeq === 0) await this.#mustExist(robot);
      await this.#openStreams.run(stream, exchange, signal, (response) => {
        stream.begin(response, page);
        // Events appended since that page did not wake this reader, which was not ready yet.
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
      // Redis is unreachable: the next read reports it.
    }
  }

  async #mustExist(robot: string): Promise<void> {
    if ((await this.#options.directory.read(robot)) === null) throw unknownRobot();
  }
}
