/** Perch as shipped, with a Redis of its own. */
import { startCluster, type Cluster, type ServiceProcess } from '@perch/launcher';
import { startRedisProcess, type LocalRedis, type RedisServerBinary } from '@perch/local-redis';
import { openStore, type Store } from '@perch/store';
import { redisCluster } from '@perch/testkit';
import { RedisProxy } from '../redis-proxy.js';
import { Fleet, type RobotKind, type RobotSeed } from '../robots/fleet.js';
import type { Worker } from '../worker.js';
import type { Targets } from '../load/load.js';
import type { Variant } from './variant.js';

export interface PerchOptions {
  robotsWorker: Worker;
  redisBinary: RedisServerBinary;
  env: NodeJS.ProcessEnv;
  robots: number;
  keys: number;
  /** Root of another built source tree. Default: this one. */
  root?: string | undefined;
  links?: number;
  /** Default: robots that read no palettes. */
  robotKind?: RobotKind;
  /** Without a renderer nothing can be rendered. */
  renderers?: number;
  /** `proxied`: a proxy counts the commands. `cluster`: three masters. */
  redis?: 'plain' | 'proxied' | 'cluster';
}

export class Perch implements Variant {
  readonly name = 'Perch';
  readonly cluster: Cluster;
  readonly redisUrl: string;
  /** Owner of the keys and robots. */
  readonly account: string;
  readonly redisPids: readonly number[];
  readonly redisPorts: readonly number[];
  readonly keys: readonly string[];
  readonly proxy: RedisProxy | null;
  readonly #robotsWorker: Worker;
  readonly #robotKind: RobotKind;
  readonly #seeds: readonly RobotSeed[];
  readonly #stopRedis: () => Promise<void>;
  #fleet: Fleet | null = null;

  private constructor(options: PerchOptions, redis: OpenedRedis, cluster: Cluster, seeds: Seeds) {
    this.#robotsWorker = options.robotsWorker;
    this.#robotKind = options.robotKind ?? 'frames';
    this.cluster = cluster;
    this.redisUrl = redis.url;
    this.account = seeds.account;
    this.redisPids = redis.servers.map(({ pid }) => pid);
    this.redisPorts = redis.servers.map(({ port }) => port);
    this.proxy = redis.proxy;
    this.keys = seeds.keys;
    this.#seeds = seeds.robots;
    this.#stopRedis = redis.stop;
  }

  static async start(options: PerchOptions): Promise<Perch> {
    const perch = await Perch.startEmpty(options);
    try {
      await perch.connectRobots(options.robots);
      return perch;
    } catch (error) {
      await perch.stop();
      throw error;
    }
  }

  static async startEmpty(options: PerchOptions): Promise<Perch> {
    const redis = await openRedis(options);
    try {
      const seeds = await seed(redis.url, options);
      const { links = 1, renderers = 1, env, root } = options;
      const cluster = await startCluster({ redisUrl: redis.url, links, renderers, drainMs: 1000, env, ...(root !== undefined && { root }) });
      return new Perch(options, redis, cluster, seeds);
    } catch (error) {
      await redis.stop();
      throw error;
    }
  }

  /** Up to this number; connected ones stay. */
  async connectRobots(count: number): Promise<void> {
    const before = this.#fleet?.robots ?? [];
    const urls = this.cluster.links.map(({ address }) => address);
    const more = await Fleet.connect(this.#robotsWorker, this.#robotKind, urls, this.#seeds.slice(before.length, count));
    this.#fleet = this.#fleet === null ? more : await this.#fleet.joined(more);
  }

  get fleet(): Fleet {
    if (this.#fleet === null) throw new Error('no robot is connected');
    return this.#fleet;
  }

  get targets(): Targets {
    return this.targetsAt(this.gateway);
  }

  targetsAt(gateway: ServiceProcess): Targets {
    return { base: gateway.address, keys: this.keys, robots: this.fleet.robots.map(({ id }) => id) };
  }

  get gateway(): ServiceProcess {
    return this.cluster.gateways[0]!;
  }

  get link(): ServiceProcess {
    return this.cluster.links[0]!;
  }

  get pids(): number[] {
    const { links, renderers } = this.cluster;
    return [this.gateway.pid, ...[...links, ...renderers].map(({ pid }) => pid), ...this.redisPids];
  }

  get robotsPid(): number {
    return this.link.pid;
  }

  async stop(): Promise<void> {
    await this.#fleet?.disconnect();
    await this.cluster.stop();
    await this.#stopRedis();
  }
}

interface OpenedRedis {
  url: string;
  servers: readonly LocalRedis[];
  proxy: RedisProxy | null;
  stop: () => Promise<void>;
}

async function openRedis({ redisBinary, redis = 'plain' }: PerchOptions): Promise<OpenedRedis> {
  if (redis === 'cluster') {
    const cluster = await redisCluster();
    return { url: cluster.url, servers: cluster.masters, proxy: null, stop: () => cluster.stop() };
  }
  const server = await startRedisProcess({ binary: redisBinary });
  if (redis === 'plain') return { url: server.url, servers: [server], proxy: null, stop: () => server.stop() };
  const proxy = await RedisProxy.open(server.port);
  const stop = async (): Promise<void> => {
    await proxy.close();
    await server.stop();
  };
  return { url: `redis://127.0.0.1:${proxy.port}`, servers: [server], proxy, stop };
}

interface Seeds {
  account: string;
  keys: string[];
  robots: RobotSeed[];
}

async function seed(redisUrl: string, { keys, robots }: Pick<PerchOptions, 'keys' | 'robots'>): Promise<Seeds> {
  const store = await openStore({ url: redisUrl, instance: 'bench-seed' });
  try {
    const { account } = await store.accounts.create({ email: 'bench@localhost' });
    return {
      account,
      keys: await inPortions(keys, () => newKey(store, account)),
      robots: await inPortions(robots, () => newRobot(store, account)),
    };
  } finally {
    await store.close();
  }
}

async function newKey(store: Store, account: string): Promise<string> {
  return (await store.apiKeys.create({ account })).apiKey;
}

async function newRobot(store: Store, account: string): Promise<RobotSeed> {
  const { robot: id, token } = await store.robots.create({ account });
  return { id, token };
}

/** Too many at once would delay Redis' replies. */
const portion = 100;

export async function inPortions<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(portion, count - made.length) }, make))));
  }
  return made;
}
