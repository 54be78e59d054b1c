/**
 * Calls that are held open and that their client gives up by a message of its own, not by hanging up: the message may come to any instance.
 * A hint: one that gets lost leaves a call to its own time.
 */
import { apiKeyCancelled } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export class Cancellations {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @param call what the client calls it; @throws {StoreError} when Redis does not answer */
  async announce(keyHash: string, call: string): Promise<void> {
    await this.#connections.publish(apiKeyCancelled(keyHash), call);
  }

  /** Calls `cancelled` when this call of the key is given up. @returns ends it */
  listen(keyHash: string, call: string, cancelled: () => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(apiKeyCancelled(keyHash), (message) => {
      if (message === call) cancelled();
    });
  }
}
