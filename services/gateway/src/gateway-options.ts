import type { Logger, Metrics, Tracing } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { AccountSettings } from './console/accounts/account-routes.js';
import type { InstallSettings } from './console/auth/session-issuer.js';
import type { AccountBounds } from './console/console.js';
import type { MailSettings } from './mail/mail-delivery.js';
import type { PictureAccess } from './media/picture-sources.js';

export interface GatewayOptions {
  store: Store;
  log: Logger;
  metrics: Metrics;
  tracing?: Tracing | null;
  host: string;
  port: number;
  publicUrl: string | null;
  drainMs: number;
  pageFolder?: string;
  /** Public URL that robots connect to. If unset, the address that a running robot-link listens on. */
  linkPublicUrl?: string | null;
  /** What the page installs in robots: another URL than `linkPublicUrl`, and the authority of the link in PEM. */
  install?: InstallSettings;
  /** The signed robot program that the page installs. Default: the page installs its own, unsigned. */
  robotProgram?: object | null;
  /** Default: 0. */
  trustedProxies?: number;
  /** Default: anyone, by password. */
  accountSettings?: AccountSettings;
  /** Requires `publicUrl`. Default: no e-mail is sent. */
  mail?: MailSettings | null;
  /** Default: 0, no limit. */
  accountActionsPerS?: number;
  /** Default: 400. */
  ledMa?: number;
  /** Default: public. */
  imageAddresses?: PictureAccess;
  /** Default: 100 keys, 200 robots. */
  accountBounds?: AccountBounds;
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
