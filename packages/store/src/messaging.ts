/**
 * Messages from instance to instance over pub/sub. What goes to one instance in one tick is one publish.
 * A message can be lost (a dead instance, a cut connection): senders have a time-out, and what must not be lost lies under a key.
 */
import type { ToGateway, ToLink } from '@perch/schema';
import { instanceKeys } from './keys.js';
import type { Connections } from './redis.js';

interface Batch<M> {
  messages: M[];
  receivers: Promise<number | null>;
}

export class Mailbox<M> {
  readonly #connections: Connections;
  readonly #batches = new Map<string, Batch<M>>();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * @returns how many instances received it: 0 is a dead one, 1 may still be a stopped one, null (Cluster) means nothing
   * @throws {StoreError} when Redis does not answer; the message may or may not have arrived
   */
  send(instance: string, message: M): Promise<number | null> {
    let batch = this.#batches.get(instance);
    if (batch === undefined) {
      const messages: M[] = [];
      batch = { messages, receivers: this.#publishAtEndOfTick(instance, messages) };
      this.#batches.set(instance, batch);
      // Most senders do not look at the count; whoever does gets the same rejection.
      const sent = batch.receivers.catch(() => {}).finally(() => this.#underWay.delete(sent));
      this.#underWay.add(sent);
    }
    batch.messages.push(message);
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
      else for (const message of JSON.parse(text) as M[]) handler(message);
    });
  }

  async #publishAtEndOfTick(instance: string, messages: M[]): Promise<number | null> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#batches.delete(instance);
    return this.#connections.publish(instanceKeys.inbox(instance), JSON.stringify(messages));
  }
}

export type LinkMailbox = Mailbox<ToLink>;
export type GatewayMailbox = Mailbox<ToGateway>;
