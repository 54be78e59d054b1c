/** The response becomes a stream once the key is admitted: before that, an invalid key is a 401. */
import type { ApiError, Tool } from '@perch/schema';
import { ClientGone } from '../calls/failures.js';
import type { Exchange } from '../http/exchange.js';
import { CallCancelled, type CancellationListener } from './cancellation-listener.js';
import { responseText, takesStreams, type Era, type RequestId } from './message.js';
import { asks, longestWaitS, type ToolCalls } from './tool-calls.js';
import { failed, resultText } from './tool-result.js';
import { WaitStream } from './wait-stream.js';

export interface WaitingCall {
  exchange: Exchange;
  id: RequestId;
  tool: Tool;
  args: Record<string, unknown>;
  /** As in `ToolCall`. */
  read: readonly string[];
  token: RequestId | null;
  era: Era;
}

export class WaitingCalls {
  readonly #calls: ToolCalls;
  readonly #cancellations: CancellationListener;

  constructor(calls: ToolCalls, cancellations: CancellationListener) {
    this.#calls = calls;
    this.#cancellations = cancellations;
  }

  /** @throws {ApiError} unauthorized, before a response is sent; ClientGone */
  async run({ exchange, id, tool, args, read, token, era }: WaitingCall): Promise<void> {
    const { request, signal: gone } = exchange;
    const abort = new AbortController();
    const givenUp = new AbortController();
    const isQuestion = asks(tool, args);
    const onGone = (): void => abort.abort(gone.reason);
    let stream: WaitStream | null = null;
    let stopListening = (): void => {};
    let message: string | null = null;
    // A question that may outlive its call stays for its own time-out.
    const onTimeLimit = (): void => (isQuestion ? givenUp.abort() : abort.abort(new CallCancelled('A time limit of the client ended the call.')));
    const onAdmitted = (keyHash: string): AbortSignal => {
      if (gone.aborted) onGone();
      else gone.addEventListener('abort', onGone, { once: true });
      if (takesStreams(request.headers)) stream = WaitStream.begin(exchange, token, longestWaitS(tool, args), isQuestion && tool.action !== 'group');
      // Clients of the newest revision cancel by closing the stream.
      if (era === 'legacy') stopListening = this.#cancellations.listen(keyHash, request, id, abort, onTimeLimit);
      return abort.signal;
    };
    try {
      const onOpened = (wait: string): void => stream?.name(wait);
      const result = await this.#calls.run({
        exchange,
        tool,
        args,
        read,
        stepsUp: true,
        givenUp: givenUp.signal,
        onOpened,
        onAdmitted: ({ keyHash }) => onAdmitted(keyHash),
      });
      message = responseText(id, resultText(result, era));
    } catch (error) {
      if (stream === null || error instanceof ClientGone) throw error;
      if (error instanceof CallCancelled) exchange.code = 'client_closed';
      else {
        // The head has been sent, so an error such as a revoked key becomes a failed result.
        const failure = error as ApiError;
        exchange.code = failure.code;
        message = responseText(id, resultText(failed(tool, failure, exchange.requestId), era));
      }
    } finally {
      gone.removeEventListener('abort', onGone);
      stopListening();
      (stream as WaitStream | null)?.end(message);
    }
    if (stream === null) exchange.answer(200, message!);
  }
}
