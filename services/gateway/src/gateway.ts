/** A gateway, wired: what its parts need of each other, and how it starts and stops. `main.ts` and tests build it alike. */
import type { Server } from 'node:http';
import { ClientAddresses, guardConnections, httpAddress, type Logger, type Metrics, type Tracing } from '@perch/runtime';
import type { Store } from '@perch/store';
import { Admission } from './auth/admission.js';
import { createApp, createHttpServer } from './http/app.js';
import type { Tools } from './actions/call.js';
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
import { HeldCalls } from './auth/open-calls.js';
import { IdempotentCalls } from './idempotency/idempotent-calls.js';
import { JsonBodies } from './http/json-body.js';
import { MediaMaker } from './media/media-maker.js';
import { createMcp } from './mcp/mcp.js';
import { OwnHosts } from './http/allowed-hosts.js';
import { gatewayMetrics } from './telemetry/metrics.js';
import { openDescriptions } from './discovery/open-descriptions.js';
import { Replies } from './robots/replies.js';
import { createRest } from './rest/actions.js';
import { RobotCommands } from './robots/robot-commands.js';
import { RobotDirectory } from './robots/robot-directory.js';
import { RobotStates } from './robots/robot-states.js';
import { KeysRobots } from './rest/robots.js';
import { WaitCalls } from './waits/wait-calls.js';
import { warmUp } from './http/warm-up.js';
import { OwnersWebhooks } from './rest/webhooks.js';

export interface GatewayOptions {
  store: Store;
  log: Logger;
  metrics: Metrics;
  /** Left out or null: no traces. */
  tracing?: Tracing | null;
  host: string;
  /** 0 takes any free one. */
  port: number;
  publicUrl: string | null;
  drainMs: number;
  /** Where the built web page lies; left out, there is none. */
  pageFolder?: string;
  /** Where robots dial; left out, where a robot-link listens. */
  linkPublicUrl?: string | null;
  /** Number of trusted proxies in front of the gateway. Default: 0. */
  trustedProxies?: number;
  /** Who may sign in and up on the page; left out, anybody by password. */
  accountSettings?: AccountSettings;
  /** Actions a second that all keys of an account may do together, approximately; 0, the default, is no bound. */
  accountActionsPerS?: number;
  /** Keys and robots an account may have; default 100 and 200. */
  accountBounds?: AccountBounds;
  /** Whether webhooks may lead to private addresses. */
  allowPrivateWebhooks?: boolean;
  /** Most connections at once; null or left out: by the limit on open files. */
  connectionsMax?: number | null;
  /** Memory for bodies that are arriving, bytes; see body-budget.ts. */
  bodyBytes?: number;
  /** How long a body may make no progress, ms; for tests. */
  bodyStallMs?: number | undefined;
  /** How long a call under an Idempotency-Key goes on that nobody waits for, ms; left out, as the interface says. */
  outlivesMs?: number;
}

export interface Gateway {
  readonly server: Server;
  /** @returns `http://host:port` */
  start(): Promise<string>;
  /** Closes connections with their next answer and offers the page's address to nobody any more; serves on until `stop`. */
  stopsSoon(): void;
  /** Drains; see drain.ts. */
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
  const held = new HeldCalls(store.apiKeys, log);
  const feed = new EventsFeed(store.events);
  const budget = new BodyBudget(bodyBytes);
  const bodies = new JsonBodies(budget, bodyStallMs);
  const gauged = { held, budget, replies, feed, directory, renders: store.renders, jobs: store.jobs, subscriber: store.connections.subscriber };
  const measured = gatewayMetrics(metrics, gauged);
  const tools: Tools = {
    store,
    log,
    directory,
    robots: new KeysRobots(store),
    held,
    feed,
    streams: new EventStreams({ feed, held, directory, ended: measured.streamEnded }),
    commands: new RobotCommands(store, directory, replies),
    states: new RobotStates(store, directory, replies),
    media: new MediaMaker(store),
    waits: new WaitCalls(store, directory, replies, held),
  };
  const drain = new Drain(held, drainMs, log);
  const requestIds = newRequestIds(store.instance);
  store.accountRates.limit(accountActionsPerS);
  const admission = new Admission(store, directory);
  const idempotent = new IdempotentCalls({ store, held, drain, outlivesMs });
  const webhooks = new OwnersWebhooks({ store, allowPrivate: allowPrivateWebhooks });
  const baseUrl = baseUrls(publicUrl);
  const cookies = new Cookies(publicUrl);
  const sessionAuth = new SessionAuth({ admission, cookies, originCheck: new PageOriginCheck(new OwnHosts(publicUrl, host), publicUrl) });
  const discovery = new Discovery(baseUrl);
  const restOptions = { tools, webhooks, idempotent, discovery, bodies, drain, log };
  const rest = createRest({
    ...restOptions,
    base: '/v1',
    admit: (exchange, robot, cost) => admission.admit(exchange.request.headers.authorization, robot, cost, exchange),
  });
  const consoleRest = createRest({ ...restOptions, base: '/console/v1', admit: (exchange, robot, cost) => sessionAuth.admit(exchange, robot, cost) });
  const links = new LinkAddress(store.instances, linkPublicUrl);
  const audits = new AuditLog(log, addresses, measured.signInRefused);
  const routes = [
    ...wireAccounts({ store, sessionAuth, cookies, links, baseUrl, addresses, audits, log, ...accountSettings }),
    ...resourceRoutes(tools, accountBounds, measured.streamEnded),
  ];
  const console = createConsole({ sessionAuth, routes, bodies, addresses, audits, drain, log });
  const https = publicUrl?.startsWith('https:') === true;
  const page = pageFolder === undefined ? null : new Page({ files: new PageFiles(pageFolder), links, drain, https });
  const mcp = createMcp({ tools, admission, bodies, addresses, drain, log, publicUrl, host });
  const app = createApp({
    log,
    addresses,
    metrics: measured,
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
      endReplies = await store.gateways.receive(store.instance, (message) => void replies.deliver(message), {
        unreadable({ id, reason, says }) {
          measured.replyUnreadable(reason);
          log.warn({ reason, says, id }, 'a reply of another instance cannot be read');
          // The command may have been done: what became of it is not known, and no reply will follow.
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
      if (!(await page.isBuilt())) log.warn({ folder: pageFolder }, 'there is no web page: it was not built');
      // A gateway that listens everywhere does not know by which name.
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

/** Ids for requests whose caller gave none: unique over all gateways, since an instance's id is. */
function newRequestIds(instance: string): () => string {
  let count = 0;
  return () => `${instance}-${(++count).toString(36)}`;
}
