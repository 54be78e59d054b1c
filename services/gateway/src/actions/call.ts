/** One call of an action, over REST or MCP: its account, its robot and its deadlines. */
import type { Logger, Span } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { EventsFeed } from '../events/events-feed.js';
import type { EventStreams } from '../events/event-streams.js';
import type { OpenCalls } from '../auth/open-calls.js';
import type { IdempotentCall } from '../idempotency/idempotent-call.js';
import type { MediaMaker } from '../media/media-maker.js';
import type { RobotCommands } from '../robots/robot-commands.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { RobotListReader } from '../rest/robot-list-reader.js';
import type { ServiceTime } from '../telemetry/service-time.js';
import type { WaitCalls } from '../waits/wait-calls.js';

export interface ActionServices {
  readonly store: Store;
  readonly log: Logger;
  readonly directory: RobotDirectory;
  readonly robots: RobotListReader;
  readonly commands: RobotCommands;
  readonly states: RobotStates;
  readonly media: MediaMaker;
  readonly waits: WaitCalls;
  readonly feed: EventsFeed;
  readonly streams: EventStreams;
  readonly openCalls: OpenCalls;
}

interface CallParts {
  readonly services: ActionServices;
  readonly exchange: Pick<Call, 'requestId' | 'signal' | 'span' | 'time'>;
  readonly key: Pick<Call, 'account' | 'keyHash'>;
  readonly robot: string;
  /** Aborts when the call is cancelled other than by a closed connection. Null: only a closed connection cancels it. */
  readonly cancelled: AbortSignal | null;
  readonly idempotent: IdempotentCall | null;
}

/** A class rather than an object with a getter: creating the object took longer than admitting the call. */
export class Call {
  readonly services: ActionServices;
  readonly requestId: string;
  readonly account: string;
  readonly keyHash: string;
  readonly robot: string;
  /** Redis time at which the call had arrived completely, ms. Every deadline counts from here. */
  readonly arrivedAt: number;
  /** State shared with other gateways if the call has an Idempotency-Key. */
  readonly idempotent: IdempotentCall | null;
  readonly span: Span | null;
  readonly time: ServiceTime;
  readonly #parts: CallParts;
  #sendsFirst = true;

  constructor(parts: CallParts) {
    const { services, exchange, key, robot, idempotent } = parts;
    this.services = services;
    this.requestId = exchange.requestId;
    this.account = key.account;
    this.keyHash = key.keyHash;
    this.robot = robot;
    this.arrivedAt = services.store.clock.now();
    this.idempotent = idempotent;
    this.span = exchange.span;
    this.time = exchange.time;
    this.#parts = parts;
  }

  /** Aborts when the call is cancelled. Created on first use, because most actions end without it. */
  get signal(): AbortSignal {
    return this.#parts.cancelled ?? this.#parts.exchange.signal;
  }

  /** Returns `arrivedAt` for the first command of the call; undefined for later ones, whose latency includes time that is not the service's. */
  takeArrival(): number | undefined {
    if (!this.#sendsFirst) return undefined;
    this.#sendsFirst = false;
    return this.arrivedAt;
  }

  restarted(): Call {
    return new Call(this.#parts);
  }
}
