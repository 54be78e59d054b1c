/**
 * Whether the lines of a Cluster on which we listen still bring anything. Nobody would notice one that fell silent: a node that is stopped or
 * unplugged says no goodbye, and after a failover ioredis asks for its channels once and does not look whether it got them.
 * So over each node a channel that we listen to is called now and then, and who does not hear itself twice is deaf.
 */
import keySlot from 'cluster-key-slot';
import type { Cluster } from 'ioredis';

/** What is called; no message of ours is like it. */
const call = 'hear';
const callMs = 2000;
const missesMax = 2;

export class ClusterHearing {
  readonly #cluster: Cluster;
  readonly #channels: ReadonlyMap<string, { confirmed: boolean }>;
  readonly #onDeaf: () => void;
  readonly #timer: NodeJS.Timeout;
  /** Called and not heard yet, by node, and how often in a row nothing was heard over it. */
  readonly #called = new Map<string, string>();
  readonly #misses = new Map<string, number>();

  /** @param channels what is listened to, kept by the caller @param onDeaf called once for each time that a line was found deaf */
  constructor(cluster: Cluster, channels: ReadonlyMap<string, { confirmed: boolean }>, onDeaf: () => void) {
    this.#cluster = cluster;
    this.#channels = channels;
    this.#onDeaf = onDeaf;
    this.#timer = setInterval(() => this.#look(), callMs).unref();
  }

  /** Tells it of every message. @returns whether it was no more than a call, of ours or of another instance */
  hears(channel: string, message: string): boolean {
    if (message !== call) return false;
    for (const [node, called] of this.#called) {
      if (called !== channel) continue;
      this.#called.delete(node);
      this.#misses.delete(node);
    }
    return true;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#cluster.status !== 'ready') return this.#forget();
    for (const [node, channel] of this.#called) {
      if (this.#channels.get(channel)?.confirmed !== true) continue;
      const misses = (this.#misses.get(node) ?? 0) + 1;
      this.#misses.set(node, misses);
      if (misses < missesMax) continue;
      this.#forget();
      return this.#onDeaf();
    }
    this.#called.clear();
    for (const [node, channel] of this.#oneOfEachNode()) {
      this.#called.set(node, channel);
      this.#cluster.spublish(channel, call).catch(() => {
        // A node that is away is not a line that is deaf.
        this.#called.delete(node);
        this.#misses.delete(node);
      });
    }
  }

  #oneOfEachNode(): Map<string, string> {
    const found = new Map<string, string>();
    for (const [channel, { confirmed }] of this.#channels) {
      if (!confirmed) continue;
      const node = this.#cluster.slots[keySlot(channel)]?.[0];
      if (node !== undefined && !found.has(node)) found.set(node, channel);
    }
    return found;
  }

  #forget(): void {
    this.#called.clear();
    this.#misses.clear();
  }
}
