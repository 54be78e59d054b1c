/**
 * MCP clients of 2025 cancel by a message, which may reach another gateway and names the call by a request id that is unique per client only. Clients
 * have no id, so those that share a key are distinguished by address and User-Agent.
 */
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
