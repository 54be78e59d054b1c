/** Wires a gateway's parts together, and starts and stops them. Used by `main.ts` and by tests. */
import type { Server } from 'node:http';
import { ClientAddresses, guardConnections, httpAddress, type Logger, type Metrics, type Tracing } from '@perch/runtime';
import type { Store } from '@perch/store';
import { Admission } from './auth/admission.js';
import { createApp, createHttpServer } from './http/app.js';
import type { ActionServices } from './actions/call.js';
import { BodyBudget } from './http/body-budget.js';
import { AuditLog } from './console/audit.js';
import { createConsole } from './console/console.js';
import { Cookies } from './console/auth/cookies.js';
import { LinkAddress } from './console/robots/link-address.js';
import { PageOriginCheck } from './console/static/page-origin-check.js';
import { PageFiles } from './console/static/page-files.js';
import { Page } from './console/static/page.js';
import { wireAccounts, type AccountSettings } from './console/accounts/accounts-wiring.js';
import { resourceRoutes, type AccountBounds } from './console/resources.js';
import { SessionAuth } from './console/auth/session-auth.js';
import { baseUrls, Discovery } from './discovery/discovery.js';
import { Drain } from './http/drain.js';
import { EventsFeed } from './events/events-feed.js';
import { EventStreams } from './events/event-streams.js';
import { OpenCalls } from './auth/open-calls.js';
import { IdempotentCalls } from './idempotency/idempotent-calls.js';
import { JsonBodies } from './http/json-body.js';
import { MediaMaker } from './media/media-maker.js';
import { createMcp } from './mcp/mcp.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { gatewayMetrics } from './telemetry/metrics.js';
import { openDescriptions } from './discovery/open-descriptions.js';
import { Replies } from './robots/replies.js';
import { createRest } from './rest/actions.js';
import { RobotCommands } from './robots/robot-commands.js';
import { RobotDirectory } from './robots/robot-directory.js';
import { RobotStates } from './robots/robot-states.js';
import { RobotListReader } from './rest/robot-list-reader.js';
import { WaitCalls } from './waits/wait-calls.js';
import { warmUp } from './http/warm-up.js';
import { WebhookService } from './rest/webhook-service.js';

export interface GatewayOptions {
  store: Store;
  log: Logger;
  metrics: Metrics;
  tracing?: Tracing | null;
  host: string;
  port: number;
  publicUrl: string | null;
  drainMs: number;
  /** Folder of the built console. If unset, the gateway serves no console. */
  pageFolder?: string;
  /** Public URL that robots connect to. If unset, the address that a running robot-link listens on. */
  linkPublicUrl?: string | null;
  /** Number of trusted proxies in front of the gateway. Default: 0. */
  trustedProxies?: number;
  /** Settings for signing in and signing up on the console. Default: anyone, by password. */
  accountSettings?: AccountSettings;
  /** Approximate limit on the actions per second of all keys of an account together. Default: 0, no limit. */
  accountActionsPerS?: number;
  /** Keys and robots an account may have. Default: 100 and 200. */
  accountBounds?: AccountBounds;
  allowPrivateWebhooks?: boolean;
  /** Maximum number of open connections. If null or unset, derived from the limit on open files. */
  connectionsMax?: number | null;
  /** Memory for request bodies that are still arriving, bytes; see body-budget.ts. */
  bodyBytes?: number;
  /** Time without progress after which a body is given up, ms; for tests. */
  bodyStallMs?: number | undefined;
  /** How long a call under an Idempotency-Key continues without a waiting client, ms. Default: `limits.idempotency.outlivesS`. */
  outlivesMs?: number;
}

export interface Gateway {
  readonly server: Server;
  /** @returns `http://host:port` */
  start(): Promise<string>;
  /** Withdraws the console's address and makes every response close its connection. Requests are still served until `stop`. */
  stopsSoon(): void;
  stop(signal: AbortSignal): Promise<void>;
}

export function createGateway({
  store,
  log,
  metrics,
  tracing = null,
  host,
  port,
  publicUrl,
  drainMs,
  pageFolder,
  linkPublicUrl = null,
  trustedProxies = 0,
  accountSettings = { signUp: 'open', oidc: null },
  accountActionsPerS = 0,
  accountBounds = { keys: 100, robots: 200 },
  allowPrivateWebhooks = false,
  connectionsMax = null,
  bodyBytes = 128 * 1024 * 1024,
  bodyStallMs,
  outlivesMs,
}: GatewayOptions): Gateway {
  const addresses = new ClientAddresses(trustedProxies, log);
  const directory = new RobotDirectory(store);
  const replies = new Replies(store.instance);
  const openCalls = new OpenCalls(store.apiKeys, log);
  const feed = new EventsFeed(store.events);
  const budget = new BodyBudget(bodyBytes);
  const bodies = new JsonBodies(budget, bodyStallMs);
  const gaugeSources = {
    openCalls,
    budget,
    replies,
    feed,
    directory,
    renders: store.renders,
    jobs: store.jobs,
    subscriber: store.connections.subscriber,
  };
  const recorder = gatewayMetrics(metrics, gaugeSources);
  const services: ActionServices = {
    store,
    log,
    directory,
    robots: new RobotListReader(store),
    openCalls,
    feed,
    streams: new EventStreams({ feed, openCalls, directory, ended: recorder.streamEnded }),
    commands: new RobotCommands(store, directory, replies),
    states: new RobotStates(store, directory, replies),
    media: new MediaMaker(store),
    waits: new WaitCalls(store, directory, replies, openCalls),
  };
  const drain = new Drain(openCalls, drainMs, log);
  const requestIds = newRequestIds(store.instance);
  store.accountRates.limit(accountActionsPerS);
  const admission = new Admission(store, directory);
  const idempotent = new IdempotentCalls({ store, openCalls, drain, outlivesMs });
  const webhooks = new WebhookService({ store, allowPrivate: allowPrivateWebhooks });
  const baseUrl = baseUrls(publicUrl);
  const cookies = new Cookies(publicUrl);
  const sessionAuth = new SessionAuth({ admission, cookies, originCheck: new PageOriginCheck(new AllowedHosts(publicUrl, host), publicUrl) });
  const discovery = new Discovery(baseUrl);
  const restOptions = { services, webhooks, idempotent, discovery, bodies, drain, log };
  const rest = createRest({
    ...restOptions,
    base: '/v1',
    admit: (exchange, robot, cost) => admission.admit(exchange.request.headers.authorization, robot, cost, exchange),
  });
  const consoleRest = createRest({ ...restOptions, base: '/console/v1', admit: (exchange, robot, cost) => sessionAuth.admit(exchange, robot, cost) });
  const links = new LinkAddress(store.instances, linkPublicUrl);
  const audits = new AuditLog(log, addresses, recorder.signInRefused);
  const routes = [
    ...wireAccounts({ store, sessionAuth, cookies, links, baseUrl, addresses, audits, log, ...accountSettings }),
    ...resourceRoutes(services, accountBounds, recorder.streamEnded),
  ];
  const console = createConsole({ sessionAuth, routes, bodies, addresses, audits, drain, log });
  const https = publicUrl?.startsWith('https:') === true;
  const page = pageFolder === undefined ? null : new Page({ files: new PageFiles(pageFolder), links, drain, https });
  const mcp = createMcp({ tools: services, admission, bodies, addresses, drain, log, publicUrl, host });
  const app = createApp({
    log,
    addresses,
    metrics: recorder,
    tracing,
    drain,
    newRequestId: requestIds,
    rest,
    mcp,
    console,
    consoleRest,
    descriptions: openDescriptions(discovery, drain),
    page: async (exchange) => (await page?.answer(exchange)) ?? false,
  });
  const server = createHttpServer(app, requestIds);
  guardConnections({ server, connectionsMax, log, metrics, prefix: 'perch_gateway' });
  let endReplies: () => Promise<void> = async () => {};

  return {
    server,
    async start() {
      endReplies = await store.gatewayMailbox.receive(store.instance, (message) => void replies.deliver(message), {
        unreadable({ id, reason, says }) {
          recorder.replyUnreadable(reason);
          log.warn({ reason, says, id }, 'received an unreadable reply from another instance');
          // The robot may have executed the command, and no other reply will follow.
          replies.settle(id, { t: 'late' });
        },
      });
      await warmUp(admission);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const address = httpAddress(server.address());
      if (page === null) return address;
      if (!(await page.isBuilt())) log.warn({ folder: pageFolder }, 'console assets not found; run npm run build');
      // A gateway that listens on all interfaces does not know the address that browsers use.
      else if (publicUrl !== null || !['0.0.0.0', '::'].includes(host))
        await store.instances.offer('page', (publicUrl ?? address).replace(/\/+$/, ''));
      return address;
    },
    stopsSoon() {
      drain.announce();
      void store.instances.withdraw();
    },
    async stop(signal) {
      this.stopsSoon();
      await drain.run(server, signal);
      await endReplies();
    },
  };
}

/** Returns a generator of ids for requests without an X-Request-Id. They are unique across gateways, because the instance id is. */
function newRequestIds(instance: string): () => string {
  let count = 0;
  return () => `${instance}-${(++count).toString(36)}`;
}
