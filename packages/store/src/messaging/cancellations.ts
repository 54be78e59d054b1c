/** Notifies all instances that a client cancelled a call. If the notification is lost, the call ends normally. */
import { apiKeyCancelled } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export class Cancellations {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async announce(keyHash: string, call: string): Promise<void> {
    await this.#connections.publish(apiKeyCancelled(keyHash), call);
  }

  listen(keyHash: string, call: string, cancelled: () => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(apiKeyCancelled(keyHash), (message) => {
      if (message === call) cancelled();
    });
  }
}
