/**
 * Messages from instance to instance over pub/sub. All messages to one instance of one event-loop iteration are one publish, a batch.
 * A message can be lost (a dead instance, a cut connection): senders have a time-out, and what must not be lost lies under a key.
 */
import type { ToGateway, ToLink } from '@perch/schema';
import { instanceKeys } from '../keys.js';
import type { Packing } from './packed-messages.js';
import type { Connections } from '../redis/connections.js';
import { UnreadableMessage } from './unreadable-message.js';
import { readBatch, writeBatch, type WireVersions } from '../versions/wire-versions.js';

interface Batch {
  version: number;
  packed: unknown[];
  receivers: Promise<number | null>;
}

export interface Receiving {
  /** Called when messages may have been lost: what they told of is to be read. */
  missed?: () => void;
  /** Called for each message that this release cannot read. The other messages of its batch are handled. */
  unreadable?: (message: UnreadableMessage) => void;
}

export class Mailbox<M> {
  readonly #connections: Connections;
  readonly #versions: WireVersions;
  readonly #packing: Packing<M>;
  readonly #batches = new Map<string, Batch>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(connections: Connections, versions: WireVersions, packing: Packing<M>) {
    this.#connections = connections;
    this.#versions = versions;
    this.#packing = packing;
  }

  /**
   * @returns how many instances received it: 0 is a dead one, 1 may still be a stopped one, null (Cluster) means nothing
   * @throws {StoreError} when Redis does not answer; the message may or may not have arrived
   */
  send(instance: string, message: M): Promise<number | null> {
    let batch = this.#batches.get(instance);
    if (batch === undefined) {
      const packed: unknown[] = [];
      const version = this.#versions.versionFor(instance);
      batch = { version, packed, receivers: this.#publishAtEndOfTurn(instance, version, packed) };
      this.#batches.set(instance, batch);
      // Most senders do not look at the count; whoever does gets the same rejection.
      const sent = batch.receivers.catch(() => {}).finally(() => this.#underWay.delete(sent));
      this.#underWay.add(sent);
    }
    batch.packed.push(this.#packing.pack(message, instance, batch.version));
    return batch.receivers;
  }

  /** Resolves when all that was sent has been published, or could not be. */
  async sent(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Calls `handler` for each message to `instance`, in the order in which one sender sent them. The handler must not throw.
   * Announces first which versions the instance reads, so that no sender that finds its inbox misses the announcement.
   * @returns ends it. The handler is called until Redis has confirmed: a message that a sender was told to be received must not be dropped, for its
   *   sender waits for the reply. Resolves then; never rejects.
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

  #publishAtEndOfTurn(instance: string, version: number, packed: unknown[]): Promise<number | null> {
    return new Promise((resolve) => {
      this.#connections.turn.atEnd(() => {
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
