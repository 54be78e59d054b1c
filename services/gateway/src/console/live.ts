import type { EventsFeed, WatchedRobot, CoveringPage, FeedReader } from '../events/events-feed.js';
import type { Exchange } from '../http/exchange.js';
import type { OpenCalls } from '../calls/open-calls.js';
import { OpenStreams } from '../events/open-streams.js';
import { type StreamEnd, SseConnection, sseComment, sseRecord } from '../http/sse.js';
import { type RobotLists, SharedPoller } from './robots/robot-lists.js';
import type { RobotAccess } from './sharing/robot-access.js';
import type { SessionRequest, SessionRoute } from './route.js';
import type { Session } from './auth/session-auth.js';
import type { Writable } from 'node:stream';
import { asApiError, isDraining } from '../calls/failures.js';
import type { ObservedState, RobotSnapshot } from '@perch/schema';
import type { RobotStates } from '../robots/robot-states.js';

interface LiveOptions {
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

/** A page that reads slowly gets only the newest list and snapshot, but every event: events are read from Redis when it can take them. */
interface LiveStreamOptions {
  /** Number of the last event not to send; null: the page watches no robot. */
  after: number | null;
  /** Called when the page can take events and more may be stored. */
  wake(): void;
  ended(why: StreamEnd): void;
}

export class LiveStream implements FeedReader {
  /** Events per write; bounds the memory that a page costs which does not read. */
  readonly batchMax = 30;
  readonly #connection: SseConnection;
  readonly #options: LiveStreamOptions;
  #after: number | null;
  readonly #pending = new Map<'robots' | 'twin', string>();

  constructor(options: LiveStreamOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#connection = new SseConnection({ beat: () => sseComment, drained: () => this.#resume(), ended: (why) => options.ended(why) });
  }

  get position(): number | null {
    return this.#connection.takes ? this.#after : null;
  }

  begin(response: Writable): void {
    this.#connection.write(this.#connection.begin(response));
    this.#resume();
  }

  /** Sends a record, or keeps it as the newest of its kind while the page does not read. @param record complete server-sent event */
  send(kind: 'robots' | 'twin', record: string): void {
    if (this.#connection.takes) this.#connection.write(record);
    else if (!this.#connection.over) this.#pending.set(kind, record);
  }

  offer(page: CoveringPage): void {
    const { position } = this;
    if (position === null) return;
    let text = '';
    let after = position;
    const gapTo = (oldest: number): string => {
      if (after === 0) return '';
      const dropped = page.jumpedTo === null || page.jumpedTo <= after + 1;
      return sseRecord({ event: 'gap', id: oldest - 1, data: { after, oldest, dropped } });
    };
    for (const event of page.events) {
      if (event.seq <= after) continue;
      if (event.seq > after + 1) text += gapTo(event.seq);
      text += sseRecord({ event: 'event', id: event.seq, data: event });
      after = event.seq;
    }
    if (page.covers > after) {
      text += gapTo(page.covers + 1);
      after = page.covers;
    }
    this.#after = after;
    if (text !== '') this.#connection.write(text);
  }

  /** Does nothing while Redis is unavailable: the reader retries. */
  fail(): void {}

  tick(now: number): void {
    this.#connection.tick(now);
  }

  end(reason: unknown): void {
    const { code, message } = asApiError(reason);
    if (isDraining(reason)) this.#connection.end(code, sseRecord({ event: 'drain', data: {} }));
    else if (code === 'unauthorized')
      this.#connection.end(code, sseRecord({ event: 'end', data: { ok: false, code: 'signed_out', error: 'The session ended. Sign in again.' } }));
    else this.#connection.end(code, sseRecord({ event: 'end', data: { ok: false, code, error: message } }));
  }

  hungUp(): void {
    this.#connection.cut('hung_up');
  }

  #resume(): void {
    for (const [kind, record] of this.#pending) {
      if (!this.#connection.takes) return;
      this.#pending.delete(kind);
      this.#connection.write(record);
    }
    if (this.#after !== null) this.#options.wake();
  }
}

/** Each watched robot is polled a few times a second, once for all pages of this instance. */
const intervalMs = 400;
const idle: ObservedState = { bubble: null, head: { yaw: null, pitch: null, moving: false }, leds: { pixels: null, effect: null }, sound: false };

export class RobotSnapshots {
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #pollers = new Map<string, SharedPoller<RobotSnapshot>>();

  constructor(states: Pick<RobotStates, 'watch'>) {
    this.#states = states;
  }

  /** Calls back with the snapshot as a record of the stream, now and on each change, until the robot is removed. @returns unsubscribes */
  subscribe(robot: string, onRecord: (record: string) => void): () => void {
    let poller = this.#pollers.get(robot);
    if (poller === undefined) {
      poller = this.#pollerFor(robot);
      this.#pollers.set(robot, poller);
    }
    return poller.subscribe(onRecord);
  }

  #pollerFor(robot: string): SharedPoller<RobotSnapshot> {
    let last: { session: string; doing: ObservedState } | null = null;
    return new SharedPoller<RobotSnapshot>({
      intervalMs: () => intervalMs,
      poll: async () => {
        const { known, state, doing } = await this.#states.watch(robot);
        const { session } = known.lease;
        const online = known.lease.state !== 'away';
        if (doing !== null) last = { session, doing };
        // If the robot-link did not reply in time, keep the last state of the same session.
        const does = doing ?? (online && last?.session === session ? last.doing : idle);
        return {
          online,
          showing: state.showing,
          ...does,
          readings: state.readings as RobotSnapshot['readings'],
          readings_at: timeOrNull(state.readingsAt),
        };
      },
      comparable: JSON.stringify,
      format: (snapshot) => sseRecord({ event: 'twin', data: snapshot }),
      onEmpty: () => this.#pollers.delete(robot),
    });
  }
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
