/** Memory holds only one slice and the socket's buffer. A later failure closes the connection: the client sees an incomplete response. */
import type { ServerResponse } from 'node:http';
import { ApiError, type Robot, type RobotsQuery } from '@perch/schema';
import type { Exchange } from '../http/exchange.js';
import { pacedWrite } from '../http/paced-write.js';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';

/** Responses up to this size are sent whole, with their length. */
const wholeBytesMax = 256 * 1024;
const perAccountMax = 50;

const contentType = 'application/json; charset=utf-8';
const head = Buffer.from('{"ok":true,"robots":[');

export class RobotListResponses {
  readonly #robots: RobotListReader;
  readonly #sending = new Map<string, number>();
  /** JSON text of robots, each preceded by a comma, by the array that holds them: concurrent lists may share an array. */
  readonly #texts = new WeakMap<readonly Robot[], Buffer>();

  constructor(robots: RobotListReader) {
    this.#robots = robots;
  }

  async send(exchange: Exchange, reach: RobotReach, query: RobotsQuery): Promise<void> {
    if (exchange.request.method === 'HEAD') return exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
    const { account } = reach;
    const sending = this.#sending.get(account) ?? 0;
    if (sending >= perAccountMax)
      throw new ApiError('rate_limited', 'Too many lists of robots are being sent to this account. Read fewer at the same time.', { retryAfterS: 1 });
    this.#sending.set(account, sending + 1);
    try {
      await this.#send(exchange, reach, query);
    } finally {
      const left = this.#sending.get(account)! - 1;
      if (left === 0) this.#sending.delete(account);
      else this.#sending.set(account, left);
    }
  }

  async #send(exchange: Exchange, reach: RobotReach, query: RobotsQuery): Promise<void> {
    const { signal } = exchange;
    const { limit = Infinity } = query;
    const held: Buffer[] = [head];
    let heldBytes = head.length;
    let response: ServerResponse | null = null;
    let count = 0;
    let last = '';
    let next: string | null = null;
    for await (const slice of this.#robots.slices(reach, query)) {
      signal.throwIfAborted();
      const fitting = slice.length > limit - count ? slice.slice(0, limit - count) : slice;
      if (fitting.length > 0) {
        const text = this.#textOf(fitting);
        held.push(count === 0 ? text.subarray(1) : text);
        heldBytes += text.length;
        count += fitting.length;
        last = fitting.at(-1)!.id;
      }
      if (fitting.length < slice.length) {
        next = last;
        break;
      }
      if (response === null && heldBytes > wholeBytesMax) response = exchange.stream(contentType);
      if (response === null) continue;
      exchange.time.pause();
      await pacedWrite(response, held.splice(0), signal).finally(() => exchange.time.resume());
    }
    held.push(Buffer.from(`],"next":${JSON.stringify(next)}}`));
    if (response !== null) response.end(Buffer.concat(held));
    else exchange.answerBytes(200, Buffer.concat(held), ['content-type', contentType, 'cache-control', 'no-store']);
  }

  #textOf(robots: readonly Robot[]): Buffer {
    let text = this.#texts.get(robots);
    if (text === undefined) this.#texts.set(robots, (text = Buffer.from(`,${JSON.stringify(robots).slice(1, -1)}`)));
    return text;
  }
}
