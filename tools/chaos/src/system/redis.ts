/** The system's Redis, with the users of deploy/redis: one server with its append-only file, or a Cluster of three masters with a replica each. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { requireRedisServer, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { redisCluster, testRedisUsers, until, type LocalRedisCluster } from '@perch/testkit';

export type RedisShape = 'single' | 'cluster';

export interface SystemRedis {
  readonly shape: RedisShape;
  /** As the user `perch`. */
  readonly url: string;
  readonly nodes: readonly LocalRedis[];
  readonly dir: string | null;
  /** As an administrator.  Words without spaces. @throws if a node refuses it or does not answer within 2 s */
  sendToAll(words: readonly string[]): Promise<void>;
  masters(): Promise<LocalRedis[]>;
  /** Starts a replica of the single server, which `stop` does not stop. */
  startReplica(): Promise<LocalRedis>;
  serves(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** @throws if neither redis-server nor valkey-server is found */
export async function startSystemRedis(shape: RedisShape, dir: string, env: NodeJS.ProcessEnv): Promise<SystemRedis> {
  const users = testRedisUsers(dir);
  if (shape === 'cluster') {
    const cluster = await redisCluster({ replicas: 1, appendOnly: true, users });
    return new RunningRedis('cluster', cluster.url, cluster.nodes, null, cluster, () => Promise.reject(new Error('the replicas of a Cluster run')));
  }
  const own = join(dir, 'redis');
  const start = (folder: string): Promise<LocalRedis> =>
    startRedisProcess({ binary: requireRedisServer(env), dir: folder, appendOnly: true, ...users });
  const server = await start(own);
  const startReplica = async (): Promise<LocalRedis> => {
    const replica = await start(await mkdtemp(join(dir, 'replica-')));
    await replica.ask(['REPLICAOF', '127.0.0.1', String(server.port)]);
    return replica;
  };
  return new RunningRedis('single', `redis://${users.credentials}127.0.0.1:${server.port}`, [server], own, null, startReplica);
}

class RunningRedis implements SystemRedis {
  readonly shape: RedisShape;
  readonly url: string;
  readonly nodes: readonly LocalRedis[];
  readonly dir: string | null;
  readonly startReplica: () => Promise<LocalRedis>;
  readonly #cluster: LocalRedisCluster | null;

  constructor(
    shape: RedisShape,
    url: string,
    nodes: readonly LocalRedis[],
    dir: string | null,
    cluster: LocalRedisCluster | null,
    startReplica: () => Promise<LocalRedis>,
  ) {
    this.shape = shape;
    this.url = url;
    this.nodes = nodes;
    this.dir = dir;
    this.#cluster = cluster;
    this.startReplica = startReplica;
  }

  async sendToAll(words: readonly string[]): Promise<void> {
    await Promise.all(this.nodes.filter(({ running }) => running).map((node) => node.ask(words)));
  }

  async masters(): Promise<LocalRedis[]> {
    const roles = await Promise.all(this.nodes.map(async (node) => (node.running ? node.ask(['INFO', 'replication']) : '')));
    return this.nodes.filter((_, index) => roles[index]!.includes('role:master'));
  }

  async serves(withinMs: number): Promise<void> {
    await until(() => this.#serves(), { timeoutMs: withinMs, everyMs: 50, what: 'Redis to serve' });
  }

  async #serves(): Promise<boolean> {
    if (this.#cluster !== null) return this.#cluster.whole();
    // A write, since a server with a full disk or memory still answers reads.
    return (await this.nodes[0]!.ask(['SET', 'chaos:probe', '1', 'PX', '1000'])) === 'OK';
  }

  async stop(): Promise<void> {
    await (this.#cluster?.stop() ?? Promise.all(this.nodes.map((node) => node.stop())));
  }
}
