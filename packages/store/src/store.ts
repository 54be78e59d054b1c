/** The store of one instance: every noun over the same connections. `main.ts` opens it; everything else receives what it needs of it. */
import { limits, type ToGateway, type ToLink } from '@perch/schema';
import { AccountRates } from './account-rates.js';
import { AccountStorage, accountStorageMbDefault } from './account-storage.js';
import { Accounts } from './accounts.js';
import { ApiKeys } from './api-keys.js';
import { KeyRevocation } from './key-revocation.js';
import { Attempts } from './attempts.js';
import { Calls } from './calls.js';
import { Cancellations } from './cancellations.js';
import { RedisClock } from './clock.js';
import { Deliveries } from './deliveries.js';
import { Devices } from './devices.js';
import { DeliveryWorker, type DeliveryWorkerOptions } from './delivery-worker.js';
import { Events } from './events.js';
import { Instances } from './instances.js';
import { Jobs } from './jobs.js';
import { Leases } from './leases.js';
import { Media } from './media.js';
import { Mailbox } from './messaging.js';
import { toGatewayPacking, toLinkPacking } from './packed-messages.js';
import { Numbering } from './numbering.js';
import { OnceSecrets } from './once.js';
import { Pairing } from './pairing.js';
import { Passwords } from './passwords.js';
import { connect, type Connections } from './redis.js';
import type { RenderShare } from './render-demand.js';
import { Renders } from './renders.js';
import { RobotLines } from './robot-lines.js';
import { RobotList } from './robot-list.js';
import { Robots } from './robots.js';
import { Sessions } from './sessions.js';
import { Uploads } from './uploads.js';
import { Waits } from './waits.js';
import { WebhookJobs } from './webhook-jobs.js';
import { Webhooks } from './webhooks.js';

export interface StoreOptions {
  /** `redis://`, `rediss://`, or `redis-cluster://host:port,host:port`, with TLS `rediss-cluster://`. */
  url: string;
  /** This instance's id, as others address it. */
  instance: string;
  /** What one account may have waiting to be rendered; default 64 jobs and 64 megapixels. */
  renderShare?: RenderShare;
  /** Events kept per robot. */
  eventsKept?: number;
  /** What an account may store in all, MB; see `account-storage.ts`. */
  accountStorageMb?: number;
  /** Connection troubles; they heal by themselves, calls meanwhile throw StoreError. */
  onError?: (error: Error) => void;
}

export interface Store {
  readonly instance: string;
  readonly clock: RedisClock;
  readonly instances: Instances;
  readonly leases: Leases;
  /** Messages to robot-links; a robot-link receives its own here. */
  readonly links: Mailbox<ToLink>;
  /** Messages to gateways; a gateway receives its own here. */
  readonly gateways: Mailbox<ToGateway>;
  readonly events: Events;
  readonly numbering: Numbering;
  readonly waits: Waits;
  readonly calls: Calls;
  readonly cancellations: Cancellations;
  readonly storage: AccountStorage;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  /** Of all keys of an account together; unbounded until `limit` is called. */
  readonly accountRates: AccountRates;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
  /** Each stands for an account. */
  readonly signInLinks: OnceSecrets;
  /** Each stands for nothing but itself. */
  readonly invitations: OnceSecrets;
  /** Sign-ins with a provider that are under way: what their callback is held against. */
  readonly oidcSignIns: OnceSecrets;
  readonly robots: Robots;
  readonly robotList: RobotList;
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
  /** Hands events on to webhooks until closed. */
  deliver(options: Pick<DeliveryWorkerOptions, 'handlers' | 'concurrency' | 'retriesMs'>): DeliveryWorker;
  readonly connections: Connections;
  /** Why this instance cannot serve now, or null. For its readiness. @throws {StoreError} when Redis does not answer */
  trouble(): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Opens the connections and sets the clock. On failure no connection stays open, so that a process can end by itself.
 * @throws {StoreError} when Redis cannot be reached within 5 s
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const onError = options.onError ?? (() => {});
  const connections = await connect({ url: options.url, onError });
  const clock = new RedisClock(connections);
  try {
    await clock.sync();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const instances = new Instances(connections, clock, options.instance, onError);
  instances.start();
  const storage = new AccountStorage(connections, clock, instances, options.accountStorageMb ?? accountStorageMbDefault);
  const numbering = new Numbering(connections, instances, options.instance);
  const media = new Media(connections);
  const uploads = new Uploads(connections);
  const jobs = new Jobs(connections, onError, options.renderShare);
  const robots = new Robots(connections);
  const accounts = new Accounts(connections);
  const attempts = new Attempts(connections);
  const links = new Mailbox<ToLink>(connections, toLinkPacking);
  const apiKeys = new ApiKeys(connections);
  const webhooks = new Webhooks(connections, clock, storage);
  const deliveries = new Deliveries(connections, clock, storage);
  const webhookJobs = new WebhookJobs({ redis: connections, webhooks, deliveries, robots, events: () => events, onError });
  const events = new Events(connections, storage, options.eventsKept ?? limits.events.keptDefault, numbering, (robot) => webhookJobs.notice(robot));
  const gateways = new Mailbox<ToGateway>(connections, toGatewayPacking);
  const leases = new Leases(connections, clock, instances, options.instance);
  return {
    instance: options.instance,
    clock,
    instances,
    leases,
    links,
    gateways,
    events,
    numbering,
    waits: new Waits(connections),
    calls: new Calls(connections, storage),
    cancellations: new Cancellations(connections),
    storage,
    accounts,
    apiKeys,
    keyRevocation: new KeyRevocation(apiKeys, webhooks),
    accountRates: new AccountRates(connections, clock, instances, options.instance),
    sessions: new Sessions(connections),
    devices: new Devices(connections),
    passwords: new Passwords(connections, accounts),
    attempts,
    signInLinks: new OnceSecrets(connections, 'link'),
    invitations: new OnceSecrets(connections, 'invitation'),
    oidcSignIns: new OnceSecrets(connections, 'oidc'),
    robots,
    robotList: new RobotList(connections, leases),
    robotLines: new RobotLines(connections),
    pairing: new Pairing(connections, robots, attempts),
    media,
    uploads,
    jobs,
    renders: new Renders(connections, media, uploads, jobs),
    webhooks,
    deliveries,
    webhookJobs,
    deliver: (work) => new DeliveryWorker({ redis: connections, clock, webhooks, deliveries, jobs: webhookJobs, onError, ...work }),
    connections,
    async trouble() {
      if (!connections.subscriber.connected) return 'The subscriptions have no connection to Redis.';
      await clock.sync();
      return null;
    },
    async close() {
      await Promise.all([jobs.close(), webhookJobs.close()]);
      await numbering.seal();
      await instances.stop();
      // A last word, said as the instance ended, would else be overtaken by the goodbye to Redis.
      await Promise.all([links.sent(), gateways.sent()]);
      await connections.close();
    },
  };
}
