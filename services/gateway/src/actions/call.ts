/** One call of an action, whichever way it came in: who calls, about which robot, and how long it may take. */
import type { Logger, Span } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { EventsFeed } from '../events/events-feed.js';
import type { EventStreams } from '../events/event-streams.js';
import type { HeldCalls } from '../auth/open-calls.js';
import type { IdempotentCall } from '../idempotency/idempotent-call.js';
import type { MediaMaker } from '../media/media-maker.js';
import type { RobotCommands } from '../robots/robot-commands.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { KeysRobots } from '../rest/robots.js';
import type { ServiceTime } from '../telemetry/service-time.js';
import type { WaitCalls } from '../waits/wait-calls.js';

/** What an action works with; built once by `createGateway`. */
export interface Tools {
  readonly store: Store;
  readonly log: Logger;
  readonly directory: RobotDirectory;
  readonly robots: KeysRobots;
  readonly commands: RobotCommands;
  readonly states: RobotStates;
  readonly media: MediaMaker;
  readonly waits: WaitCalls;
  readonly feed: EventsFeed;
  readonly streams: EventStreams;
  readonly held: HeldCalls;
}

/** What a call is made of. */
interface CallParts {
  readonly tools: Tools;
  /** The request it came with. */
  readonly exchange: Pick<Call, 'requestId' | 'signal' | 'span' | 'time'>;
  readonly key: Pick<Call, 'account' | 'keyHash'>;
  readonly robot: string;
  /** Aborted where the call is given up, if that is not the same as the client's hanging up. */
  readonly givenUp: AbortSignal | null;
  readonly idempotent: IdempotentCall | null;
}

/** A class and not an object with a getter, which took longer to make than to admit it. */
export class Call {
  readonly tools: Tools;
  readonly requestId: string;
  readonly account: string;
  /** For `HeldCalls`, which looks whether the key still works. */
  readonly keyHash: string;
  readonly robot: string;
  /** Redis time in ms at which the whole call had arrived; every deadline counts from here. */
  readonly arrivedAt: number;
  /** Of a call under an Idempotency-Key, what is known of it beyond this gateway. */
  readonly idempotent: IdempotentCall | null;
  /** The span of its request, if it is traced. */
  readonly span: Span | null;
  readonly time: ServiceTime;
  readonly #parts: CallParts;
  #sendsFirst = true;

  /** A call whose whole request has arrived just now. */
  constructor(parts: CallParts) {
    const { tools, exchange, key, robot, idempotent } = parts;
    this.tools = tools;
    this.requestId = exchange.requestId;
    this.account = key.account;
    this.keyHash = key.keyHash;
    this.robot = robot;
    this.arrivedAt = tools.store.clock.now();
    this.idempotent = idempotent;
    this.span = exchange.span;
    this.time = exchange.time;
    this.#parts = parts;
  }

  /** Aborted when the client hangs up. Made when it is first asked for: most actions end before anybody would look. */
  get signal(): AbortSignal {
    return this.#parts.givenUp ?? this.#parts.exchange.signal;
  }

  /** `arrivedAt` for the call's first command; undefined for those that follow, whose time is not the service's alone. */
  takeArrival(): number | undefined {
    if (!this.#sendsFirst) return undefined;
    this.#sendsFirst = false;
    return this.arrivedAt;
  }

  /** The same call, as if it had arrived just now. */
  again(): Call {
    return new Call(this.#parts);
  }
}
