/** Dependencies shared by all sessions of an instance. */
import type { ClientAddresses, Logger, Tracing } from '@perch/runtime';
import { StoreError, type Store } from '@perch/store';
import type { Timing } from '../config.js';
import type { MediaCache } from '../media/media-cache.js';
import type { LinkMetrics } from '../metrics/link-metrics.js';
import type { RobotLog } from './robot-log.js';
import type { LimitFunction } from 'p-limit';
import type { SessionRegistry } from '../connection/session-registry.js';
import type { Unreadable } from './unreadable.js';

export interface LinkContext {
  readonly store: Store;
  readonly log: Logger;
  readonly tracing: Tracing | null;
  readonly addresses: ClientAddresses;
  readonly metrics: LinkMetrics;
  readonly media: MediaCache;
  readonly registry: SessionRegistry;
  /** Limits the handshake steps in flight: thousands of robots that connect at once must not delay the commands of connected robots. */
  readonly handshakes: LimitFunction;
  readonly timing: Timing;
  readonly unreadable: Unreadable;
  readonly robotLog: RobotLog;
}

/** Operation during which Redis failed; a metric label. */
export type StoreTask = 'take' | 'release' | 'save' | 'playing' | 'reply' | 'displace' | 'input' | 'token' | 'pairing' | 'log';

/** Counts a failure of Redis; any other error is a bug and is logged with its stack. */
export function noteFailure({ metrics, log }: Pick<LinkContext, 'metrics' | 'log'>, at: StoreTask, error: unknown): void {
  metrics.storeErrors.inc({ at });
  if (!(error instanceof StoreError)) log.error({ err: error, at }, 'store call failed');
}
