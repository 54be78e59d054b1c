import type { Logger, Metrics, Tracing } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { ConsoleSettings } from './console/console.js';
import type { PictureAccess } from './media/picture-sources.js';

export interface GatewayOptions extends ConsoleSettings {
  store: Store;
  log: Logger;
  metrics: Metrics;
  tracing?: Tracing | null;
  host: string;
  port: number;
  drainMs: number;
  /** Default: 0. */
  trustedProxies?: number;
  /** Default: 0, no limit. */
  accountActionsPerS?: number;
  /** Default: 400. */
  ledMa?: number;
  /** Default: public. */
  imageAddresses?: PictureAccess;
  allowPrivateWebhooks?: boolean;
  /** Maximum number of open connections. If null or unset, derived from the limit on open files. */
  connectionsMax?: number | null;
  /** How long a connection stays open between two requests, ms. Default: 65,000. */
  keepAliveMs?: number;
  bodyBytes?: number;
  /** Time without progress after which a body is given up, ms; for tests. */
  bodyStallMs?: number | undefined;
  /** How long a call under an Idempotency-Key continues without a waiting client, ms. Default: `limits.idempotency.outlivesS`. */
  outlivesMs?: number;
  /** When a question of a tool call without progress outlives its call, ms. Default: `limits.wait.pendingAfterS`. */
  pendingAfterMs?: number;
}
