/**
 * Messages from instance to instance over pub/sub. What goes to one instance in one turn of the event loop is one publish.
 * A message can be lost (a dead instance, a cut connection): senders have a time-out, and what must not be lost lies under a key.
 */
import type { ToGateway, ToLink } from '@perch/schema';
import { instanceKeys } from './keys.js';
import type { Packing } from './packed-messages.js';
import type { Connections } from './redis.js';

interface Batch {
  packed: unknown[];
  receivers: Promise<number | null>;
}

export class Mailbox<M> {
  readonly #connections: Connections;
  readonly #packing: Packing<M>;
  readonly #batches = new Map<string, Batch>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(connections: Connections, packing: Packing<M>) {
    this.#connections = connections;
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
      batch = { packed, receivers: this.#publishAtEndOfTurn(instance, packed) };
      this.#batches.set(instance, batch);
      // Most senders do not look at the count; whoever does gets the same rejection.
      const sent = batch.receivers.catch(() => {}).finally(() => this.#underWay.delete(sent));
      this.#underWay.add(sent);
    }
    batch.packed.push(this.#packing.pack(message, instance));
    return batch.receivers;
  }

  /** Resolves when all that was sent has been published, or could not be. */
  async sent(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Calls `handler` for each message to `instance`, in the order in which one sender sent them.
   * @param missed called when messages may have been lost: what they told of is to be read
   * @returns ends it
   */
  receive(instance: string, handler: (message: M) => void, missed: () => void = () => {}): Promise<() => void> {
    return this.#connections.subscriber.subscribe(instanceKeys.inbox(instance), (text) => {
      if (text === null) missed();
      else for (const packed of JSON.parse(text) as unknown[]) handler(this.#packing.unpack(packed, instance));
    });
  }

  #publishAtEndOfTurn(instance: string, packed: unknown[]): Promise<number | null> {
    return new Promise((resolve) => {
      this.#connections.turn.atEnd(() => {
        this.#batches.delete(instance);
        resolve(this.#connections.publish(instanceKeys.inbox(instance), JSON.stringify(packed)));
      });
    });
  }
}

export type LinkMailbox = Mailbox<ToLink>;
export type GatewayMailbox = Mailbox<ToGateway>;
