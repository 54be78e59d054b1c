/** Notifies all instances that a client cancelled a call. If the notification is lost, the call ends normally. */
import { apiKeyCancelled } from '../keys.js';
import type { Connections } from '../redis/connections.js';

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
