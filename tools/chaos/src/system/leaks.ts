/** What instances still hold that they did not hold at the baseline. */
import { holdingsOf, type Holdings } from './holdings.js';
import type { Instance, Service } from './instance.js';
import type { SystemRedis } from './redis.js';

export interface Leak {
  /** `gateway-0`. */
  readonly place: string;
  /** What grew: a gauge's name, `redis_connections`, `timers`, `resident_bytes` ... */
  readonly what: string;
  /** What there may be. */
  readonly allowed: number;
  readonly now: number;
}

/** Beyond the baseline: a session has a handful of timers; the rest is for what comes and goes by itself. */
const timersPerSession = 8;
const timersSlack = 20;
/** A coarse bound: V8 takes what it likes before it collects. */
const residentSlackBytes = 250 * 1024 * 1024;
const lookEveryMs = 200;
/**
 * An instance's clients of a Cluster. Each opens a line to a node when it first has something for it, so that their number says nothing while
 * slots move; but none has two to one node, save the one that listens.
 */
const clusterClients: Readonly<Record<Service, number>> = { gateway: 3, 'robot-link': 3, renderer: 4, webhooks: 5 };

export class LeakWatch {
  readonly #instances: readonly Instance[];
  readonly #redisPorts: ReadonlySet<number>;
  readonly #isCluster: boolean;
  /** By service: a place's next process is measured by what the first of its kind held. */
  readonly #baselines = new Map<string, Holdings>();

  constructor(instances: readonly Instance[], redis: SystemRedis) {
    this.#instances = instances;
    this.#redisPorts = new Set([...redis.nodes.map(({ port }) => port), ...instances.flatMap((one) => one.redis?.port ?? [])]);
    this.#isCluster = redis.shape === 'cluster';
  }

  async noteBaseline(): Promise<void> {
    for (const instance of this.#instances) {
      const now = await holdingsOf(instance, this.#redisPorts);
      const known = this.#baselines.get(instance.service);
      this.#baselines.set(instance.service, known === undefined ? now : most(known, now));
    }
  }

  /** @throws {Error} before `noteBaseline` */
  async leaks(withinMs: number): Promise<Leak[]> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      try {
        const found = (await Promise.all(this.#instances.map((instance) => this.#look(instance)))).flat();
        if (found.length === 0 || performance.now() > deadline) return found;
      } catch (error) {
        // A machine that is busy for a moment answers in the next.
        if (performance.now() > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  async #look(instance: Instance): Promise<Leak[]> {
    const baseline = this.#baselines.get(instance.service);
    if (baseline === undefined) throw new Error('no baseline was noted');
    const now = await holdingsOf(instance, this.#redisPorts);
    const allowed: Record<string, number> = {
      ...Object.fromEntries(Object.keys(now.quiet).map((what) => [what, 0])),
      ...baseline.kept,
      ...(instance.service === 'robot-link' && withConnectionToDisk(baseline)),
      ...(this.#isCluster && { redis_connections: Infinity, redis_connections_to_one_port: clusterClients[instance.service] + 1 }),
      timers: baseline.coarse.timers + timersPerSession * Math.max(0, now.sessions - baseline.sessions) + timersSlack,
      resident_bytes: baseline.coarse.resident_bytes + residentSlackBytes,
    };
    return Object.entries({ ...now.quiet, ...now.kept, ...now.coarse })
      .filter(([what, value]) => value > allowed[what]!)
      .map(([what, value]) => ({ place: instance.place, what, allowed: allowed[what]!, now: value }));
  }
}

/**
 * The first robot-link that appends after every other has ended writes the record of event numbers to disk over a connection of its own, which
 * stays open (packages/store/src/events/numbering.ts). None had to before the baseline.
 */
function withConnectionToDisk({ kept }: Holdings): Partial<Holdings['kept']> {
  return { redis_connections: kept.redis_connections + 1, redis_connections_to_one_port: kept.redis_connections_to_one_port + 1 };
}

function most(one: Holdings, other: Holdings): Holdings {
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
