import type { EventsKept } from './events/events.js';
import type { MediaBounds } from './media/media-budget.js';
import type { RenderShare } from './media/render-demand.js';
import type { RedisTls } from './redis/connection-factory.js';
import type { OnFinding } from './redis/redis-capabilities.js';
import type { Refusals } from './redis/refused.js';

export interface StoreOptions {
  /** As in `ConnectOptions`, with the two below. */
  url: string;
  tls?: RedisTls;
  sentinelPassword?: string | null;
  instance: string;
  /** Begin a new installation on a Redis that evicts keys. Default: false, which refuses to start there. */
  allowEviction?: boolean;
  /** Default: 64 jobs and 64 megapixels. */
  renderShare?: RenderShare;
  /** Default: 32 MB for one account and 256 MB for all. */
  mediaBounds?: MediaBounds;
  jobShards?: number;
  eventsKept?: EventsKept;
  /** Storage quota of an account, MB; see `account-storage.ts`. */
  accountStorageMb?: number;
  /** Connections recover by themselves; calls meanwhile throw StoreError. */
  onError?: (error: Error) => void;
  /** Called when Redis is found to have lost acknowledged writes (`lost-writes.ts`). Default: `onError`. */
  onDataLoss?: (error: Error) => void;
  /** Called once for each capability that Redis lacks (`redis-capabilities.ts`). Default: `onError`. */
  onFinding?: OnFinding;
  /** Called once a second. */
  onRoundTrip?: (tookMs: number) => void;
  /** As in `ConnectOptions`. */
  refusals?: Refusals;
}
