/**
 * GET /console/live: the streams that pages hold here. Bounded for each session and for the instance; each ends with its session, with the
 * instance, and with its page. What can be refused is refused before a stream begins.
 */
import type { EventsFeed } from '../../events/events-feed.js';
import type { Exchange } from '../../http/exchange.js';
import type { HeldCalls } from '../../auth/open-calls.js';
import { HeldStreams } from '../../events/open-streams.js';
import type { RobotDirectory } from '../../robots/robot-directory.js';
import type { StreamEnd } from '../../http/sse/sse-connection.js';
import type { WatchedRobot } from '../../events/watched-robot.js';
import { LiveStream } from './live-stream.js';
import { noSuchRobot } from '../robots/robot-service.js';
import type { RobotLists } from '../robots/robot-lists.js';
import type { SessionRoute } from '../route.js';
import type { Twins } from './robot-snapshots.js';
import type { Session } from '../auth/session-auth.js';

export interface LiveOptions {
  feed: EventsFeed;
  events: { read(robot: string, query: { limit: number; newest: true }): Promise<{ events: readonly { seq: number }[]; lastSeq: number }> };
  held: HeldCalls;
  directory: Pick<RobotDirectory, 'read'>;
  lists: RobotLists;
  twins: Twins;
  /** For metrics. */
  ended: (why: StreamEnd) => void;
}

/** Windows of one browser that are open at once, and then some. */
const ofSession = { max: 8, refusal: 'Too many windows of this page are open. Close some.' };
const ofInstance = { max: 2000, refusal: 'Too many pages are open here at the moment.' };
/** Events from before, for a page that has none yet. */
const fromBefore = 50;

export class Live {
  readonly #options: LiveOptions;
  readonly #held: HeldStreams;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#held = new HeldStreams({ held: options.held, ofKey: ofSession, inAll: ofInstance });
  }

  get routes(): SessionRoute[] {
    return [
      {
        for: 'session',
        method: 'GET',
        path: 'live',
        label: 'console_live',
        handle: async ({ session, query, exchange }) => {
          await this.#serve(session, query.get('robot'), exchange);
          return null;
        },
      },
    ];
  }

  /** Resolves when the stream has ended. @throws {ApiError} before it began: rate_limited, unknown_robot, unauthorized, draining */
  #serve({ keyHash, account }: Session, robot: string | null, exchange: Exchange): Promise<void> {
    return this.#held.place(keyHash, exchange.signal, (signal) => this.#hold(account, robot, exchange, signal));
  }

  async #hold(account: string, robot: string | null, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { feed, lists, twins, ended } = this.#options;
    if (exchange.request.method === 'HEAD') return void exchange.stream('text/event-stream').end();
    const after = robot === null ? null : await this.#begin(account, robot, exchange.request.headers['last-event-id']);
    const watched: WatchedRobot | null = robot === null ? null : feed.watch(robot);
    const stream = new LiveStream({ after, wake: () => watched?.wake(), ended });
    const leaves: (() => void)[] = [];
    try {
      await watched?.join(stream);
      await this.#held.run(stream, exchange, signal, (response) => {
        stream.begin(response);
        leaves.push(lists.join(account, (record) => stream.tell('robots', record)));
        if (robot !== null) leaves.push(twins.join(robot, (record) => stream.tell('twin', record)));
      });
    } finally {
      for (const leave of leaves) leave();
      watched?.leave(stream);
    }
  }

  /** @returns the number behind which events are told @throws {ApiError} unknown_robot */
  async #begin(account: string, robot: string, lastEventId: string | string[] | undefined): Promise<number> {
    if ((await this.#options.directory.read(robot))?.record.account !== account) throw noSuchRobot();
    const { events, lastSeq } = await this.#options.events.read(robot, { limit: fromBefore, newest: true });
    const asked = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    return asked ?? (events[0]?.seq ?? lastSeq + 1) - 1;
  }
}
