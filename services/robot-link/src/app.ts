/** The wiring of a robot-link, without the process around it: main starts one, tests start several. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientAddresses, guardConnections, type Logger, type Part } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { Registry } from 'prom-client';
import { timing as standardTiming, type LinkConfig, type Timing } from './config.js';
import { noteFailure, type LinkContext } from './context.js';
import { Door } from './door.js';
import { drainSessions } from './drain.js';
import { MediaCache } from './media-cache.js';
import { LinkMetrics } from './metrics.js';
import { PairingDesk } from './pairing.js';
import { RobotLog } from './robot-log.js';
import { Roster } from './roster.js';
import { route } from './router.js';
import { SocketServer } from './socket-server.js';
import { Unreadable } from './unreadable.js';

export interface AppOptions {
  store: Store;
  log: Logger;
  registry: Registry;
  config: Pick<LinkConfig, 'host' | 'port' | 'verificationUri' | 'trustProxy' | 'drainMs'> & Partial<Pick<LinkConfig, 'connections'>>;
  timing?: Partial<Timing>;
}

export interface App extends Part {
  /** Where robots dial; known once started. */
  readonly address: string;
  readonly sessionCount: number;
}

/** Most of the drain's time goes by itself: a robot's commands end within seconds. */
const drainMsMax = 30_000;

/**
 * On a Cluster a gateway is not told that nobody received its message. For so long after its last robot was sent away, ms, the instance still
 * answers not_here: the robots have dialled elsewhere by then, and gateways find them there.
 */
const notHereMs = 1000;

export function createApp({ store, log, registry, config, timing }: AppOptions): App {
  const metrics = new LinkMetrics(registry, () => ({ roster, subscriber: store.connections.subscriber }));
  const addresses = new ClientAddresses(config.trustProxy, log);
  const shared = {
    store,
    log,
    addresses,
    metrics,
    media: new MediaCache(store.media),
    timing: { ...standardTiming, ...timing },
    unreadable: new Unreadable(log, metrics),
    robotLog: new RobotLog(store.robotLines, metrics, (error) => noteFailure({ metrics, log }, 'log', error)),
  };
  const roster = new Roster(shared);
  const context: LinkContext = { ...shared, roster };
  const door = new Door(addresses);
  const server = new SocketServer(context, door, new PairingDesk(context, door, config.verificationUri));
  guardConnections({ server: server.http, connectionsMax: config.connections ?? null, log, registry, prefix: 'perch_link' });
  let stopReceiving: () => void = () => {};
  let address = '';

  return {
    name: 'robot link',
    get address() {
      return address;
    },
    get sessionCount() {
      return roster.sessionCount;
    },
    async start() {
      // Before the first robot: a lease whose instance has no heartbeat counts as away.
      await store.instances.announce();
      store.instances.onLapse(() => roster.announceAll());
      stopReceiving = await store.links.receive(
        store.instance,
        (message) => route(context, message),
        () => roster.lookAgain(),
      );
      roster.start();
      address = await server.listen(config.host, config.port);
      await store.instances.offer('link', address);
    },
    async stop() {
      server.refuse();
      void store.instances.withdraw();
      const heldRobots = roster.sessionCount > 0;
      // The greetings first: none of them becomes a session behind the drain's back.
      await Promise.all([roster.drainGreetings(), drainSessions(roster.sessions, Math.min(config.drainMs, drainMsMax))]);
      await roster.stop();
      await server.close();
      if (heldRobots && store.connections.isCluster) await sleep(notHereMs);
      stopReceiving();
    },
  };
}
