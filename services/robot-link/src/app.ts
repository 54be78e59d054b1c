import { setTimeout as sleep } from 'node:timers/promises';
import { ClientAddresses, guardConnections, Metrics, robotProgram, type Logger, type ServiceApp, type Tracing } from '@perch/runtime';
import { readSignedUpdate, updateFile } from '@perch/installer/node';
import { isProbeAccount, type Store } from '@perch/store';
import pLimit from 'p-limit';
import type { LinkConfig } from './config.js';
import { ConnectionLimits } from './http/connection-limits.js';
import { drainSessions, SessionRegistry, type ConnectionContext } from './connection/session-registry.js';
import type { BalancePace } from './balance/balance.js';
import { LinkBalancer } from './balance/link-balancer.js';
import { FrameQueue } from './media/frame-queue.js';
import { MediaCache } from './media/media-cache.js';
import { LinkMetrics, noteFailure, type GaugeSources } from './metrics/link-metrics.js';
import type { RobotReport } from './metrics/robots-page.js';
import { PairingHandler } from './connection/pairing.js';
import { RobotLog, UnreadableLog } from './session/robot-log.js';
import type { Session } from './session/session.js';
import { InputAcks, timing as standardTiming, type LinkContext, type Timing } from './session/context.js';
import { LeaseReleases } from './session/lease.js';
import { RobotProgram } from './http/robot-program.js';
import { SocketServer } from './connection/socket-server.js';

export interface AppOptions {
  store: Store;
  log: Logger;
  tracing?: Tracing | null;
  metrics: Metrics;
  config: Pick<LinkConfig, 'host' | 'port' | 'verificationUri' | 'trustProxy' | 'drainMs'> &
    Partial<Pick<LinkConfig, 'connections' | 'balance' | 'keepAliveMs' | 'linkPublicUrl' | 'robotProgram'>>;
  timing?: Partial<Timing>;
  balancePace?: BalancePace;
  /** Default: that of the setting, or of this release. */
  program?: RobotProgram;
}

export interface App extends ServiceApp {
  readonly address: string;
  readonly sessionCount: number;
  readonly robots: readonly RobotReport[];
}

/** PERCH_DRAIN_MS can be longer for the gateway; a robot's commands end within seconds. */
const drainMsMax = 30_000;

/**
 * On a Redis Cluster a gateway does not learn that its message had no receiver. For this time after the last robot has left, the instance still answers
 * not_here, ms.
 */
const notHereMs = 1000;

/** Counts steps: a robot needs two (token lookup, lease), at least three round trips to Redis: at 5 ms each, about 1,000 robots connect a second. */
const handshakesInFlightMax = 16;

export function createApp({ store, log, tracing = null, metrics, config, timing, balancePace, program }: AppOptions): App {
  const robots = (): readonly Session[] => registry.sessions.filter(({ account }) => !isProbeAccount(account));
  const gauged = (): GaugeSources => ({ robots: robots(), registry, subscriber: store.connections.subscriber });
  const counted = new LinkMetrics(metrics, gauged);
  const addresses = new ClientAddresses(config.trustProxy, log);
  const shared: LinkContext = {
    store,
    log,
    tracing,
    addresses,
    metrics: counted,
    // Nobody reads these.
    probeMetrics: new LinkMetrics(new Metrics('robot-link'), gauged),
    media: new MediaCache({
      read: (ref) => store.media.read(ref),
      range: (ref, offset, length) => store.media.range(ref, offset, length),
      growing: (ref, offset, length) => store.growingSounds.read(ref, offset, length),
    }),
    frames: new FrameQueue(store.renders),
    timing: { ...standardTiming, ...timing },
    releases: new LeaseReleases({ store, log, metrics: counted }),
    inputAcks: new InputAcks(),
    handshakes: pLimit(handshakesInFlightMax),
    program: program ?? new RobotProgram(config.robotProgram ? readSignedUpdate(config.robotProgram, robotProgram.env) : updateFile()),
    unreadable: new UnreadableLog(log, counted),
    robotLog: new RobotLog(store.robotLines, counted, (error) => noteFailure({ metrics: counted, log }, 'log', error)),
  };
  const registry = new SessionRegistry(shared);
  const context: ConnectionContext = { ...shared, registry };
  const balancer = new LinkBalancer({ context, enabled: config.balance ?? false, ...(balancePace && { pace: balancePace }) });
  const limits = new ConnectionLimits(addresses);
  const pairing = new PairingHandler(context, limits, config.verificationUri, config.linkPublicUrl ?? null);
  const server = new SocketServer(context, limits, pairing, config.keepAliveMs ?? 5_000);
  guardConnections({ server: server.http, connectionsMax: config.connections ?? null, log, metrics, prefix: 'perch_link' });
  let stopReceiving: () => Promise<void> = async () => {};
  let address = '';

  return {
    get address() {
      return address;
    },
    get sessionCount() {
      return registry.sessionCount;
    },
    get robots() {
      return robots();
    },
    async start() {
      // Before the first robot connects: a lease whose instance has no heartbeat counts as away.
      await store.instances.announce();
      store.instances.onLapse(() => registry.announceAll());
      stopReceiving = await store.linkMailbox.receive(store.instance, (message) => registry.receive(message), {
        missed: () => registry.recheckAll(),
        unreadable: (message) => registry.refuseUnreadable(message),
      });
      registry.start();
      address = await server.listen(config.host, config.port);
      balancer.start();
      await store.instances.offer('link', address);
    },
    stopsSoon() {
      balancer.leave();
      void store.instances.withdraw();
    },
    async stop() {
      this.stopsSoon!();
      server.refuse();
      const heldRobots = registry.sessionCount > 0;
      // A handshake must not become a session that the drain does not know of.
      await Promise.all([registry.drainHandshakes(), drainSessions(registry.sessions, Math.min(config.drainMs, drainMsMax))]);
      await registry.stop();
      await balancer.stop();
      await server.close();
      if (heldRobots && store.connections.isCluster) await sleep(notHereMs);
      await stopReceiving();
    },
  };
}
