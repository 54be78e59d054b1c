/**
 * Clients of 2025 give a call up by a message of its own, `notifications/cancelled`, which may reach another instance than the call.
 * It names the call by a number that is unique for that client alone, and without sessions a client has no name: it is told from others of
 * its key by its address and User-Agent.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { RequestId } from './message.js';

/** Why the signal of a call was aborted that its client gave up: it gets no answer. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

export class GivenUpCalls {
  readonly #cancellations: Store['cancellations'];
  readonly #log: Logger;

  constructor(cancellations: Store['cancellations'], log: Logger) {
    this.#cancellations = cancellations;
    this.#log = log;
  }

  /** Wherever the call is held. @throws {StoreError} when Redis does not answer */
  giveUp(keyHash: string, request: IncomingMessage, id: RequestId): Promise<void> {
    return this.#cancellations.announce(keyHash, callName(request, id));
  }

  /** Aborts a call when it is given up. @returns ends the looking out, at once */
  watch(keyHash: string, request: IncomingMessage, id: RequestId, abort: AbortController): () => void {
    const watched = this.#cancellations.listen(keyHash, callName(request, id), () => abort.abort(new GivenUp('The client gave the call up.')));
    watched.catch((error: unknown) => this.#log.warn({ err: error }, 'a call cannot be given up: its cancellation is not listened for'));
    return () => void watched.then((end) => end()).catch(() => {});
  }
}

function callName({ headers, socket }: IncomingMessage, id: RequestId): string {
  const through = headers['x-forwarded-for'];
  const address = typeof through === 'string' ? through : socket.remoteAddress;
  return `${createHash('sha256').update(`${address}\n${headers['user-agent']}`).digest('base64url').slice(0, 16)} ${JSON.stringify(id)}`;
}
