/**
 * Notifies instances that a client cancelled a call by a message rather than by closing its connection; the message may reach any instance. Only a
 * hint: if it is lost, the call runs to its normal end.
 */
import { apiKeyCancelled } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export class Cancellations {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** @param call name of the call as the client sent it @throws {StoreError} when Redis does not answer */
  async announce(keyHash: string, call: string): Promise<void> {
    await this.#connections.publish(apiKeyCancelled(keyHash), call);
  }

  /** Calls `cancelled` when this call of the key is cancelled. @returns a function that stops listening */
  listen(keyHash: string, call: string, cancelled: () => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(apiKeyCancelled(keyHash), (message) => {
      if (message === call) cancelled();
    });
  }
}
