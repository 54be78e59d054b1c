/**
 * Calls of tools that may take as long as people do: answered as a stream from the moment their key is admitted (until then a wrong one is a 401),
 * and ended by whoever hangs up, by a cancellation, by the end of their key or of this instance.
 */
import type { ApiError, Tool } from '@perch/schema';
import { ClientGone } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { GivenUp, type GivenUpCalls } from './cancellation-listener.js';
import { responseText, takesStreams, type Era, type RequestId } from './message.js';
import type { ToolCalls } from './tool-calls.js';
import { failed, resultText } from './tool-result.js';
import { WaitStream } from './wait-stream.js';

export interface WaitingCall {
  exchange: Exchange;
  id: RequestId;
  tool: Tool;
  args: Record<string, unknown>;
  /** For progress, where the client wants it told. */
  token: RequestId | null;
  era: Era;
}

export class WaitingCalls {
  readonly #calls: ToolCalls;
  readonly #givenUp: GivenUpCalls;

  constructor(calls: ToolCalls, givenUp: GivenUpCalls) {
    this.#calls = calls;
    this.#givenUp = givenUp;
  }

  /** @throws {ApiError} unauthorized, before anything is answered; ClientGone */
  async run({ exchange, id, tool, args, token, era }: WaitingCall): Promise<void> {
    const { request, signal: gone } = exchange;
    const abort = new AbortController();
    const hangUp = (): void => abort.abort(gone.reason);
    let stream: WaitStream | null = null;
    let unwatch = (): void => {};
    let message: string | null = null;
    const begun = (keyHash: string): AbortSignal => {
      if (gone.aborted) hangUp();
      else gone.addEventListener('abort', hangUp, { once: true });
      if (takesStreams(request.headers)) stream = WaitStream.begin(exchange, token);
      // Those of the newest revision close the stream.
      if (era === 'legacy') unwatch = this.#givenUp.watch(keyHash, request, id, abort);
      return abort.signal;
    };
    try {
      const result = await this.#calls.run({ exchange, tool, args, begun: ({ keyHash }) => begun(keyHash) });
      message = responseText(id, resultText(result, era));
    } catch (error) {
      if (stream === null || error instanceof ClientGone) throw error;
      if (error instanceof GivenUp) exchange.code = 'client_closed';
      else {
        // The head is sent: a key that was revoked meanwhile is answered as a failed result.
        const failure = error as ApiError;
        exchange.code = failure.code;
        message = responseText(id, resultText(failed(failure, exchange.requestId), era));
      }
    } finally {
      gone.removeEventListener('abort', hangUp);
      unwatch();
      (stream as WaitStream | null)?.end(message);
    }
    if (stream === null) exchange.answer(200, message!);
  }
}
