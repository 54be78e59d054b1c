/** MCP's 2025 cancellations may reach another gateway. Request ids are unique per client, told apart by key, address and User-Agent. */
import type { IncomingMessage } from 'node:http';
import { sha256Short, type ClientAddresses, type Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { RequestId } from './message.js';

/** Reasons that the official SDKs send when a time limit ends a call, as in their sources of August 2026. Those of C# and Java send none. */
const timeLimits: readonly RegExp[] = [
  // modelcontextprotocol/typescript-sdk, packages/core-internal/src/shared/protocol.ts, and src/shared/protocol.ts of 1.x; kotlin-sdk, shared/Protocol.kt.
  /(?:^|: )Request timed out$/,
  /(?:^|: )Maximum total timeout exceeded$/i,
  // python-sdk, src/mcp/shared/jsonrpc_dispatcher.py.
  /^timed out after [\d.]+s$/,
  // go-sdk, mcp/transport.go: the error of the context.
  /^context deadline exceeded$/,
  // rust-sdk, crates/rmcp/src/service.rs.
  /^request timeout$/,
];

export function isTimeLimit(reason: unknown): boolean {
  return typeof reason === 'string' && timeLimits.some((text) => text.test(reason));
}

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
  publish(keyHash: string, request: IncomingMessage, id: RequestId, reason: unknown): Promise<void> {
    return this.#cancellations.announce(keyHash, this.#callName(request, id), isTimeLimit(reason));
  }

  /** @param onTimeLimit called if a time limit of the client ended the call, and not a person or a program @returns unsubscribes */
  listen(keyHash: string, request: IncomingMessage, id: RequestId, abort: AbortController, onTimeLimit: () => void): () => void {
    const listening = this.#cancellations.listen(keyHash, this.#callName(request, id), (timedOut) => {
      if (timedOut) onTimeLimit();
      else abort.abort(new CallCancelled('The client cancelled the call.'));
    });
    listening.catch((error: unknown) => this.#log.warn({ err: error }, 'a call cannot be cancelled: subscribing to its cancellation failed'));
    return () => void listening.then((end) => end()).catch(() => {});
  }

  #callName(request: IncomingMessage, id: RequestId): string {
    const client = `${this.#addresses.addressOf(request)}\n${request.headers['user-agent']}`;
    return `${sha256Short(client).slice(0, 16)} ${JSON.stringify(id)}`;
  }
}
