import type { Server } from 'node:http';
import { ClientAddresses, guardConnections, listen, type ServiceApp } from '@perch/runtime';
import { ActivityLog } from './activity/activity-log.js';
import { Admission } from './auth/admission.js';
import { createApp, createHttpServer, warmUp } from './server/app.js';
import { createActions } from './actions/actions.js';
import { createRedraw } from './actions/redraw.js';
import { KeyValidity } from './calls/key-validity.js';
import { BodyBudget, JsonBodies } from './http/json-body.js';
import { AuditLog } from './console/audit.js';
import { createConsole, resourceRoutes } from './console/console.js';
import { Cookies } from './console/auth/cookies.js';
import { LinkAddress } from './console/robots/link-address.js';
import { PageOriginCheck, PageFiles, Page } from './console/page.js';
import { AccountRemovals } from './console/accounts/account-removals.js';
import { wireAccounts } from './console/accounts/account-routes.js';
import { SessionAuth } from './console/auth/session-auth.js';
import { GuestAdmission } from './console/sharing/guest-admission.js';
import { GroupCalls } from './groups/group-calls.js';
import { baseUrls, Discovery, createDescriptions } from './discovery/discovery.js';
import type { GatewayOptions } from './gateway-options.js';
import { Drain } from './http/drain.js';
import { EventsFeed } from './events/events-feed.js';
import { EventStreams } from './events/event-streams.js';
import { OpenCalls } from './calls/open-calls.js';
import { IdempotentCalls } from './idempotency/idempotent-calls.js';
import { ledMaDefault } from './media/led-color.js';
import { openMails } from './mail/account-mails.js';
import { MediaMaker } from './media/media-maker.js';
import { PictureFetch, PictureSources } from './media/picture-sources.js';
import { ScreenImages, ScreenReader } from './media/screen-reader.js';
import { createMcp } from './mcp/mcp.js';
import { authorizationRoutes } from './console/authorization-routes.js';
import { ClientDocuments, KnownClients } from './oauth/known-clients.js';
import { createOAuth } from './oauth/oauth.js';
import { Resources, Subscriptions } from './mcp/resources.js';
import { ToolCalls } from './mcp/tool-calls.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { gatewayMetrics } from './telemetry/metrics.js';
import { Replies } from './robots/replies.js';
import { Router } from './http/router.js';
import { createRest, type Admit } from './rest/rest.js';
import { robotHandlers } from './rest/robot-handlers.js';
import { activityRoutes } from './rest/activity-routes.js';
import { groupRoutes, restRoutes, pictureRoutes, waitRoutes } from './rest/routes.js';
import { webhookRoutes, WebhookService } from './rest/webhook-routes.js';
import { RobotCommands } from './robots/robot-commands.js';
import { RobotDirectory, RobotNames } from './robots/robot-directory.js';
import { RobotStates } from './robots/robot-states.js';
import { RobotListReader } from './robots/robot-list-reader.js';
import { QueueTurns } from './queue/queue-turns.js';
import { createWaits } from './waits/waits.js';

export interface Gateway extends ServiceApp {
  readonly server: Server;
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
  install = { url: null, ca: null },
  robotProgram = null,
  trustedProxies = 0,
  accountSettings = { signUp: 'open', oidc: null },
  mail = null,
  accountActionsPerS = 0,
  ledMa = ledMaDefault,
  imageAddresses = 'public',
  accountBounds = { keys: 100, robots: 200 },
  allowPrivateWebhooks = false,
  connectionsMax = null,
  bodyBytes = 128 * 1024 * 1024,
  keepAliveMs = 65_000,
  bodyStallMs,
  outlivesMs,
  pendingAfterMs,
}: GatewayOptions): Gateway {
  const addresses = new ClientAddresses(trustedProxies, log);
  const directory = new RobotDirectory(store);
  const replies = new Replies(store.instance);
  const keyValidity = new KeyValidity(store.apiKeys, store.guests);
  const openCalls = new OpenCalls(keyValidity, log);
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
  const activity = new ActivityLog({ store, written: recorder.activityWritten, dropped: recorder.activityDropped });
  const states = new RobotStates(store, directory, replies);
  const media = new MediaMaker(store, new PictureSources(new PictureFetch(imageAddresses), store.uploadedPictures, new BodyBudget(bodyBytes)));
  const images = new ScreenImages(store);
  const screen = new ScreenReader({ store, states, media, images });
  const waits = createWaits({ store, directory, replies, openCalls, keyValidity, log });
  const services = {
    clock: store.clock,
    directory,
    states,
    detachedWaits: store.detachedWaits,
    feed,
    openCalls,
    keyValidity,
    commands: new RobotCommands(store, directory, replies, keyValidity),
    media,
    screenImages: images,
    ledMa,
    waits: waits.calls,
    queue: waits.queue,
    stops: waits.stops,
  };
  const actions = createActions(services);
  const queueTurns = new QueueTurns({ store, services, settler: waits.settler, activity, log });
  const redraw = createRedraw({ directory, media, screenImages: images });
  const robotList = new RobotListReader(store);
  const streams = new EventStreams({ feed, openCalls, directory, ended: recorder.streamEnded });
  const drain = new Drain(openCalls, drainMs, log);
  const requestIds = newRequestIds(store.instance);
  store.accountRates.limit(accountActionsPerS);
  const admission = new Admission(store, directory, new RobotNames(robotList));
  const idempotent = new IdempotentCalls({ store, directory, openCalls, drain, outlivesMs });
  const webhooks = new WebhookService({ store, allowPrivate: allowPrivateWebhooks });
  const baseUrl = baseUrls(publicUrl);
  const cookies = new Cookies(publicUrl);
  const hosts = new AllowedHosts(publicUrl, host);
  const clients = new KnownClients(store, new ClientDocuments(allowPrivateWebhooks));
  const sessionAuth = new SessionAuth({
    admission,
    guests: new GuestAdmission(store.guests, directory, admission),
    cookies,
    originCheck: new PageOriginCheck(hosts, publicUrl),
  });
  const discovery = new Discovery(baseUrl);
  const groups = new GroupCalls({ store, actions, idempotent, robotList, activity, log });
  const handlers = robotHandlers({ clock: store.clock, actions, screen, streams, idempotent, bodies });
  const router = new Router([
    ...restRoutes({ robotList, handlers, discovery, drain }),
    ...groupRoutes(groups, bodies),
    ...pictureRoutes(store, bodies),
    ...webhookRoutes(webhooks, bodies, activity),
    ...activityRoutes(store, activity),
    ...waitRoutes(waits.reader, waits.settler),
  ]);
  const rest = createRest({
    base: '/v1',
    router,
    admit: (exchange, robot, cost) => admission.admit(exchange.request.headers.authorization, robot, cost, exchange),
    drain,
    log,
  });
  const admitSession: Admit = (exchange, robot, cost) => sessionAuth.admit(exchange, robot, cost);
  const consoleRest = createRest({ base: '/console/v1', router, admit: admitSession, drain, log });
  const links = new LinkAddress(store.instances, linkPublicUrl);
  const audits = new AuditLog(log, addresses, activity, recorder.signInRefused);
  const removals = new AccountRemovals({ store, log });
  const mails = mail === null || publicUrl === null ? null : openMails({ store, mail, publicUrl, counted: recorder.mailCounted, log });
  const routes = [
    ...wireAccounts({ store, sessionAuth, cookies, links, install, baseUrl, mails, addresses, audits, activity, removals, log, ...accountSettings }),
    ...resourceRoutes({ store, states, directory, feed, openCalls, activity, redraw, robotProgram }, accountBounds, recorder.streamEnded),
    ...authorizationRoutes({ store, clients, baseUrl, keysMax: accountBounds.keys }),
  ];
  const console = createConsole({ sessionAuth, routes, bodies, addresses, audits, drain, log });
  const https = publicUrl?.startsWith('https:') === true;
  const page = pageFolder === undefined ? null : new Page({ files: new PageFiles(pageFolder), links, drain, https, ca: install.ca });
  const toolCalls = new ToolCalls({ store, actions, robotList, screen, admission, groups, waits: waits.reader, keyValidity, log, pendingAfterMs });
  const mcp = createMcp({
    calls: toolCalls,
    resources: new Resources({ store, actions, robotList, screen, admission }),
    subscriptions: new Subscriptions({ admission, states, openCalls, ended: recorder.streamEnded }),
    cancellations: store.cancellations,
    apiKeys: store.apiKeys,
    admission,
    bodies,
    addresses,
    drain,
    log,
    hosts,
    baseUrl,
  });
  const app = createApp({
    log,
    addresses,
    metrics: recorder,
    activity,
    tracing,
    drain,
    newRequestId: requestIds,
    rest,
    mcp,
    console,
    consoleRest,
    descriptions: createDescriptions(discovery, { drain, log }),
    oauth: createOAuth({ store, clients, baseUrl, hosts, bodies, addresses, audits, drain, log }),
    page: async (exchange) => (await page?.answer(exchange)) ?? false,
  });
  const server = createHttpServer(app, requestIds, keepAliveMs);
  guardConnections({ server, connectionsMax, log, metrics, prefix: 'perch_gateway' });
  let endReplies: () => Promise<void> = async () => {};
  let address = '';

  return {
    get address() {
      return address;
    },
    server,
    async start() {
      endReplies = await store.gatewayMailbox.receive(store.instance, (message) => void replies.deliver(message), {
        unreadable({ id, reason, claimedType }) {
          recorder.replyUnreadable(reason);
          log.warn({ reason, type: claimedType, id }, 'received an unreadable reply from another instance');
          // The robot may have executed the command, and no other reply will follow.
          replies.settle(id, { t: 'late' });
        },
      });
      await warmUp(admission);
      removals.start();
      waits.start();
      queueTurns.start();
      address = await listen(server, host, port);
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
      await Promise.all([activity.flush(), removals.stop(), waits.stop(), queueTurns.stop(), mails?.settle(signal)]);
      await endReplies();
    },
  };
}

/** Unique across gateways, because the instance id is. */
function newRequestIds(instance: string): () => string {
  let count = 0;
  return () => `${instance}-${(++count).toString(36)}`;
}
