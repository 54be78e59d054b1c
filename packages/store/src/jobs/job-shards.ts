/**
 * Spreads jobs over `PERCH_JOB_SHARDS` shards, which need not all lie on one Cluster node; an account's (or a robot's) jobs lie in one. The number
 * can be changed in any order: an instance announces its number before it creates jobs, and one that processes jobs works on all shards announced in
 * the last days, longer than any job may wait. It announces those as well, so that shards without workers show.
 */
import keySlot from 'cluster-key-slot';
import { guarded } from '../redis/errors.js';
import { sharedKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { Workers } from './workers.js';

export type JobKind = 'renders' | 'webhooks';

/** Longer than a webhook message is retried (3 days). */
const announcedTtlMs = 4 * 86_400_000;
const announceEveryMs = 60_000;
const workersTtlMs = 60_000;
const checkEveryMs = 1000;

export function unworkedShard(service: 'renderer' | 'webhooks service', shard: number, count: number): string {
  return `No ${service} works on job shard ${shard} of ${count}. Start one, or set PERCH_JOB_SHARDS to 1 for all instances.`;
}

export interface JobShardsOptions {
  redis: Connections;
  instance: string;
  count: number;
  onError: (error: Error) => void;
}

export class JobShards {
  readonly #redis: Connections;
  readonly #instance: string;
  readonly #onError: (error: Error) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly count: number;

  constructor({ redis, instance, count, onError }: JobShardsOptions) {
    this.#redis = redis;
    this.#instance = instance;
    this.count = count;
    this.#onError = onError;
  }

  of(owner: string): number {
    return keySlot(owner) % this.count;
  }

  /** Announces this instance's number until `close`; retries (a full Redis accepts neither this nor jobs). Never rejects. One shard needs none. */
  async start(): Promise<void> {
    if (this.count === 1) return;
    let announcedAt = -Infinity;
    const announce = async (): Promise<void> => {
      if (performance.now() - announcedAt < announceEveryMs) return;
      await this.#redis.script('jobShardsAnnounce', [sharedKeys.jobShards()], [this.count, announcedTtlMs]);
      announcedAt = performance.now();
    };
    this.#every(checkEveryMs, announce);
    await announce().catch(this.#onError);
  }

  follow(kind: JobKind, workers: Workers): { ready: Promise<void>; stop: () => void } {
    workers.openShards(this.count);
    const openAnnounced = async (): Promise<void> => {
      const most = await this.#redis.script(
        'jobShardsWork',
        [sharedKeys.jobShards(), sharedKeys.jobShardWorkers()],
        [kind, this.#instance, workers.shards, workersTtlMs],
      );
      workers.openShards(most);
    };
    const stop = this.#every(checkEveryMs, openAnnounced);
    return { ready: openAnnounced().catch(this.#onError), stop };
  }

  /** Returns whether an instance was seen on the shard within a minute. The first counts as seen: its jobs wait for a renderer that starts. */
  async hasWorkers(kind: JobKind, shard: number): Promise<boolean> {
    if (shard === 0) return true;
    const announced = await guarded(() => this.#redis.commands.zrange(sharedKeys.jobShardWorkers(), '0', '-1'));
    return announced.some((text) => {
      const [announcedKind, , shards] = text.split(':');
      return announcedKind === kind && Number(shards) > shard;
    });
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
  }

  #every(ms: number, work: () => Promise<void>): () => void {
    const timer = setInterval(() => void work().catch(this.#onError), ms);
    timer.unref();
    this.#timers.add(timer);
    return () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
  }
}
