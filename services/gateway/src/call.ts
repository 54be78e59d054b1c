/** One call of an action, whichever way it came in: who calls, about which robot, and how long it may take. */
import type { Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { EventsFeed } from './events-feed.js';
import type { EventStreams } from './event-streams.js';
import type { HeldCalls } from './held-calls.js';
import type { IdempotentCall } from './idempotent-call.js';
import type { MediaMaker } from './media-maker.js';
import type { RobotCommands } from './robot-commands.js';
import type { RobotDirectory } from './robot-directory.js';
import type { RobotStates } from './robot-states.js';
import type { WaitCalls } from './wait-calls.js';

/** What an action works with; built once by `createGateway`. */
export interface Tools {
  readonly store: Store;
  readonly log: Logger;
  readonly directory: RobotDirectory;
  readonly commands: RobotCommands;
  readonly states: RobotStates;
  readonly media: MediaMaker;
  readonly waits: WaitCalls;
  readonly feed: EventsFeed;
  readonly streams: EventStreams;
  readonly held: HeldCalls;
}

export interface Call {
  readonly tools: Tools;
  readonly requestId: string;
  readonly account: string;
  /** For `HeldCalls`, which looks whether the key still works. */
  readonly keyHash: string;
  readonly robot: string;
  /** Redis time in ms at which the whole call had arrived; every deadline counts from here. */
  readonly arrivedAt: number;
  /** Aborted when the client hangs up. Made when it is first asked for: most actions end before anybody would look. */
  readonly signal: AbortSignal;
  /** Of a call under an Idempotency-Key, what is known of it beyond this gateway. */
  readonly idempotent: IdempotentCall | null;
}

/**
 * A call whose whole request has arrived just now.
 * @param exchange the request it came with
 * @param signal aborted where the call is given up, if that is not the same as the client's hanging up
 */
export function callOf(
  tools: Tools,
  exchange: Pick<Call, 'requestId' | 'signal'>,
  { account, keyHash }: Pick<Call, 'account' | 'keyHash'>,
  robot: string,
  signal: AbortSignal | null = null,
  idempotent: IdempotentCall | null = null,
): Call {
  return {
    tools,
    requestId: exchange.requestId,
    account,
    keyHash,
    robot,
    arrivedAt: tools.store.clock.now(),
    get signal() {
      return signal ?? exchange.signal;
    },
    idempotent,
  };
}
