/** Wires the gateway: each area is created from those above it, and returns what others use of it, its way in, and how it starts and stops. */
import type { Server } from 'node:http';
import { ClientAddresses, guardConnections, listen, type ServiceApp } from '@perch/runtime';
import { createActions } from './actions/actions.js';
import { ActivityLog } from './activity/activity-log.js';
import { Admission } from './auth/admission.js';
import { KeyValidity } from './calls/key-validity.js';
import { OpenCalls } from './calls/open-calls.js';
import { AuditLog } from './console/audit.js';
import { createConsole } from './console/console.js';
import { baseUrls, createDescriptions, Discovery } from './discovery/discovery.js';
import { EventStreams } from './events/event-streams.js';
import { EventsFeed } from './events/events-feed.js';
import type { GatewayOptions } from './gateway-options.js';
import { GroupCalls } from './groups/group-calls.js';
import { AllowedHosts } from './http/allowed-hosts.js';
import { Drain } from './http/drain.js';
import { BodyBudget, JsonBodies } from './http/json-body.js';
import { IdempotentCalls } from './idempotency/idempotent-calls.js';
import { createMcp } from './mcp/mcp.js';
import { ledMaDefault } from './media/led-color.js';
import { createMedia } from './media/media.js';
import { ClientDocuments, ClientDirectory } from './oauth/client-directory.js';
import { createOAuth } from './oauth/oauth.js';
import { QueueTurns } from './queue/queue-turns.js';
import { createRest } from './rest/routes.js';
import { createRobots } from './robots/robots.js';
import { createApp, createHttpServer, warmUp } from './server/app.js';
import { gatewayMetrics, registerGauges } from './telemetry/metrics.js';
import { createWaits } from './waits/waits.js';

export interface Gateway extends ServiceApp {
  readonly server: Server;
  start(): Promise<string>;
  /** Withdraws the console's address and makes every response close its connection. Requests are still served until `stop`. */
  stopsSoon(): void;
  stop(signal: AbortSignal): Promise<void>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { store, log, metrics, tracing = null, host, publicUrl, bodyBytes = 128 * 1024 * 1024, allowPrivateWebhooks = false } = options;
  store.accountRates.limit(options.accountActionsPerS ?? 0);
  const recorder = gatewayMetrics(metrics);
  const { streamEnded, mailCounted } = recorder;
  const keyValidity = new KeyValidity(store.apiKeys, store.guests);
  const openCalls = new OpenCalls(keyValidity, log);
  const drain = new Drain(openCalls, options.drainMs, log);
  const addresses = new ClientAddresses(options.trustedProxies ?? 0, log);
  const hosts = new AllowedHosts(publicUrl, host);
  const baseUrl = baseUrls(publicUrl);
  const budget = new BodyBudget(bodyBytes);
  const bodies = new JsonBodies(budget, options.bodyStallMs);
  const activity = new ActivityLog({ store, written: recorder.activityWritten, dropped: recorder.activityDropped });
  const robots = createRobots({ store, keyValidity, replyUnreadable: recorder.replyUnreadable, log });
  const { directory, states } = robots;
  const media = createMedia({ store, states, imageAddresses: options.imageAddresses ?? 'public', bodyBytes });
  const admission = new Admission(store, directory, robots.names);
  const idempotent = new IdempotentCalls({ store, directory, openCalls, drain, outlivesMs: options.outlivesMs });
  const waits = createWaits({ store, directory, replies: robots.replies, openCalls, keyValidity, log });
  const feed = new EventsFeed(store.events);
  const services = {
    clock: store.clock,
    directory,
    states,
    detachedWaits: store.detachedWaits,
    feed,
    openCalls,
    keyValidity,
    commands: robots.commands,
    media: media.maker,
    screenImages: media.images,
    ledMa: options.ledMa ?? ledMaDefault,
    waits: waits.calls,
    queue: waits.queue,
    stops: waits.stops,
  };
  const actions = createActions(services);
  const queueTurns = new QueueTurns({ store, services, settler: waits.settler, activity, log });
  const groups = new GroupCalls({ store, actions, idempotent, robotList: robots.list, activity, log });
  const discovery = new Discovery(baseUrl);
  const audits = new AuditLog(log, addresses, activity, recorder.signInRefused);
  const clients = new ClientDirectory(store, new ClientDocuments(allowPrivateWebhooks));
  // Everything that the ways in have in common.
  const shared = {
    store,
    log,
    drain,
    bodies,
    addresses,
    hosts,
    baseUrl,
    activity,
    actions,
    admission,
    robots,
    robotList: robots.list,
    screen: media.screen,
    groups,
    openCalls,
    keyValidity,
    streamEnded,
  };
  const streams = new EventStreams({ feed, openCalls, directory, ended: streamEnded });
  const interfaceAt = createRest({ ...shared, discovery, idempotent, streams, waits, allowPrivateWebhooks });
  const page = createConsole({ ...shared, feed, redraw: actions.redraw, clients, audits, mailCounted }, options);
  const app = createApp({
    log,
    addresses,
    metrics: recorder,
    activity,
    tracing,
    drain,
    instance: store.instance,
    rest: interfaceAt('/v1', admission.admit),
    mcp: createMcp({ ...shared, waits: waits.reader, pendingAfterMs: options.pendingAfterMs }),
    console: page.answer,
    consoleRest: interfaceAt('/console/v1', page.admit),
    descriptions: createDescriptions(discovery, { drain, log }),
    oauth: createOAuth({ ...shared, clients, audits }),
    page: page.file,
  });
  const server = createHttpServer(app, options.keepAliveMs ?? 65_000);
  registerGauges(metrics, { openCalls, budget, replies: robots.replies, feed, directory, store });
  guardConnections({ server, connectionsMax: options.connectionsMax ?? null, log, metrics, prefix: 'perch_gateway' });
  let address = '';

  return {
    get address() {
      return address;
    },
    server,
    async start() {
      await robots.start();
      await warmUp(admission);
      for (const area of [page, waits, queueTurns]) area.start();
      address = await listen(server, host, options.port);
      // A gateway that listens on all interfaces does not know the address that browsers use.
      await page.offer(publicUrl ?? (['0.0.0.0', '::'].includes(host) ? null : address));
      return address;
    },
    stopsSoon() {
      drain.announce();
      void store.instances.withdraw();
    },
    async stop(signal) {
      this.stopsSoon();
      await drain.run(server, signal);
      await Promise.all([activity.flush(), page.stop(signal), waits.stop(), queueTurns.stop()]);
      await robots.stop();
    },
  };
}
