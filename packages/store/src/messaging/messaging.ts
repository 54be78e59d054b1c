/**
 * Messages between instances over pub/sub, in one batch per receiver and event-loop iteration. A message can be lost (dead instance, closed
 * connection): senders have a time-out, and what must not be lost is stored under a key.
 */
import type { ToGateway, ToLink } from '@perch/schema';
import { instanceKeys } from '../keys.js';
import type { Packing } from './packed/packed-messages.js';
import type { Connections } from '../redis/connections.js';
import { UnreadableMessage } from './unreadable-message.js';
import { readBatch, writeBatch, type WireVersions } from '../versions/wire-versions.js';

interface Batch {
  version: number;
  packed: unknown[];
  receivers: Promise<number | null>;
}

export interface Receiving {
  /** Called when messages may have been lost: read the state that they announce. */
  missed?: () => void;
  /** Called for each message that this release cannot read; the others of its batch are handled. */
  unreadable?: (message: UnreadableMessage) => void;
}

export class Mailbox<M> {
  readonly #connections: Connections;
  readonly #versions: WireVersions;
  readonly #packing: Packing<M>;
  readonly #batches = new Map<string, Batch>();
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(connections: Connections, versions: WireVersions, packing: Packing<M>) {
    this.#connections = connections;
    this.#versions = versions;
    this.#packing = packing;
  }

  /**
   * @returns the number of instances that received it: 0 is a dead one, 1 may still be a paused one, null (Cluster) is unknown
   * After a StoreError, the message may or may not have arrived
   */
  send(instance: string, message: M): Promise<number | null> {
    let batch = this.#batches.get(instance);
    if (batch === undefined) {
      const packed: unknown[] = [];
      const version = this.#versions.versionFor(instance);
      batch = { version, packed, receivers: this.#publishBatched(instance, version, packed) };
      this.#batches.set(instance, batch);
      // Most senders ignore the count; others get the same rejection.
      const sent = batch.receivers.catch(() => {}).finally(() => this.#inFlight.delete(sent));
      this.#inFlight.add(sent);
    }
    batch.packed.push(this.#packing.pack(message, instance, batch.version));
    return batch.receivers;
  }

  /** Resolves when all messages have been published or have failed. */
  async sent(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /**
   * Calls `handler`, which must not throw, for each message; those of one sender arrive in order. First announces which versions the instance reads,
   * so that a sender that finds its mailbox finds the announcement as well.
   * @returns a function that stops receiving: the handler is called until Redis has confirmed, because a sender to which Redis counted a receiver
   * waits for the reply. It resolves then; never rejects.
   */
  async receive(
    instance: string,
    handler: (message: M) => void,
    { missed = () => {}, unreadable = () => {} }: Receiving = {},
  ): Promise<() => Promise<void>> {
    await this.#versions.announce(instance);
    const { subscriber } = this.#connections;
    const channel = instanceKeys.inbox(instance);
    const leave = await subscriber.subscribe(channel, (text) => {
      if (text === null) return missed();
      const batch = readBatch(text, instance);
      if ('unreadable' in batch) return batch.unreadable.forEach(unreadable);
      for (const packed of batch.packed) {
        const message = this.#packing.unpack(packed, instance);
        if (message instanceof UnreadableMessage) unreadable(message);
        else handler(message);
      }
    });
    return async () => {
      await subscriber.unsubscribed(channel);
      leave();
    };
  }

  #publishBatched(instance: string, version: number, packed: unknown[]): Promise<number | null> {
    return new Promise((resolve) => {
      this.#connections.batcher.enqueue(() => {
        this.#batches.delete(instance);
        resolve(this.#publish(instance, version, packed));
      });
    });
  }

  async #publish(instance: string, version: number, packed: unknown[]): Promise<number | null> {
    const receivers = await this.#connections.publish(instanceKeys.inbox(instance), writeBatch(version, packed));
    if (receivers === 0) this.#versions.forget(instance);
    return receivers;
  }
}

export type LinkMailbox = Mailbox<ToLink>;
export type GatewayMailbox = Mailbox<ToGateway>;
