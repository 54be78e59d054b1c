/** Server-sent events. With a progress token, progress at once and every 10 s restarts the client's timeout; otherwise comments keep it open. */
import type { Exchange } from '../http/exchange.js';
import type { RequestId } from './message.js';

const intervalMs = 10_000;

export class WaitStream {
  readonly #exchange: Exchange;
  readonly #token: RequestId | null;
  readonly #totalS: number | null;
  readonly #timer: NodeJS.Timeout;
  readonly #begunAt = performance.now();

  private constructor(exchange: Exchange, token: RequestId | null, totalS: number | null) {
    this.#exchange = exchange;
    this.#token = token;
    this.#totalS = totalS;
    this.#timer = setInterval(() => this.#beat(), intervalMs);
    this.#beat();
  }

  /** @param totalS how long the call may wait; null: not known @returns null if the client has closed the connection */
  static begin(exchange: Exchange, token: RequestId | null, totalS: number | null): WaitStream | null {
    if (exchange.response.destroyed) return null;
    exchange.stream('text/event-stream');
    return new WaitStream(exchange, token, totalS);
  }

  /** @param message the result, as JSON; null ends the stream without one */
  end(message: string | null): void {
    clearInterval(this.#timer);
    const { response } = this.#exchange;
    if (message !== null) response.write(eventText(message));
    response.end();
  }

  #beat(): void {
    this.#exchange.response.write(this.#token === null ? ': waiting\n\n' : eventText(progressText(this.#token, this.#begunAt, this.#totalS)));
  }
}

function eventText(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

function progressText(progressToken: RequestId, begunAt: number, totalS: number | null): string {
  const progress = Math.round((performance.now() - begunAt) / 1000);
  // Drawing and showing the question takes time beside its time-out.
  const total = totalS === null ? {} : { total: Math.max(progress, Math.ceil(totalS)) };
  const params = { progressToken, progress, ...total, message: `Waiting for the person at the robot, ${progress} s so far.` };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
}
