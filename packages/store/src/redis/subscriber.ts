/** All subscriptions of an instance, on one connection (Cluster: one a node). Messages are hints: after a loss listeners get null, and read keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { asStoreError } from './errors.js';
import keySlot from 'cluster-key-slot';

export type Listener = (message: string | null) => void;

interface Channel {
  listeners: Set<Listener>;
  subscribed: Promise<unknown>;
  confirmed: boolean;
}

/** A connection that only receives would not notice that its peer went silent; see `socketTimeout` in connections.ts. */
const pingMs = 2000;
const resubscribeAfterMs = 500;
/** While a Cluster is unreachable, ioredis would hold an unsubscribe until it is back. */
const confirmWithinMs = 1000;

export class Subscriber {
  readonly #connection: Redis | Cluster;
  readonly #sharded: boolean;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Channel>();
  readonly #pings: NodeJS.Timeout | null = null;
  readonly #probe: SubscriptionProbe | null = null;
  #closed = false;

  constructor(connection: Redis | Cluster, sharded: boolean, onError: (error: Error) => void) {
    this.#connection = connection;
    this.#sharded = sharded;
    this.#onError = onError;
    connection.on(sharded ? 'smessage' : 'message', (channel: string, message: string) => this.#deliver(channel, message));
    let first = connection.status !== 'ready';
    connection.on('ready', () => {
      if (first) first = false;
      else void this.#resubscribe();
    });
    if (connection instanceof Cluster) {
      this.#probe = new SubscriptionProbe(connection, this.#channels, () => {
        onError(new Error('A subscription on the Redis Cluster is stale; all subscriber connections are replaced.'));
        connection.disconnect(true);
      });
      // A Cluster connection resubscribes by itself when a node is replaced; messages published meanwhile are lost.
      for (const event of ['+subscriber', '-subscriber', '-node', 'subscribersReady']) connection.on(event, () => this.#notifyMissed());
    } else {
      this.#pings = setInterval(() => {
        if (connection.status === 'ready') connection.ping().catch(() => {});
      }, pingMs).unref();
    }
  }

  /** Messages published after it resolves are delivered. @returns a function that removes this listener; removing the last one unsubscribes */
  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    let entry = this.#channels.get(channel);
    if (entry === undefined) {
      entry = { listeners: new Set(), subscribed: Promise.resolve(), confirmed: false };
      this.#channels.set(channel, entry);
      void this.#request(channel, entry);
    }
    entry.listeners.add(listener);
    const remove = () => this.#remove(channel, listener);
    try {
      await entry.subscribed;
    } catch (error) {
      remove();
      throw asStoreError(error);
    }
    return remove;
  }

  /** Resolves when Redis has confirmed, or after a second; until then listeners are called, as Redis counts this receiver. Never rejects. */
  async unsubscribed(channel: string): Promise<void> {
    if (!this.#channels.has(channel)) return;
    const answered = new AbortController();
    await Promise.race([this.#send('unsubscribe', channel), sleep(confirmWithinMs, undefined, { signal: answered.signal })]).catch(() => {});
    answered.abort();
  }

  /** Independent of the connection for commands. */
  get connected(): boolean {
    return this.#connection.status === 'ready';
  }

  get size(): number {
    return this.#channels.size;
  }

  close(): void {
    this.#closed = true;
    if (this.#pings) clearInterval(this.#pings);
    this.#probe?.close();
    this.#channels.clear();
  }

  #remove(channel: string, listener: Listener): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined || !entry.listeners.delete(listener) || entry.listeners.size > 0) return;
    this.#channels.delete(channel);
    if (!this.#closed) this.#send('unsubscribe', channel).catch(() => {});
  }

  #send(verb: 'subscribe' | 'unsubscribe', channel: string): Promise<unknown> {
    if (this.#sharded) return verb === 'subscribe' ? this.#connection.ssubscribe(channel) : this.#connection.sunsubscribe(channel);
    return verb === 'subscribe' ? this.#connection.subscribe(channel) : this.#connection.unsubscribe(channel);
  }

  #request(channel: string, entry: Channel): Promise<unknown> {
    entry.confirmed = false;
    entry.subscribed = this.#send('subscribe', channel).then(() => (entry.confirmed = true));
    return entry.subscribed;
  }

  #deliver(channel: string, message: string): void {
    if (this.#probe?.handle(channel, message) === true) return;
    for (const listener of this.#channels.get(channel)?.listeners ?? []) listener(message);
  }

  async #resubscribe(): Promise<void> {
    try {
      await Promise.all([...this.#channels].map(([channel, entry]) => this.#request(channel, entry)));
    } catch (error) {
      // If the connection was lost again, its next `ready` event starts over.
      this.#onError(error as Error);
      setTimeout(() => {
        if (!this.#closed && this.#connection.status === 'ready') void this.#resubscribe();
      }, resubscribeAfterMs).unref();
    }
    this.#notifyMissed();
  }

  #notifyMissed(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener(null);
  }
}

/** No other message equals it. */
const probe = 'hear';
const probeEveryMs = 2000;
const missesMax = 2;

/**
 * On a Cluster a stopped node closes no connection, and ioredis resubscribes unchecked. A subscription is stale when two
 * consecutive probes are not received.
 */
class SubscriptionProbe {
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
