/**
 * GET /console/live: the streams that pages hold here. Bounded for each session and for the instance; each ends with its session, with the
 * instance, and with its page. What can be refused is refused before a stream begins.
 */
import { ApiError } from '@perch/schema';
import { ClientGone } from '../errors.js';
import type { EventsFeed } from '../events-feed.js';
import type { Exchange } from '../exchange.js';
import type { HeldCalls } from '../held-calls.js';
import type { RobotDirectory } from '../robot-directory.js';
import type { StreamEnd } from '../sse-line.js';
import type { WatchedRobot } from '../watched-robot.js';
import { LiveStream } from './live-stream.js';
import { noSuchRobot } from './owners-robots.js';
import type { RobotLists } from './robot-lists.js';
import type { SessionRoute } from './route.js';
import type { Twins } from './twins.js';
import type { Session } from './visitor.js';

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
const ofSessionMax = 8;
const ofInstanceMax = 2000;
/** Events from before, for a page that has none yet. */
const fromBefore = 50;
const tickMs = 1000;

export class Live {
  readonly #options: LiveOptions;
  readonly #streams = new Set<LiveStream>();
  /** How many each session holds, those included that are about to begin. */
  readonly #ofSession = new Map<string, number>();
  #held = 0;
  #ticks: NodeJS.Timeout | null = null;

  constructor(options: LiveOptions) {
    this.#options = options;
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
  async #serve(session: Session, robot: string | null, exchange: Exchange): Promise<void> {
    const { keyHash } = session;
    const ofSession = this.#ofSession.get(keyHash) ?? 0;
    if (ofSession >= ofSessionMax) throw new ApiError('rate_limited', 'Too many windows of this page are open. Close some.', { retryAfterS: 15 });
    if (this.#held >= ofInstanceMax) throw new ApiError('rate_limited', 'Too many pages are open here at the moment.', { retryAfterS: 15 });
    this.#held += 1;
    this.#ofSession.set(keyHash, ofSession + 1);
    try {
      await this.#options.held.run(keyHash, 'stream', exchange.signal, (signal) => this.#hold(session.account, robot, exchange, signal));
    } finally {
      this.#held -= 1;
      const left = this.#ofSession.get(keyHash)! - 1;
      if (left === 0) this.#ofSession.delete(keyHash);
      else this.#ofSession.set(keyHash, left);
    }
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
      stream.begin(response);
      this.#add(stream);
      leaves.push(lists.join(account, (record) => stream.tell('robots', record)));
      if (robot !== null) leaves.push(twins.join(robot, (record) => stream.tell('twin', record)));
      await over;
      stream.hungUp();
    } finally {
      for (const leave of leaves) leave();
      watched?.leave(stream);
      this.#remove(stream);
    }
  }

  /** @returns the number behind which events are told @throws {ApiError} unknown_robot */
  async #begin(account: string, robot: string, lastEventId: string | string[] | undefined): Promise<number> {
    if ((await this.#options.directory.read(robot))?.record.account !== account) throw noSuchRobot();
    const { events, lastSeq } = await this.#options.events.read(robot, { limit: fromBefore, newest: true });
    const asked = typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    // A number that was never given out is another log's: Redis lost this one since.
    return asked !== null && asked <= lastSeq ? asked : (events[0]?.seq ?? lastSeq + 1) - 1;
  }

  #add(stream: LiveStream): void {
    this.#streams.add(stream);
    this.#ticks ??= setInterval(() => {
      const now = performance.now();
      for (const each of this.#streams) each.tick(now);
    }, tickMs);
  }

  #remove(stream: LiveStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#ticks === null) return;
    clearInterval(this.#ticks);
    this.#ticks = null;
  }
}
