import type { ClientAddresses, Logger, Tracing } from '@perch/runtime';
import { StoreError, type SavedState, type Store } from '@perch/store';
import type { Timing } from '../config.js';
import type { FrameQueue } from '../cards/frame-queue.js';
import type { MediaCache } from '../media/media-cache.js';
import type { LinkMetrics } from '../metrics/link-metrics.js';
import type { RobotLog } from './robot-log.js';
import type { LimitFunction } from 'p-limit';
import type { ShippedProgram } from '../updates/shipped-program.js';
import type { Unreadable } from './unreadable.js';

export interface SessionHolder {
  remove(session: AckSender): void;
  /** Sends the ack of the session's input together with those of the next few ms. */
  ackLater(session: AckSender): void;
  releaseLease(robot: string, session: string, state: 'moving' | 'away', saved: SavedState | null): void;
  releasesDone(): Promise<void>;
}

export interface AckSender {
  readonly id: string;
  sendAck(): void;
}

export interface LinkContext {
  readonly store: Store;
  readonly log: Logger;
  readonly tracing: Tracing | null;
  readonly addresses: ClientAddresses;
  readonly metrics: LinkMetrics;
  /** In place of `metrics` in the context of a robot of a probe, which is in no figure. */
  readonly probeMetrics: LinkMetrics;
  readonly media: MediaCache;
  readonly frames: FrameQueue;
  readonly registry: SessionHolder;
  /** Limits the handshake steps in flight: thousands of robots that connect at once must not delay the commands of connected robots. */
  readonly handshakes: LimitFunction;
  readonly timing: Timing;
  readonly unreadable: Unreadable;
  readonly robotLog: RobotLog;
  readonly program: ShippedProgram;
}

export type StoreTask = 'take' | 'release' | 'save' | 'playing' | 'reply' | 'displace' | 'input' | 'token' | 'pairing' | 'log' | 'card' | 'settings';

/** Any error other than a failure of Redis is a bug and is logged with its stack. */
export function noteFailure({ metrics, log }: Pick<LinkContext, 'metrics' | 'log'>, at: StoreTask, error: unknown): void {
  metrics.storeErrors.inc({ at });
  if (!(error instanceof StoreError)) log.error({ err: error, at }, 'store call failed');
}
