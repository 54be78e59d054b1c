/**
 * All subscriptions of an instance over one connection (one a node on a Cluster), however many callers listen.
 * A message is a hint, never the truth: after a lost connection every listener is called with null and looks at the key itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { ClusterHearing } from './subscription-probe.js';
import { asStoreError } from '../errors.js';

/** Called with a message, or with null when messages may have been missed. */
export type Listener = (message: string | null) => void;

interface Channel {
  listeners: Set<Listener>;
  /** Settles when Redis has confirmed the subscription. */
  subscribed: Promise<unknown>;
  confirmed: boolean;
}

/** Nobody sends anything on a line that only listens, so that nobody would notice it went silent: see `socketTimeout` in redis.ts. */
const pingMs = 2000;
/** After a renewal that Redis did not confirm in time. */
const againMs = 500;
/** How long the end of a subscription waits for Redis to confirm it: on a Cluster that is away, ioredis would hold the command until it returns. */
const confirmedWithinMs = 1000;

export class Subscriber {
  readonly #connection: Redis | Cluster;
  readonly #sharded: boolean;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Channel>();
  /** On one Redis. */
  readonly #pings: NodeJS.Timeout | null = null;
  /** On a Cluster. */
  readonly #hearing: ClusterHearing | null = null;
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
      this.#hearing = new ClusterHearing(connection, this.#channels, () => {
        onError(new Error('A line to a node of the Cluster brings nothing any more; all are made anew.'));
        connection.disconnect(true);
      });
      // A Cluster subscribes again by itself when a node is replaced; what was published meanwhile is lost.
      for (const event of ['+subscriber', '-subscriber', '-node', 'subscribersReady']) connection.on(event, () => this.#wakeAll());
    } else {
      this.#pings = setInterval(() => {
        if (connection.status === 'ready') connection.ping().catch(() => {});
      }, pingMs).unref();
    }
  }

  /**
   * Resolves once Redis confirmed the subscription: what is published after that arrives.
   * @returns ends this listener; the last one out unsubscribes
   */
  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    let entry = this.#channels.get(channel);
    if (entry === undefined) {
      entry = { listeners: new Set(), subscribed: Promise.resolve(), confirmed: false };
      this.#channels.set(channel, entry);
      void this.#ask(channel, entry);
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

  /**
   * Asks Redis to send nothing more on a channel, and resolves when it has confirmed, or after a second without an answer. Until then the
   * listeners are called: Redis counts this instance as a receiver. Never rejects.
   */
  async unsubscribed(channel: string): Promise<void> {
    if (!this.#channels.has(channel)) return;
    const answered = new AbortController();
    await Promise.race([this.#send('unsubscribe', channel), sleep(confirmedWithinMs, undefined, { signal: answered.signal })]).catch(() => {});
    answered.abort();
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
    if (this.#pings) clearInterval(this.#pings);
    this.#hearing?.close();
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

  #ask(channel: string, entry: Channel): Promise<unknown> {
    entry.confirmed = false;
    entry.subscribed = this.#send('subscribe', channel).then(() => (entry.confirmed = true));
    return entry.subscribed;
  }

  #deliver(channel: string, message: string): void {
    if (this.#hearing?.hears(channel, message) === true) return;
    for (const listener of this.#channels.get(channel)?.listeners ?? []) listener(message);
  }

  async #resubscribe(): Promise<void> {
    try {
      await Promise.all([...this.#channels].map(([channel, entry]) => this.#ask(channel, entry)));
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
