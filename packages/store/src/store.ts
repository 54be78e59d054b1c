/** The store of one instance: all its parts, over the same connections. `main.ts` opens it and passes each part on to what needs it. */
import type { ToGateway, ToLink } from '@perch/schema';
import { AccountExport } from './accounts/account-export.js';
import { LimitsOfAccounts } from './accounts/account-limits.js';
import { AccountRemoval } from './accounts/account-removal.js';
import { AccountRates } from './accounts/account-rates.js';
import { AccountStorage, accountStorageMbDefault } from './accounts/account-storage.js';
import { Accounts } from './accounts/accounts.js';
import { ApiKeys } from './keys/api-keys.js';
import { KeyRevocation } from './keys/key-revocation.js';
import { AttemptCounter } from './auth/attempt-counter.js';
import { Calls } from './calls/calls.js';
import { Cancellations } from './messaging/cancellations.js';
import { RedisClock } from './instances/clock.js';
import { requireReadableData } from './versions/data-version.js';
import { Deliveries } from './webhooks/deliveries.js';
import { Devices } from './auth/devices.js';
import { DeliveryWorker, type DeliveryWorkerOptions } from './webhooks/delivery-worker.js';
import { Events, eventsKeptDefault, type EventsKept } from './events/events.js';
import { Instances } from './instances/instances.js';
import { JobShards } from './jobs/job-shards.js';
import { Jobs } from './jobs/jobs.js';
import { Leases } from './robots/leases.js';
import type { MediaBounds } from './media/storage-quota.js';
import { LinkLoads } from './instances/link-loads.js';
import { Media } from './media/media.js';
import { Mailbox, type GatewayMailbox, type LinkMailbox } from './messaging/messaging.js';
import { toGatewayPacking, toLinkPacking } from './messaging/packed-messages.js';
import { Numbering } from './events/numbering.js';
import { OneTimeTokens } from './auth/one-time-tokens.js';
import { Pairing } from './robots/pairing.js';
import { Passwords } from './auth/passwords.js';
import { connect, type Connections } from './redis/connections.js';
import type { RedisTls } from './redis/connection-factory.js';
import type { RenderShare } from './media/render-demand.js';
import { Renders } from './media/renders.js';
import { RobotLines } from './robots/robot-lines.js';
import { RobotLabels } from './robots/robot-labels.js';
import { RobotIds } from './robots/robot-ids.js';
import { RobotList } from './robots/robot-list.js';
import { Robots } from './robots/robots.js';
import { Sessions } from './auth/sessions.js';
import { SliceQueue } from './jobs/slice-queue.js';
import { Uploads } from './media/uploads.js';
import { Waits } from './calls/waits.js';
import { WebhookJobs } from './webhooks/webhook-jobs.js';
import { Webhooks } from './webhooks/webhooks.js';
import { WireVersions } from './versions/wire-versions.js';

export interface StoreOptions {
  /** URL of Redis; as in `ConnectOptions`, with the two below. */
  url: string;
  tls?: RedisTls;
  sentinelPassword?: string | null;
  instance: string;
  /** Limits of one account's pending renders. Default: 64 jobs and 64 megapixels. */
  renderShare?: RenderShare;
  /** Maximum bytes of media and uploads in Redis, for one account and for all. Default: 32 MB and 256 MB. */
  mediaBounds?: MediaBounds;
  /** Number of shards over which this instance spreads its jobs. Default: 1. */
  jobShards?: number;
  eventsKept?: EventsKept;
  /** Storage quota of an account, MB; see `account-storage.ts`. */
  accountStorageMb?: number;
  /** Called on connection errors. Connections recover by themselves; calls meanwhile throw StoreError. */
  onError?: (error: Error) => void;
  /** Called once a second with the duration of a round trip to Redis. */
  onRoundTrip?: (tookMs: number) => void;
}

export interface Store {
  readonly instance: string;
  readonly clock: RedisClock;
  readonly instances: Instances;
  readonly wire: WireVersions;
  readonly leases: Leases;
  /** Numbers of robots on each robot-link; nothing is published until `share` is called. */
  readonly linkLoads: LinkLoads;
  /** Messages to robot-links; a robot-link receives its own here. */
  readonly linkMailbox: LinkMailbox;
  /** Messages to gateways; a gateway receives its own here. */
  readonly gatewayMailbox: GatewayMailbox;
  readonly events: Events;
  readonly numbering: Numbering;
  readonly waits: Waits;
  readonly calls: Calls;
  readonly cancellations: Cancellations;
  readonly storage: AccountStorage;
  readonly accounts: Accounts;
  readonly accountRemoval: AccountRemoval;
  readonly accountExport: AccountExport;
  readonly apiKeys: ApiKeys;
  readonly accountLimits: LimitsOfAccounts;
  /** Rate limits of all keys of an account together; for accounts without a limit of their own, unlimited until `limit` is called. */
  readonly accountRates: AccountRates;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly passwords: Passwords;
  readonly attempts: AttemptCounter;
  /** One-time tokens for sign-in URLs; the value is the account. */
  readonly signInTokens: OneTimeTokens;
  /** One-time tokens for invitations; they have no value. */
  readonly invitations: OneTimeTokens;
  /** Sign-ins with an OpenID Connect provider in progress; the value is checked by the callback. */
  readonly oidcSignIns: OneTimeTokens;
  readonly robots: Robots;
  readonly robotList: RobotList;
  readonly robotLabels: RobotLabels;
  readonly robotLines: RobotLines;
  readonly pairing: Pairing;
  readonly media: Media;
  readonly uploads: Uploads;
  readonly jobs: Jobs;
  readonly renders: Renders;
  readonly webhooks: Webhooks;
  readonly keyRevocation: KeyRevocation;
  readonly deliveries: Deliveries;
  readonly webhookJobs: WebhookJobs;
  /** Hands events to webhooks until closed. */
  deliver(options: Pick<DeliveryWorkerOptions, 'handlers' | 'concurrency' | 'retriesMs'>): DeliveryWorker;
  readonly connections: Connections;
  /** Returns why this instance cannot serve now, or null; for its readiness check. @throws {StoreError} when Redis does not answer */
  trouble(): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Opens the connections and sets the clock. On failure all connections are closed, so that the process can exit.
 * @throws {StoreError} when Redis cannot be reached within 5 s @throws {StartRefused} when the data is of a newer version than this release reads
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const onError = options.onError ?? (() => {});
  const { url, tls = {}, sentinelPassword = null } = options;
  const connections = await connect({ url, tls, sentinelPassword, onError, onRoundTrip: options.onRoundTrip ?? (() => {}) });
  const clock = new RedisClock(connections);
  const shards = new JobShards({ redis: connections, instance: options.instance, count: options.jobShards ?? 1, onError });
  try {
    await requireReadableData(connections);
    await clock.sync();
    await shards.start();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const instances = new Instances(connections, clock, options.instance, onError);
  instances.start();
  const storage = new AccountStorage(connections, clock, instances, options.accountStorageMb ?? accountStorageMbDefault);
  const numbering = new Numbering(connections, instances, options.instance);
  const media = new Media(connections, options.mediaBounds);
  const uploads = new Uploads(connections, options.mediaBounds);
  const jobs = new Jobs({ redis: connections, media, uploads, shards, onError, share: options.renderShare });
  const robots = new Robots(connections);
  const accounts = new Accounts(connections);
  const attempts = new AttemptCounter(connections);
  const wire = new WireVersions(connections, instances, onError);
  const linkMailbox = new Mailbox<ToLink>(connections, wire, toLinkPacking);
  const apiKeys = new ApiKeys(connections);
  const slices = new SliceQueue();
  const robotIds = new RobotIds(connections, slices);
  const robotLabels = new RobotLabels(connections, slices);
  const webhooks = new Webhooks({ redis: connections, clock, storage, robotIds, slices });
  const deliveries = new Deliveries(connections, clock, storage);
  const webhookJobs = new WebhookJobs({ redis: connections, webhooks, slices, deliveries, robots, shards, events: () => events, onError });
  const events = new Events(connections, storage, options.eventsKept ?? eventsKeptDefault, numbering, (robot) => webhookJobs.notice(robot));
  const gatewayMailbox = new Mailbox<ToGateway>(connections, wire, toGatewayPacking);
  const leases = new Leases(connections, clock, instances, options.instance);
  const sessions = new Sessions(connections);
  const devices = new Devices(connections);
  const accountLimits = new LimitsOfAccounts(connections);
  const robotLines = new RobotLines(connections);
  return {
    instance: options.instance,
    clock,
    instances,
    wire,
    leases,
    linkLoads: new LinkLoads(connections, clock, instances, options.instance),
    linkMailbox,
    gatewayMailbox,
    events,
    numbering,
    waits: new Waits(connections),
    calls: new Calls(connections, storage),
    cancellations: new Cancellations(connections),
    storage,
    accounts,
    apiKeys,
    keyRevocation: new KeyRevocation(apiKeys, webhooks),
    accountLimits,
    accountRates: new AccountRates(connections, clock, instances, options.instance),
    sessions,
    devices,
    accountExport: new AccountExport({
      redis: connections,
      limits: accountLimits,
      apiKeys,
      webhooks,
      deliveries,
      robots,
      robotIds,
      labels: robotLabels,
      leases,
      lines: robotLines,
      events,
    }),
    accountRemoval: new AccountRemoval({ redis: connections, accounts, sessions, devices, attempts, robots, webhooks, linkMailbox }),
    passwords: new Passwords(connections, accounts),
    attempts,
    signInTokens: new OneTimeTokens(connections, 'link'),
    invitations: new OneTimeTokens(connections, 'invitation'),
    oidcSignIns: new OneTimeTokens(connections, 'oidc'),
    robots,
    robotList: new RobotList(connections, leases, robotIds, robotLabels, slices),
    robotLabels,
    robotLines,
    pairing: new Pairing(connections, robots, attempts),
    media,
    uploads,
    jobs,
    renders: new Renders(connections, media, uploads, jobs),
    webhooks,
    deliveries,
    webhookJobs,
    deliver: (work) => new DeliveryWorker({ redis: connections, clock, webhooks, deliveries, jobs: webhookJobs, shards, onError, ...work }),
    connections,
    async trouble() {
      if (!connections.subscriber.connected) return 'The subscriber connection to Redis is down.';
      await clock.sync();
      return null;
    },
    async close() {
      shards.close();
      await Promise.all([jobs.close(), webhookJobs.close()]);
      await numbering.seal();
      await instances.stop();
      // Flush pending messages before QUIT; otherwise they would be lost.
      await Promise.all([linkMailbox.sent(), gatewayMailbox.sent()]);
      await connections.close();
    },
  };
}
