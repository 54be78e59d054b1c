/**
 * All subscriptions of an instance over one connection (one a node on a Cluster), however many callers listen.
 * A message is a hint, never the truth: after a lost connection every listener is called with null and looks at the key itself.
 */
import { Cluster, type Redis } from 'ioredis';
import { asStoreError } from './errors.js';

/** Called with a message, or with null when messages may have been missed. */
export type Listener = (message: string | null) => void;

interface Channel {
  listeners: Set<Listener>;
  /** Settles when Redis has confirmed the subscription. */
  subscribed: Promise<unknown>;
}

/** Nobody sends anything on a line that only listens, so that nobody would notice it went silent: see `socketTimeout` in redis.ts. */
const pingMs = 2000;
/** After a renewal that Redis did not confirm in time. */
const againMs = 500;

export class Subscriber {
  readonly #connection: Redis | Cluster;
  readonly #sharded: boolean;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Channel>();
  readonly #pings: NodeJS.Timeout;
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
    // A Cluster's subscribers are ioredis' own and have TCP's keep-alive of half a minute.
    this.#pings = setInterval(() => {
      if (!(connection instanceof Cluster) && connection.status === 'ready') connection.ping().catch(() => {});
    }, pingMs).unref();
    // A Cluster subscribes again by itself when a node is replaced; what was published meanwhile is lost.
    if (connection instanceof Cluster)
      for (const event of ['+subscriber', '-subscriber', '-node', 'subscribersReady']) connection.on(event, () => this.#wakeAll());
  }

  /**
   * Resolves once Redis confirmed the subscription: what is published after that arrives.
   * @returns ends this listener; the last one out unsubscribes
   */
  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    let entry = this.#channels.get(channel);
    if (entry === undefined) {
      entry = { listeners: new Set(), subscribed: this.#send('subscribe', channel) };
      this.#channels.set(channel, entry);
    }
    entry.listeners.add(listener);
    const leave = () => this.#leave(channel, listener);
    try {
      await entry.subscribed;
    } catch (error) {
      leave();
      throw asStoreError(error);
    }
    return leave;
  }

  /** Whether its connection is up; the commands' one may be while this one is not. */
  get connected(): boolean {
    return this.#connection.status === 'ready';
  }

  /** Channels listened to now, for metrics and leak checks. */
  get size(): number {
    return this.#channels.size;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#pings);
    this.#channels.clear();
  }

  #leave(channel: string, listener: Listener): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined || !entry.listeners.delete(listener) || entry.listeners.size > 0) return;
    this.#channels.delete(channel);
    if (!this.#closed) this.#send('unsubscribe', channel).catch(() => {});
  }

  #send(verb: 'subscribe' | 'unsubscribe', channel: string): Promise<unknown> {
    if (this.#sharded) return verb === 'subscribe' ? this.#connection.ssubscribe(channel) : this.#connection.sunsubscribe(channel);
    return verb === 'subscribe' ? this.#connection.subscribe(channel) : this.#connection.unsubscribe(channel);
  }

  #deliver(channel: string, message: string): void {
    for (const listener of this.#channels.get(channel)?.listeners ?? []) listener(message);
  }

  async #resubscribe(): Promise<void> {
    try {
      await Promise.all(
        [...this.#channels].map(([channel, entry]) => {
          entry.subscribed = this.#send('subscribe', channel);
          return entry.subscribed;
        }),
      );
    } catch (error) {
      // Where the connection went again, its next `ready` starts over.
      this.#onError(error as Error);
      setTimeout(() => {
        if (!this.#closed && this.#connection.status === 'ready') void this.#resubscribe();
      }, againMs).unref();
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const { listeners } of this.#channels.values()) for (const listener of listeners) listener(null);
  }
}
