import type { EventsFeed } from '../../events/events-feed.js';
import type { Exchange } from '../../http/exchange.js';
import type { OpenCalls } from '../../calls/open-calls.js';
import { OpenStreams } from '../../events/open-streams.js';
import type { StreamEnd } from '../../http/sse/sse-connection.js';
import type { WatchedRobot } from '../../events/watched-robot.js';
import { LiveStream } from './live-stream.js';
import type { RobotLists } from '../robots/robot-lists.js';
import type { RobotAccess } from '../sharing/robot-access.js';
import type { SessionRequest, SessionRoute } from '../route.js';
import type { RobotSnapshots } from './robot-snapshots.js';
import type { Session } from '../auth/session-auth.js';

export interface LiveOptions {
  feed: EventsFeed;
  events: { read(robot: string, query: { limit: number; newest: true }): Promise<{ events: readonly { seq: number }[]; lastSeq: number }> };
  openCalls: OpenCalls;
  access: Pick<RobotAccess, 'watch'>;
  lists: RobotLists;
  snapshots: RobotSnapshots;
  ended: (why: StreamEnd) => void;
}

/** More than the windows that a user has open at once. */
const perSession = { max: 8, refusal: 'Too many windows of this page are open. Close some.' };
const perInstance = { max: 2000, refusal: 'Too many pages are open on this instance of the service at the moment.' };
const earlierEvents = 50;

export class Live {
  readonly #options: LiveOptions;
  readonly #openStreams: OpenStreams;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#openStreams = new OpenStreams({ openCalls: options.openCalls, ofKey: perSession, inAll: perInstance });
  }

  get routes(): SessionRoute[] {
    const handle = async ({ session, query, exchange }: SessionRequest): Promise<null> => {
      await this.#serve(session, query.get('robot'), exchange);
      return null;
    };
    return [{ for: 'session', method: 'GET', path: 'live', cost: 1, label: 'console_live', handle }];
  }

  /** Resolves when the stream has ended. @throws {ApiError} before the stream starts: rate_limited, unknown_robot, unauthorized, draining */
  async #serve({ keyHash, account }: Session, robot: string | null, exchange: Exchange): Promise<void> {
    const guest = robot === null ? null : (await this.#options.access.watch(account, robot, { fresh: true })).guest;
    await this.#openStreams.place({ keyHash, guest }, exchange.signal, (signal) => this.#hold(account, robot, exchange, signal));
  }

  async #hold(account: string, robot: string | null, exchange: Exchange, signal: AbortSignal): Promise<void> {
    const { feed, lists, snapshots, ended } = this.#options;
    if (exchange.request.method === 'HEAD') return void exchange.stream('text/event-stream').end();
    const after = robot === null ? null : await this.#startAfter(robot, exchange.request.headers['last-event-id']);
    const watched: WatchedRobot | null = robot === null ? null : feed.watch(robot);
    const stream = new LiveStream({ after, wake: () => watched?.wake(), ended });
    const unsubscribe: (() => void)[] = [];
    try {
      await watched?.join(stream);
      await this.#openStreams.run(stream, exchange, signal, (response) => {
        stream.begin(response);
        unsubscribe.push(lists.subscribe(account, (record) => stream.send('robots', record)));
        if (robot !== null) unsubscribe.push(snapshots.subscribe(robot, (record) => stream.send('twin', record)));
      });
    } finally {
      for (const stop of unsubscribe) stop();
      watched?.leave(stream);
    }
  }

  async #startAfter(robot: string, lastEventId: string | string[] | undefined): Promise<number> {
    const { events, lastSeq } = await this.#options.events.read(robot, { limit: earlierEvents, newest: true });
    const resumeAfter = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    return resumeAfter ?? (events[0]?.seq ?? lastSeq + 1) - 1;
  }
}
