/** One batch per receiver and event-loop iteration. Messages can be lost: senders have time-outs; what must not be lost is stored under a key. */
import type { ToGateway, ToLink } from '@perch/schema';
import { instanceKeys, apiKeyCancelled } from '../redis/keys.js';
import type { Packing } from './packed-messages.js';
import type { Connections } from '../redis/connections.js';
import { UnreadableMessage } from './unreadable-message.js';
import { batchBrackets, readBatch, writeBatch, type WireVersions } from './wire-versions.js';

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

/** A message for a script that publishes it, alone or with others that have the same channel, `before` and `after`. */
export interface WrittenMessage {
  channel: string;
  before: string;
  message: string;
  after: string;
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

  /** Returns how many instances received it: 0 is a dead one, 1 may be a paused one, null (Cluster) unknown. It may have arrived despite an error. */
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
    batch.packed.push(this.#packing.pack(message, instance));
    return batch.receivers;
  }

  /** Returns a message that a script publishes in the place of `send`. On a Cluster no script can: its keys lie on another node than the channel. */
  written(instance: string, message: M): WrittenMessage {
    const version = this.#versions.versionFor(instance);
    const packed = JSON.stringify(this.#packing.pack(message, instance));
    return { channel: instanceKeys.inbox(instance), message: packed, ...batchBrackets(version) };
  }

  /** To be called when nothing received a message that a script published. */
  missed(instance: string): void {
    this.#versions.forget(instance);
  }

  /** Resolves when all messages have been published or have failed. */
  async sent(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /**
   * Calls `handler`, which must not throw, in each sender's order. Announces first which versions it reads, for senders that find its mailbox.
   * @returns stops receiving; resolves, never rejects, once Redis confirmed: until then `handler` is called, as senders may count this receiver
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
    if (receivers === 0) this.missed(instance);
    return receivers;
  }
}

export type LinkMailbox = Mailbox<ToLink>;
export type GatewayMailbox = Mailbox<ToGateway>;

/** Notifies all instances that a client cancelled a call. If the notification is lost, the call ends normally. */
const timeLimit = ' time limit';

export class Cancellations {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @param timedOut a time limit of the client ended the call; instances before 0.11 do not hear of it */
  async announce(keyHash: string, call: string, timedOut: boolean): Promise<void> {
    await this.#connections.publish(apiKeyCancelled(keyHash), timedOut ? `${call}${timeLimit}` : call);
  }

  listen(keyHash: string, call: string, cancelled: (timedOut: boolean) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(apiKeyCancelled(keyHash), (message) => {
      if (message === call) cancelled(false);
      else if (message === `${call}${timeLimit}`) cancelled(true);
    });
  }
}
