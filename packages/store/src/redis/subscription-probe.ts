/**
 * On a Cluster a stopped node closes no connection, and ioredis resubscribes unchecked. A subscription is stale when two
 * consecutive probes are not received.
 */
import keySlot from 'cluster-key-slot';
import type { Cluster } from 'ioredis';

/** No other message equals it. */
const probe = 'hear';
const probeEveryMs = 2000;
const missesMax = 2;

export class SubscriptionProbe {
  readonly #cluster: Cluster;
  readonly #channels: ReadonlyMap<string, { confirmed: boolean }>;
  readonly #onStale: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #pending = new Map<string, string>();
  readonly #misses = new Map<string, number>();

  /** @param channels maintained by the caller @param onStale called once each time subscriptions are found stale */
  constructor(cluster: Cluster, channels: ReadonlyMap<string, { confirmed: boolean }>, onStale: () => void) {
    this.#cluster = cluster;
    this.#channels = channels;
    this.#onStale = onStale;
    this.#timer = setInterval(() => this.#probe(), probeEveryMs).unref();
  }

  handle(channel: string, message: string): boolean {
    if (message !== probe) return false;
    for (const [node, pending] of this.#pending) {
      if (pending !== channel) continue;
      this.#pending.delete(node);
      this.#misses.delete(node);
    }
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #probe(): void {
    if (this.#cluster.status !== 'ready') return this.#forget();
    for (const [node, channel] of this.#pending) {
      if (this.#channels.get(channel)?.confirmed !== true) continue;
      const misses = (this.#misses.get(node) ?? 0) + 1;
      this.#misses.set(node, misses);
      if (misses < missesMax) continue;
      this.#forget();
      return this.#onStale();
    }
    this.#pending.clear();
    for (const [node, channel] of this.#channelOfEachNode()) {
      this.#pending.set(node, channel);
      this.#cluster.spublish(channel, probe).catch(() => {
        // A failed publish means an unreachable node, not a stale subscription.
        this.#pending.delete(node);
        this.#misses.delete(node);
      });
    }
  }

  #channelOfEachNode(): Map<string, string> {
    const found = new Map<string, string>();
    for (const [channel, { confirmed }] of this.#channels) {
      if (!confirmed) continue;
      const node = this.#cluster.slots[keySlot(channel)]?.[0];
      if (node !== undefined && !found.has(node)) found.set(node, channel);
    }
    return found;
  }

  #forget(): void {
    this.#pending.clear();
    this.#misses.clear();
  }
}
