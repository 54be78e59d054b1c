import { cpuMs, residentBytes } from '@perch/bench';
import { startCluster, type Cluster, type ServiceProcess } from '@perch/launcher';
import { requireRedisServer, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import type { LoadArguments } from '../options.js';
import { childrenOf } from './children.js';
import { counterOver, heapMetric, type System, type WatchedProcess } from './system.js';

const loopback = '127.0.0.1';
/** As often as Prometheus commonly does. */
const scrapeEveryMs = 15_000;

export class OwnSystem implements System {
  readonly redisUrl: string;
  readonly webhookHost = loopback;
  readonly trouble: string[] = [];
  readonly #redis: LocalRedis | null;
  readonly #cluster: Cluster;
  #killed: ServiceProcess | null = null;

  private constructor(redis: LocalRedis | null, cluster: Cluster, trouble: string[]) {
    this.#redis = redis;
    this.#cluster = cluster;
    this.redisUrl = cluster.redisUrl;
    this.trouble = trouble;
  }

  /** Uses the Redis of PERCH_REDIS_URL if set, else starts one. */
  static async start({ start }: Pick<LoadArguments, 'start'>, env: NodeJS.ProcessEnv): Promise<OwnSystem> {
    const given = env['PERCH_REDIS_URL'];
    const redis = given === undefined || given === '' ? await startRedisProcess({ binary: requireRedisServer(env), appendOnly: true }) : null;
    const trouble: string[] = [];
    let system: OwnSystem | null = null;
    try {
      const cluster = await startCluster({
        redisUrl: redis?.url ?? given!,
        ...start,
        drainMs: 1000,
        // Messages go to a receiver on loopback.
        env: { PERCH_LOG_LEVEL: 'warn', ...env, PERCH_WEBHOOK_ALLOW_PRIVATE: 'true' },
        onCrash: (service, { code, signal }) => {
          if (service !== system?.killed) trouble.push(`${service.service} ${service.instance} ended with ${signal ?? `code ${code}`}`);
        },
      });
      system = new OwnSystem(redis, cluster, trouble);
      return system;
    } catch (error) {
      await redis?.stop();
      throw error;
    }
  }

  get killed(): ServiceProcess | null {
    return this.#killed;
  }

  get bases(): string[] {
    return this.#cluster.gateways.map(({ address }) => address);
  }

  get links(): string[] {
    return this.#cluster.links.map(({ address }) => address);
  }

  get processes(): WatchedProcess[] {
    const { gateways, links, renderers, webhooks } = this.#cluster;
    const services = [gateways, links, renderers, webhooks].flatMap((all) =>
      all.map(({ service, pid, admin }, i) => watched(all.length === 1 ? service : `${service} ${i + 1}`, pid, { admin })),
    );
    return this.#redis === null ? services : [...services, watched('Redis', this.#redis.pid, { children: false })];
  }

  async storm(): Promise<string> {
    const [link] = this.#cluster.links;
    this.#killed = link!;
    link!.signal('SIGKILL');
    await link!.ended;
    return `robot-link ${link!.instance}`;
  }

  counter(name: string): Promise<number | null> {
    const { gateways, links, renderers, webhooks } = this.#cluster;
    const running = [gateways, links, renderers, webhooks].flat().filter((service) => service.running);
    return counterOver(
      running.map(({ admin }) => `${admin}/metrics`),
      name,
    );
  }

  async stop(): Promise<void> {
    await this.#cluster.stop();
    await this.#redis?.stop();
  }
}

/** Includes child processes, as a renderer's. Not Redis': the child that rewrites its file shares its memory, which would count twice. */
export function watched(name: string, pid: number, { children = true, admin = null as string | null } = {}): WatchedProcess {
  let scrapedAt = -Infinity;
  const heapBytes = async (): Promise<number | null> => {
    if (admin === null || performance.now() - scrapedAt < scrapeEveryMs) return null;
    scrapedAt = performance.now();
    return counterOver([`${admin}/metrics`], heapMetric);
  };
  return {
    name,
    sample: async () => {
      try {
        const pids = [pid, ...(children ? childrenOf(pid) : [])];
        const bytes = pids.reduce((sum, each) => sum + residentBytes(each), 0);
        return { bytes, cpuMs: pids.reduce((sum, each) => sum + cpuMs(each), 0), heapBytes: await heapBytes() };
      } catch {
        return null;
      }
    },
  };
}
