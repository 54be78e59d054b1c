/** The store of one instance: all its parts, over the same connections. `main.ts` passes each part on to what needs it. */
import type { ToGateway, ToLink } from '@perch/schema';
import { Activity } from './activity/activity.js';
import { ScreenHistory } from './activity/screen-history.js';
import { AccountExport } from './account-data/account-export.js';
import { LimitsOfAccounts } from './accounts/account-limits.js';
import { AccountRemoval } from './account-data/account-removal.js';
import { AccountRates } from './accounts/account-rates.js';
import { AccountStorage, accountStorageMbDefault } from './accounts/account-storage.js';
import { Accounts } from './accounts/accounts.js';
import { asStoreError, isUnanswered, StoreError } from './redis/errors.js';
import { ApiKeys } from './keys/api-keys.js';
import { Endings } from './endings/endings.js';
import { KeyRotation } from './keys/key-rotation.js';
import { AttemptCounter } from './accounts/attempt-counter.js';
import { Calls } from './calls/calls.js';
import { DetachedWaits } from './calls/detached-waits.js';
import { Queue } from './calls/queue.js';
import { Cancellations, Mailbox, type GatewayMailbox, type LinkMailbox } from './messaging/messaging.js';
import { RedisClock } from './instances/clock.js';
import { requireReadableData } from './redis/data-version.js';
import { Deliveries } from './webhooks/deliveries.js';
import { Devices, Sessions } from './auth/sessions.js';
import { DeliveryWorker, type DeliveryWorkerOptions } from './webhooks/delivery-worker.js';
import { Events, eventsKeptDefault, type EventsKept } from './events/events.js';
import { Instances } from './instances/instances.js';
import { JobShards } from './jobs/job-shards.js';
import { RenderJobs } from './media/render-jobs.js';
import { Leases } from './robots/leases.js';
import { LinkLoads } from './instances/link-loads.js';
import { Guests, SharedRobots } from './guests/guests.js';
import { GrowingSounds } from './media/growing-sounds.js';
import { Media } from './media/media.js';
import { toGatewayPacking, toLinkPacking } from './messaging/packed-messages.js';
import { Numbering } from './events/numbering.js';
import { Grants } from './oauth/grants.js';
import { OAuthClients } from './oauth/oauth-clients.js';
import { OneTimeTokens, PasswordResets, SignInLinks } from './auth/one-time-tokens.js';
import { Pairing } from './robots/pairing.js';
import { Passkeys } from './auth/passkeys.js';
import { Passwords } from './auth/passwords.js';
import { connect, type Connections, placeOf } from './redis/connections.js';
import { RedisHealth } from './redis/health.js';
import { LostWrites } from './redis/lost-writes.js';
import { requireNoEviction, type OnFinding } from './redis/redis-capabilities.js';
import { Renders } from './media/renders.js';
import { RobotLines } from './robots/robot-record.js';
import { RobotLabels } from './robots/robot-labels.js';
import { RobotIds } from './robots/robot-ids.js';
import { RobotList } from './robots/robot-list.js';
import { Robots } from './robots/robots.js';
import { Countdowns } from './robots/countdowns.js';
import { ScreenPictures } from './robots/screen-pictures.js';
import { SliceQueue } from './redis/slice-queue.js';
import { UploadedPictures, Uploads } from './media/uploads.js';
import { Waits } from './calls/waits.js';
import { WebhookJobs } from './webhooks/webhook-jobs.js';
import { Webhooks } from './webhooks/webhooks.js';
import { WireVersions, wireVersionWritten } from './messaging/wire-versions.js';
import type { MediaBounds } from './media/media-budget.js';
import type { RenderShare } from './media/render-demand.js';
import type { RedisTls } from './redis/connection-factory.js';
import { Refusals } from './redis/refused.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisAddress } from './redis/redis-address.js';

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

export interface Store {
  readonly instance: string;
  readonly clock: RedisClock;
  readonly instances: Instances;
  readonly wire: WireVersions;
  readonly leases: Leases;
  /** Nothing is published until `share` is called. */
  readonly linkLoads: LinkLoads;
  readonly linkMailbox: LinkMailbox;
  readonly gatewayMailbox: GatewayMailbox;
  readonly events: Events;
  readonly numbering: Numbering;
  readonly lostWrites: LostWrites;
  readonly waits: Waits;
  readonly detachedWaits: DetachedWaits;
  readonly queue: Queue;
  readonly calls: Calls;
  readonly cancellations: Cancellations;
  readonly storage: AccountStorage;
  readonly activity: Activity;
  readonly screenHistory: ScreenHistory;
  readonly accounts: Accounts;
  readonly accountRemoval: AccountRemoval;
  readonly accountExport: AccountExport;
  readonly apiKeys: ApiKeys;
  readonly accountLimits: LimitsOfAccounts;
  /** Limits of all keys of an account together; unlimited until `limit` is called, except for accounts with a limit of their own. */
  readonly accountRates: AccountRates;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly passkeys: Passkeys;
  readonly passwords: Passwords;
  readonly attempts: AttemptCounter;
  /** The values of both are the account. */
  readonly signInTokens: SignInLinks;
  readonly emailVerifications: OneTimeTokens;
  readonly invitations: OneTimeTokens;
  readonly oidcSignIns: OneTimeTokens;
  /** Challenges that passkeys sign. */
  readonly challenges: OneTimeTokens;
  readonly passwordResets: PasswordResets;
  readonly robots: Robots;
  readonly robotList: RobotList;
  readonly robotLabels: RobotLabels;
  readonly guests: Guests;
  readonly sharedRobots: SharedRobots;
  readonly robotLines: RobotLines;
  readonly screenPictures: ScreenPictures;
  readonly countdowns: Countdowns;
  readonly pairing: Pairing;
  readonly media: Media;
  readonly uploads: Uploads;
  readonly uploadedPictures: UploadedPictures;
  readonly growingSounds: GrowingSounds;
  readonly jobs: RenderJobs;
  readonly renders: Renders;
  readonly webhooks: Webhooks;
  /** Ends what a key, a guest or an account leaves behind. */
  readonly endings: Endings;
  readonly keyRotation: KeyRotation;
  readonly oauthClients: OAuthClients;
  readonly grants: Grants;
  readonly deliveries: Deliveries;
  readonly webhookJobs: WebhookJobs;
  deliver(options: Pick<DeliveryWorkerOptions, 'handlers' | 'concurrency' | 'retriesMs'>): DeliveryWorker;
  readonly connections: Connections;
  /** Returns why this instance cannot serve now, or null; for its readiness check. */
  trouble(): string | null;
  close(): Promise<void>;
}

/** On failure all connections are closed. @throws {StoreError} no Redis within 5 s @throws {StartRefused} newer data than it reads; new on a Redis that evicts keys */
export async function openStore(options: StoreOptions): Promise<Store> {
  const onError = (error: Error): void => options.onError?.(isUnanswered(error) ? (asStoreError(error) as Error) : error);
  const { url, tls = {}, sentinelPassword = null, onRoundTrip, refusals } = options;
  // Held until the start is not refused: the refusal on a Redis that evicts keys says what the finding would.
  const held: Parameters<OnFinding>[] = [];
  let onFinding: OnFinding = (...finding) => held.push(finding);
  const connections = await connect({
    url,
    tls,
    sentinelPassword,
    name: options.instance,
    onError,
    onFinding: (...finding) => onFinding(...finding),
    ...(onRoundTrip && { onRoundTrip }),
    ...(refusals && { refusals }),
  });
  const clock = new RedisClock(connections);
  const health = new RedisHealth(connections, options.instance);
  const shards = new JobShards({ redis: connections, instance: options.instance, count: options.jobShards ?? 1, onError });
  try {
    await requireReadableData(connections);
    if (options.allowEviction !== true) await requireNoEviction(connections.commands, connections.capabilities);
    onFinding = options.onFinding ?? ((_, text) => onError(new Error(text)));
    for (const finding of held) onFinding(...finding);
    await clock.sync();
    const refused = await health.beat();
    if (refused !== null) throw refused;
    await shards.start();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const instances = new Instances(connections, clock, health, options.instance, onError);
  instances.withBeat(() => connections.capabilities.refresh());
  instances.start();
  const storage = new AccountStorage(connections, clock, instances, options.accountStorageMb ?? accountStorageMbDefault);
  const activity = new Activity(connections, clock);
  const screenHistory = new ScreenHistory(connections, clock, storage);
  const lostWrites = new LostWrites(connections, options.onDataLoss ?? onError);
  instances.withBeat(() => lostWrites.beat());
  const numbering = new Numbering(connections, instances, lostWrites, options.instance);
  const media = new Media(connections, options.mediaBounds);
  const uploads = new Uploads(connections, options.mediaBounds);
  const uploadedPictures = new UploadedPictures(connections, options.mediaBounds);
  const growingSounds = new GrowingSounds(connections, options.mediaBounds);
  const jobs = new RenderJobs({ redis: connections, media, uploads, growing: growingSounds, shards, onError, share: options.renderShare });
  const robots = new Robots(connections);
  const accounts = new Accounts(connections);
  const passwords = new Passwords(connections, accounts);
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
  const detachedWaits = new DetachedWaits({ redis: connections, clock, waits: () => waits, events, onError });
  const waits = new Waits(connections, (robot, number) => detachedWaits.ended(robot, number));
  const queue = new Queue({ redis: connections, clock, ended: (robot, number) => detachedWaits.ended(robot, number) });
  const leases = new Leases(connections, clock, instances, options.instance);
  const sessions = new Sessions(connections);
  const devices = new Devices(connections);
  const passkeys = new Passkeys(connections, accounts);
  const accountLimits = new LimitsOfAccounts(connections);
  const robotLines = new RobotLines(connections);
  const sharedRobots = new SharedRobots(connections);
  const guests = new Guests(connections, sharedRobots);
  const oauthClients = new OAuthClients(connections);
  const signInLinks = new SignInLinks(connections);
  const endings = new Endings({
    redis: connections,
    sessions,
    devices,
    signInLinks,
    passkeys,
    apiKeys,
    webhooks,
    guests,
    sharedRobots,
    waits,
    detachedWaits,
    queue,
    linkMailbox,
  });
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
    lostWrites,
    waits,
    detachedWaits,
    queue,
    calls: new Calls(connections, storage, { links: linkMailbox, gateways: gatewayMailbox }),
    cancellations: new Cancellations(connections),
    storage,
    activity,
    screenHistory,
    accounts,
    apiKeys,
    keyRotation: new KeyRotation(connections, webhooks),
    endings,
    oauthClients,
    grants: new Grants({ redis: connections, apiKeys, endings, webhooks, attempts, clients: oauthClients }),
    accountLimits,
    accountRates: new AccountRates(connections, clock, instances, options.instance),
    sessions,
    devices,
    accountExport: new AccountExport({
      redis: connections,
      limits: accountLimits,
      passkeys,
      apiKeys,
      webhooks,
      deliveries,
      robots,
      robotIds,
      labels: robotLabels,
      leases,
      lines: robotLines,
      events,
      pictures: uploadedPictures,
      activity,
      screenHistory,
      guests,
      sharedRobots,
      waits,
      queue,
    }),
    accountRemoval: new AccountRemoval({ redis: connections, accounts, endings, attempts, robots, linkMailbox }),
    passkeys,
    passwords,
    attempts,
    signInTokens: signInLinks,
    invitations: new OneTimeTokens(connections, 'invitation'),
    oidcSignIns: new OneTimeTokens(connections, 'oidc'),
    challenges: new OneTimeTokens(connections, 'challenge'),
    passwordResets: new PasswordResets(connections, accounts, passwords),
    emailVerifications: new OneTimeTokens(connections, 'verification'),
    robots,
    robotList: new RobotList(connections, leases, robotIds, robotLabels, slices),
    robotLabels,
    guests,
    sharedRobots,
    robotLines,
    screenPictures: new ScreenPictures(connections, media, waits, storage),
    countdowns: new Countdowns(connections, clock),
    pairing: new Pairing(connections, robots, attempts),
    media,
    uploads,
    uploadedPictures,
    growingSounds,
    jobs,
    renders: new Renders(connections, media, uploads, growingSounds, jobs),
    webhooks,
    deliveries,
    webhookJobs,
    deliver: (work) => new DeliveryWorker({ redis: connections, clock, webhooks, deliveries, jobs: webhookJobs, shards, onError, ...work }),
    connections,
    trouble: () => health.trouble(),
    async close() {
      await detachedWaits.settled();
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

/** Each attempt takes up to 5 s. */
const retryMs = 1000;

/** Retries until Redis answers. @param signal of `Part.start` @throws its reason once aborted; errors other than an unreachable Redis at once */
export async function openStoreWhenUp(options: StoreOptions, signal: AbortSignal): Promise<Store> {
  let isOpen = false;
  const said = new Set<string>();
  const { onFinding } = options;
  // Each attempt finds the same.
  const once: OnFinding = (level, text) => {
    if (!isOpen && said.has(text)) return;
    said.add(text);
    onFinding?.(level, text);
  };
  for (;;) {
    signal.throwIfAborted();
    try {
      const store = await openStore({ ...options, ...(onFinding && { onFinding: once }) });
      isOpen = true;
      return store;
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'unavailable') throw error;
      options.onError?.(error);
    }
    await sleep(retryMs, undefined, { signal });
  }
}

/** Returns `redis://host:port as user perch`, never the password. */
export function placeWithUser(url: string): string {
  const { user } = redisAddress(url);
  return `${placeOf(url)} ${user === null ? 'without a user' : `as user ${user}`}`;
}

export const serviceStore = { wireVersion: wireVersionWritten, refusals: () => new Refusals(), placeOf: placeWithUser, open: openStoreWhenUp };
