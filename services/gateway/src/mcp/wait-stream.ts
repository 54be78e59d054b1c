/** Server-sent events. With a progress token, progress at once and every 10 s; otherwise comments keep it open. */
import type { Exchange } from '../http/exchange.js';
import type { RequestId } from './message.js';

const intervalMs = 10_000;
const comment = ': waiting\n\n';

export class WaitStream {
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
