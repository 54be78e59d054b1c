import type { ActionName, AnswerOf, ArgsOf } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Call } from '../../calls/call.js';
import type { KeyValidity } from '../../calls/key-validity.js';
import type { OpenCalls } from '../../calls/open-calls.js';
import type { EventsFeed } from '../../events/events-feed.js';
import type { MediaMaker } from '../../media/media-maker.js';
import type { ScreenImages } from '../../media/screen-images.js';
import type { RobotCommands } from '../../robots/robot-commands.js';
import type { RobotDirectory } from '../../robots/robot-directory.js';
import type { RobotStates } from '../../robots/robot-states.js';
import type { QueuedCalls } from '../../waits/queued-calls.js';
import type { Stops } from '../../waits/stops.js';
import type { WaitCalls } from '../../waits/wait-calls.js';

/** Returns the answer without its `ok`. @throws {ApiError} in the order 503 (offline), 501, then pictures (400) */
export type Action<N extends ActionName> = (call: Call, args: ArgsOf<N>) => Promise<Omit<AnswerOf<N>, 'ok'>>;

export interface ActionServices {
  readonly clock: Pick<Store['clock'], 'now'>;
  readonly directory: RobotDirectory;
  readonly commands: Pick<RobotCommands, 'send'>;
  readonly states: RobotStates;
  readonly detachedWaits: Pick<Store['detachedWaits'], 'openOf'>;
  readonly media: Pick<MediaMaker, 'check' | 'draw' | 'drawSent' | 'play' | 'speak'>;
  readonly screenImages: ScreenImages;
  readonly ledMa: number;
  readonly waits: Pick<WaitCalls, 'run' | 'stop'>;
  readonly queue: Pick<QueuedCalls, 'show' | 'ask' | 'cleared'>;
  readonly stops: Pick<Stops, 'unlessStopped'>;
  readonly feed: EventsFeed;
  readonly openCalls: OpenCalls;
  readonly keyValidity: KeyValidity;
}

export type PerformAction = <N extends ActionName>(name: N, call: Call, args: ArgsOf<N>) => Promise<AnswerOf<N>>;
