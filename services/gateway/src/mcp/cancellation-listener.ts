/**
 * MCP clients of the 2025 revisions cancel a call with a separate message, `notifications/cancelled`, which may reach another gateway than the
 * call did. The message names the call by its request id, which is unique for that client only. Without sessions a client has no id, so clients
 * that share a key are told apart by address and User-Agent.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientAddresses, Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { RequestId } from './message.js';

/** Why the signal of a call was aborted that its client gave up: it gets no answer. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

export class GivenUpCalls {
  readonly #cancellations: Store['cancellations'];
  readonly #addresses: ClientAddresses;
  readonly #log: Logger;

  constructor(cancellations: Store['cancellations'], addresses: ClientAddresses, log: Logger) {
    this.#cancellations = cancellations;
    this.#addresses = addresses;
    this.#log = log;
  }

  /** Cancels the call, whichever gateway holds it. @throws {StoreError} when Redis does not answer */
  giveUp(keyHash: string, request: IncomingMessage, id: RequestId): Promise<void> {
    return this.#cancellations.announce(keyHash, this.#callName(request, id));
  }

  /** Aborts the call when its client cancels it. @returns stops listening for the cancellation */
  watch(keyHash: string, request: IncomingMessage, id: RequestId, abort: AbortController): () => void {
    const watched = this.#cancellations.listen(keyHash, this.#callName(request, id), () => abort.abort(new GivenUp('The client gave the call up.')));
    watched.catch((error: unknown) => this.#log.warn({ err: error }, 'a call cannot be given up: its cancellation is not listened for'));
    return () => void watched.then((end) => end()).catch(() => {});
  }

  #callName(request: IncomingMessage, id: RequestId): string {
    const client = `${this.#addresses.addressOf(request)}\n${request.headers['user-agent']}`;
    return `${createHash('sha256').update(client).digest('base64url').slice(0, 16)} ${JSON.stringify(id)}`;
  }
}
