/** MCP's 2025 cancellations may reach another gateway. Request ids are unique per client, told apart by key, address and User-Agent. */
import type { IncomingMessage } from 'node:http';
import { sha256Short, type ClientAddresses, type Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { RequestId } from './message.js';

export class CallCancelled extends Error {
  override readonly name = 'CallCancelled';
}

export class CancellationListener {
  readonly #cancellations: Store['cancellations'];
  readonly #addresses: ClientAddresses;
  readonly #log: Logger;

  constructor(cancellations: Store['cancellations'], addresses: ClientAddresses, log: Logger) {
    this.#cancellations = cancellations;
    this.#addresses = addresses;
    this.#log = log;
  }

  /** @throws {StoreError} if Redis does not reply */
  publish(keyHash: string, request: IncomingMessage, id: RequestId): Promise<void> {
    return this.#cancellations.announce(keyHash, this.#callName(request, id));
  }

  /** @returns unsubscribes */
  listen(keyHash: string, request: IncomingMessage, id: RequestId, abort: AbortController): () => void {
    const listening = this.#cancellations.listen(keyHash, this.#callName(request, id), () =>
      abort.abort(new CallCancelled('The client cancelled the call.')),
    );
    listening.catch((error: unknown) => this.#log.warn({ err: error }, 'a call cannot be cancelled: subscribing to its cancellation failed'));
    return () => void listening.then((end) => end()).catch(() => {});
  }

  #callName(request: IncomingMessage, id: RequestId): string {
    const client = `${this.#addresses.addressOf(request)}\n${request.headers['user-agent']}`;
    return `${sha256Short(client).slice(0, 16)} ${JSON.stringify(id)}`;
  }
}
