/** The system of `npm start`: Redis, the services, the demo and its robot. Restarts processes that exit, and stops everything. */
import { randomBytes } from 'node:crypto';
import { openStore, type Store } from '@perch/store';
import type { Announcement } from './announcement.js';
import { refuseBusyPort, startCluster, type Cluster } from './cluster.js';
import { openDemo, type Demo } from './demo.js';
import { startDemoRobot, type DemoRobot } from './demo-robot.js';
import { lanAddress } from './lan.js';
import { LanAccess, type LanOptions } from './lan-access.js';
import { openRedis, type OpenRedis } from './open-redis.js';
import type { StartOptions } from './options.js';
import { unknownSettings, type ServiceName, type ServiceProcess } from './service-process.js';
import { withSignedProgram } from './signed-program.js';

export interface LocalSystemOptions extends Omit<StartOptions, 'lan' | 'https'> {
  /** Null: at loopback alone. */
  lan: LanOptions | null;
  stateDir: string;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
  log: (line: string) => void;
  /** Called on a failure that a restart cannot fix; the caller stops the system. */
  onFailure: (reason: string) => void;
  /** Called when the system can be reached at another address of this machine. */
  onMove?: (announcement: Announcement) => void;
}

/** Restarts of services within a minute; the next exit is a failure. */
const restartsAMinuteMax = 5;
const onlineWithinMs = 15_000;
const signInLinkMs = 3_600_000;
const restartWithinMs = 300;

export class LocalSystem {
  readonly #options: LocalSystemOptions;
  readonly #restarts: number[] = [];
  /** For the services; a service that is replaced gets what it has by then. */
  readonly #env: NodeJS.ProcessEnv;
  #redis: OpenRedis | null = null;
  #cluster: Cluster | null = null;
  #lan: LanAccess | null = null;
  #store: Store | null = null;
  #robot: DemoRobot | null = null;
  #starting: Promise<unknown> = Promise.resolve();
  #stopping = false;
  /** Stopped instances whose replacement did not start; the next restart tries again. */
  readonly #unreplaced = new Set<ServiceProcess>();

  constructor(options: LocalSystemOptions) {
    this.#options = options;
    this.#env = { ...options.env };
  }

  /** Resolves when all gateways answer. @throws an Error with a sentence for the user; `stop` stops what was started before */
  start(): Promise<Announcement> {
    const started = this.#start();
    this.#starting = started;
    return started;
  }

  async #start(): Promise<Announcement> {
    const { print, env, stateDir } = this.#options;
    await this.#openPorts();
    for (const name of unknownSettings(env)) print(`${name} is not a setting of any service: ignored`);

    const redis = await openRedis(stateDir, env, print);
    this.#redis = redis;
    redis.server?.onCrash((how) => void this.#restartRedis(how));
    this.#throwIfStopping();

    // Before the services: what is wrong with Redis is then one sentence, once.
    const store = await openStore({ ...redis.access, instance: `start-${randomBytes(3).toString('hex')}` });
    this.#store = store;
    const cluster = await this.#startServices(redis.url);
    this.#cluster = cluster;
    this.#lan?.leadTo(cluster.gateways, cluster.links);
    this.#throwIfStopping();

    const demo = await openDemo(store, redis, stateDir, print);
    if (this.#options.robot !== null) {
      this.#robot = await startDemoRobot({
        kind: this.#options.robot,
        env,
        print,
        url: cluster.links[0]?.address ?? '',
        id: demo.robot,
        token: demo.robotToken,
        waits: store.waits,
        person: this.#options.person === 'answers',
        withinMs: onlineWithinMs,
      });
    }
    this.#throwIfStopping();
    await Promise.all(cluster.gateways.map((gateway) => checkGateway(gateway, demo.apiKey)));
    const link = await store.signInTokens.make(demo.account, signInLinkMs);
    const [named, account] = await Promise.all([store.robots.get(demo.robot), store.accounts.get(demo.account)]);
    const announced = { ...demo, robotName: named?.name || demo.robot, email: account?.email ?? '' };
    this.#lan?.follow(() => this.#move(cluster, redis, announced));
    return announcementOf(cluster, redis, announced, link, this.#lan);
  }

  /** At loopback the services open them. */
  async #openPorts(): Promise<void> {
    const { port, linkPort, gateways, links, lan, stateDir, env, print } = this.#options;
    const host = lan === null ? null : lanAddress(lan.address, lan.interfaces?.());
    await refuseBusyPort(port, '--port', host === null ? env['PERCH_GATEWAY_HOST'] : host);
    await refuseBusyPort(linkPort, '--link-port', host === null ? env['PERCH_LINK_HOST'] : host);
    if (lan === null) return;
    const ports = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => (at === 0 ? first : 0));
    this.#lan = await LanAccess.open(lan, { stateDir, env, print, ports: { gateways: ports(port, gateways), links: ports(linkPort, links) } });
    Object.assign(this.#env, this.#lan.environment);
  }

  /** The services have the address in their settings; connections by the former one are gone in any case. */
  async #move(cluster: Cluster, redis: OpenRedis, demo: Announced): Promise<void> {
    const { onMove } = this.#options;
    if (this.#stopping || this.#lan === null || this.#store === null) return;
    Object.assign(this.#env, this.#lan.environment);
    await this.restart(['gateway', 'robot-link']);
    const link = await this.#store.signInTokens.make(demo.account, signInLinkMs);
    onMove?.(announcementOf(cluster, redis, demo, link, this.#lan));
  }

  #startServices(redisUrl: string): Promise<Cluster> {
    const { gateways, links, renderers, webhooks, port, linkPort, stateDir, print, log } = this.#options;
    this.#env['PERCH_LOG_LEVEL'] ||= 'warn';
    return startCluster({
      redisUrl,
      gateways,
      links,
      renderers,
      webhooks,
      ...(this.#lan === null && { ports: { gateway: port, link: linkPort } }),
      env: withSignedProgram(stateDir, this.#env, print),
      log,
      onCrash: (service, { code, signal }) => void this.#restartService(service, signal ?? `code ${code}`),
    });
  }

  async #restartService(service: ServiceProcess, how: string): Promise<void> {
    if (this.#stopping || this.#cluster === null) return;
    const { print, onFailure } = this.#options;
    const now = performance.now();
    this.#restarts.push(now);
    while ((this.#restarts[0] ?? now) < now - 60_000) this.#restarts.shift();
    if (this.#restarts.length > restartsAMinuteMax) {
      onFailure(`${service.service} ${service.instance} exited with ${how}: too many restarts within a minute`);
      return;
    }
    print(`${service.service} ${service.instance} (pid ${service.pid}) exited with ${how}: starting a replacement`);
    try {
      await this.#cluster.replace(service);
    } catch (error) {
      if (!this.#stopping) onFailure(error instanceof Error ? error.message : String(error));
    }
  }

  async #restartRedis(how: string): Promise<void> {
    const redis = this.#redis;
    if (this.#stopping || redis === null || redis.server === null) return;
    if (redis.persistence !== 'own') {
      this.#options.onFailure(`${how}; its data is lost`);
      return;
    }
    this.#options.print(`${how}: restarting it`);
    try {
      await redis.server.restart();
    } catch (error) {
      if (!this.#stopping) this.#options.onFailure(error instanceof Error ? error.message : String(error));
    }
  }

  #throwIfStopping(): void {
    if (this.#stopping) throw new Error('stopped during the start');
  }

  /** Replaces all instances of these services at the same addresses, without a drain: for `npm run dev`. */
  async restart(services: readonly ServiceName[]): Promise<void> {
    const cluster = this.#cluster;
    if (cluster === null || this.#stopping) return;
    const all = [...cluster.gateways, ...cluster.links, ...cluster.renderers, ...cluster.webhooks];
    // One that has exited by itself is being replaced already.
    const chosen = all.filter((instance) => services.includes(instance.service) && (instance.running || this.#unreplaced.has(instance)));
    await Promise.all(chosen.map((instance) => this.#restartInstance(cluster, instance)));
  }

  async #restartInstance(cluster: Cluster, instance: ServiceProcess): Promise<void> {
    this.#unreplaced.add(instance);
    const stopped = instance.stop(restartWithinMs);
    try {
      // The replacement loads while the instance stops, which frees the port long before the replacement listens, unless the machine is busy.
      await cluster.replace(instance);
    } catch (error) {
      await stopped;
      if (this.#stopping) return;
      if (!(error instanceof Error && error.message.includes('EADDRINUSE'))) throw error;
      await cluster.replace(instance);
    }
    await stopped;
    this.#unreplaced.delete(instance);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#starting.catch(() => undefined);
    await this.#cluster?.stop();
    await this.#lan?.stop();
    await this.#robot?.stop();
    await this.#store?.close().catch(() => undefined);
    await this.#redis?.stop();
  }
}

/** Discovery costs nothing of the key's rate limit and exercises the key, Redis and the table of actions. */
async function checkGateway(gateway: ServiceProcess, apiKey: string): Promise<void> {
  const response = await fetch(`${gateway.address}/v1/actions`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`gateway ${gateway.instance} at ${gateway.address} answers ${response.status}`);
}

type Announced = Demo & Pick<Announcement, 'robotName' | 'email'>;

function announcementOf(cluster: Cluster, redis: OpenRedis, demo: Announced, link: string, lan: LanAccess | null): Announcement {
  const gateways = lan?.gateways ?? cluster.gateways.map(({ address }) => address);
  const links = lan?.links ?? cluster.links.map(({ address }) => address);
  const instances = [...cluster.gateways, ...cluster.links, ...cluster.renderers, ...cluster.webhooks];
  const metrics = instances.map(({ admin }) => `${admin}/metrics`);
  const [baseUrl = ''] = gateways;
  const signInUrl = `${lan?.page ?? baseUrl}/#sign-in=${link}`;
  const lanFields = lan === null ? null : { signInUrl, robotUrl: lan.robotUrl, caUrl: lan.caUrl, caFile: lan.caFile, fingerprint: lan.fingerprint };
  return { baseUrl, linkUrl: links[0] ?? '', gateways, links, metrics, redisUrl: redis.url, ...demo, signInUrl, lan: lanFields };
}
