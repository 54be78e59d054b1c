/** The wiring of a robot-link, without the process around it: main starts one, tests start several. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientAddresses, guardConnections, type Logger, type Metrics, type Part, type Tracing } from '@perch/runtime';
import type { Store } from '@perch/store';
import pLimit from 'p-limit';
import { timing as standardTiming, type LinkConfig, type Timing } from './config.js';
import { noteFailure, type LinkContext } from './session/context.js';
import { Door } from './connection/connection-limits.js';
import { drainSessions } from './balance/drain.js';
import type { BalancePace } from './balance/balance.js';
import { LinkBalancer } from './balance/link-balancer.js';
import { MediaCache } from './media/media-cache.js';
import { LinkMetrics } from './metrics/link-metrics.js';
import type { ReportedRobot } from './metrics/robot-samples.js';
import { PairingDesk } from './pairing/pairing.js';
import { RobotLog } from './session/robot-log.js';
import { Roster } from './connection/session-registry.js';
import { refuseUnreadable, route } from './session/router.js';
import { SocketServer } from './connection/socket-server.js';
import { Unreadable } from './session/unreadable.js';

export interface AppOptions {
  store: Store;
  log: Logger;
  /** Left out or null: no traces. */
  tracing?: Tracing | null;
  metrics: Metrics;
  config: Pick<LinkConfig, 'host' | 'port' | 'verificationUri' | 'trustProxy' | 'drainMs'> & Partial<Pick<LinkConfig, 'connections' | 'balance'>>;
  timing?: Partial<Timing>;
  /** How fast robot-links even out; for tests. */
  balancePace?: BalancePace;
}

export interface App extends Part {
  /** Where robots dial; known once started. */
  readonly address: string;
  readonly sessionCount: number;
  /** Robots held now, the longest connected first. */
  readonly robots: readonly ReportedRobot[];
}

/** Most of the drain's time goes by itself: a robot's commands end within seconds. */
const drainMsMax = 30_000;

/**
 * On a Cluster a gateway is not told that nobody received its message. For so long after its last robot was sent away, ms, the instance still
 * answers not_here: the robots have dialled elsewhere by then, and gateways find them there.
 */
const notHereMs = 1000;

/** Token lookups and leases of connecting robots that are in flight at a time. With a round trip of 5 ms to Redis, 3,200 robots connect in a second. */
const handshakesAtOnce = 16;

export function createApp({ store, log, tracing = null, metrics, config, timing, balancePace }: AppOptions): App {
  const counted = new LinkMetrics(metrics, () => ({ roster, subscriber: store.connections.subscriber }));
  const addresses = new ClientAddresses(config.trustProxy, log);
  const shared = {
    store,
    log,
    tracing,
    addresses,
    metrics: counted,
    media: new MediaCache(store.media),
    timing: { ...standardTiming, ...timing },
    handshakes: pLimit(handshakesAtOnce),
    unreadable: new Unreadable(log, counted),
    robotLog: new RobotLog(store.robotLines, counted, (error) => noteFailure({ metrics: counted, log }, 'log', error)),
  };
  const roster = new Roster(shared);
  const context: LinkContext = { ...shared, roster };
  const balancer = new LinkBalancer({ context, enabled: config.balance ?? false, ...(balancePace && { pace: balancePace }) });
  const door = new Door(addresses);
  const server = new SocketServer(context, door, new PairingDesk(context, door, config.verificationUri));
  guardConnections({ server: server.http, connectionsMax: config.connections ?? null, log, metrics, prefix: 'perch_link' });
  let stopReceiving: () => Promise<void> = async () => {};
  let address = '';

  return {
    name: 'robot link',
    get address() {
      return address;
    },
    get sessionCount() {
      return roster.sessionCount;
    },
    get robots() {
      return roster.sessions;
    },
    async start() {
      // Before the first robot: a lease whose instance has no heartbeat counts as away.
      await store.instances.announce();
      store.instances.onLapse(() => roster.announceAll());
      stopReceiving = await store.links.receive(store.instance, (message) => route(context, message), {
        missed: () => roster.lookAgain(),
        unreadable: (message) => refuseUnreadable(context, message),
      });
      roster.start();
      address = await server.listen(config.host, config.port);
      balancer.start();
      await store.instances.offer('link', address);
    },
    stopsSoon() {
      balancer.leave();
      void store.instances.withdraw();
    },
    async stop() {
      this.stopsSoon?.();
      server.refuse();
      const heldRobots = roster.sessionCount > 0;
      // The greetings first: none of them becomes a session behind the drain's back.
      await Promise.all([roster.drainGreetings(), drainSessions(roster.sessions, Math.min(config.drainMs, drainMsMax))]);
      await roster.stop();
      await balancer.stop();
      await server.close();
      if (heldRobots && store.connections.isCluster) await sleep(notHereMs);
      await stopReceiving();
    },
  };
}
