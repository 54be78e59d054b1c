/** The response becomes a stream once the key is admitted: before that, an invalid key is a 401. */
import type { ApiError, Tool } from '@perch/schema';
import { ClientGone } from '../calls/failures.js';
import type { Exchange } from '../http/exchange.js';
import { CallCancelled, type CancellationListener } from './cancellation-listener.js';
import { responseText, takesStreams, type Era, type RequestId } from './message.js';
import { asks, longestWaitS, type ToolCalls } from './tool-calls.js';
import { failed, resultText } from './tool-result.js';

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

/** Server-sent events. With a progress token, progress at once and every 10 s; otherwise comments keep it open. */
const intervalMs = 10_000;
const comment = ': waiting\n\n';

class WaitStream {
  readonly #exchange: Exchange;
  readonly #token: RequestId | null;
  readonly #totalS: number | null;
  readonly #timer: NodeJS.Timeout;
  readonly #begunAt = performance.now();
  #wait: string | null = null;

  private constructor(exchange: Exchange, token: RequestId | null, totalS: number | null) {
    this.#exchange = exchange;
    this.#token = token;
    this.#totalS = totalS;
    this.#timer = setInterval(() => this.#beat(), intervalMs);
  }

  /**
   * @param totalS how long the call may wait; null: not known @param isNamed `name` will be called: progress begins then, or after 10 s
   * @returns null if the client has closed the connection
   */
  static begin(exchange: Exchange, token: RequestId | null, totalS: number | null, isNamed: boolean): WaitStream | null {
    if (exchange.response.destroyed) return null;
    exchange.stream('text/event-stream');
    const stream = new WaitStream(exchange, token, totalS);
    if (isNamed) exchange.response.write(comment);
    else stream.#beat();
    return stream;
  }

  /** @param wait by which the question can be read if the client gives up */
  name(wait: string): void {
    this.#wait = wait;
    if (this.#token !== null) this.#beat();
  }

  /** @param message the result, as JSON; null ends the stream without one */
  end(message: string | null): void {
    clearInterval(this.#timer);
    const { response } = this.#exchange;
    if (message !== null) response.write(eventText(message));
    response.end();
  }

  #beat(): void {
    this.#exchange.response.write(this.#token === null ? comment : eventText(this.#progressText(this.#token)));
  }

  #progressText(progressToken: RequestId): string {
    const progress = Math.floor((performance.now() - this.#begunAt) / 1000);
    // Drawing and showing the question takes time beside its time-out.
    const total = this.#totalS === null ? {} : { total: Math.max(progress, Math.ceil(this.#totalS)) };
    const named = this.#wait === null ? '' : ` If this call ends first, read the answer with robot_answer and wait ${this.#wait}.`;
    const message = `Waiting for the person at the robot, ${progress} s so far.${named}`;
    return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, ...total, message } });
  }
}

function eventText(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}
