import { PollBudget } from './poll-budget.js';
import { readResources, type Resources } from './resources.js';
import type { Instance, Service } from './instance.js';
import type { SystemRedis } from './redis.js';

export interface Leak {
  readonly place: string;
  readonly what: string;
  readonly allowed: number;
  readonly now: number;
}

/** A session has a handful of timers; the slack covers periodic ones. */
const timersPerSession = 8;
const timersSlack = 20;
/** V8 collects garbage late. */
const residentSlackBytes = 250 * 1024 * 1024;
/**
 * Cluster clients of an instance. Each connects to a node when needed; none has two connections to one, except the subscriber, which a renderer has, too,
 * for the renders that gateways send to it.
 */
const clusterClients: Readonly<Record<Service, number>> = { gateway: 3, 'robot-link': 3, renderer: 6, webhooks: 5 };
/** The first upload, after the baseline, starts the process that decodes uploads; it stays (PERCH_RENDER_UPLOAD_CONCURRENCY is 1). */
const uploadProcesses = 1;

export class LeakWatch {
  readonly #instances: readonly Instance[];
  readonly #redisPorts: ReadonlySet<number>;
  readonly #isCluster: boolean;
  readonly #baselines = new Map<string, Resources>();

  constructor(instances: readonly Instance[], redis: SystemRedis) {
    this.#instances = instances;
    this.#redisPorts = new Set([...redis.nodes.map(({ port }) => port), ...instances.flatMap((one) => one.redis?.port ?? [])]);
    this.#isCluster = redis.shape === 'cluster';
  }

  async recordBaseline(): Promise<void> {
    for (const instance of this.#instances) {
      const now = await readResources(instance, this.#redisPorts);
      const known = this.#baselines.get(instance.service);
      this.#baselines.set(instance.service, known === undefined ? now : most(known, now));
    }
  }

  /**
   * Polls until nothing is left over, for `withinMs` of this process's running time: after a stall of this process, in which its proxies pass no data,
   * instances replace their connections to Redis, and the old ones close for up to 2 s.
   * @throws {Error} before `recordBaseline`
   */
  async leaks(withinMs: number): Promise<Leak[]> {
    const polls = new PollBudget(withinMs);
    for (;;) {
      try {
        const found = (await Promise.all(this.#instances.map((instance) => this.#leaksOf(instance)))).flat();
        if (found.length === 0 || polls.isUsedUp) return found;
      } catch (error) {
        if (polls.isUsedUp) throw error;
      }
      await polls.pause();
    }
  }

  async #leaksOf(instance: Instance): Promise<Leak[]> {
    const baseline = this.#baselines.get(instance.service);
    if (baseline === undefined) throw new Error('no baseline was noted');
    const now = await readResources(instance, this.#redisPorts);
    const allowed: Record<string, number> = {
      ...Object.fromEntries(Object.keys(now.quiet).map((what) => [what, 0])),
      ...baseline.kept,
      ...(instance.service === 'robot-link' && withConnectionToDisk(baseline)),
      ...(instance.service === 'renderer' && { child_processes: baseline.kept.child_processes + uploadProcesses }),
      ...(this.#isCluster && { redis_connections: Infinity, redis_connections_to_one_port: clusterClients[instance.service] + 1 }),
      timers: baseline.coarse.timers + timersPerSession * Math.max(0, now.sessions - baseline.sessions) + timersSlack,
      resident_bytes: baseline.coarse.resident_bytes + residentSlackBytes,
    };
    return Object.entries({ ...now.quiet, ...now.kept, ...now.coarse })
      .filter(([what, value]) => value > allowed[what]!)
      .map(([what, value]) => ({ place: instance.place, what, allowed: allowed[what]!, now: value }));
  }
}

/** The first robot-link to append after all others ended keeps a connection open (packages/store/src/events/numbering.ts). */
function withConnectionToDisk({ kept }: Resources): Partial<Resources['kept']> {
  return { redis_connections: kept.redis_connections + 1, redis_connections_to_one_port: kept.redis_connections_to_one_port + 1 };
}

function most(one: Resources, other: Resources): Resources {
  return {
    sessions: Math.max(one.sessions, other.sessions),
    quiet: {},
    kept: greater(one.kept, other.kept),
    coarse: greater(one.coarse, other.coarse),
  };
}

function greater<K extends string>(one: Record<K, number>, other: Record<K, number>): Record<K, number> {
  return Object.fromEntries(Object.keys(one).map((key) => [key, Math.max(one[key as K], other[key as K])])) as Record<K, number>;
}
