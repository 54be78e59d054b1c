/**
 * The answer of `GET /v1/robots`, sent as its robots are read: neither a long list nor a client that reads slowly keeps more of it in memory
 * than a slice and what the socket holds. A failure before the first byte is answered as any other; later the connection is closed, so that
 * the client sees an answer that is not complete.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ApiError, type Robot, type RobotsQuery } from '@perch/schema';
import { ClientGone } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { KeysRobots, RobotReach } from './robots.js';

/** An answer up to this size is sent whole, with its length. */
const wholeBytesMax = 256 * 1024;
/** A client that has read nothing for so long is disconnected, ms. */
const stalledMs = 30_000;
/** Lists of one account that this instance sends at once. */
const perAccountMax = 50;

const contentType = 'application/json; charset=utf-8';
const head = Buffer.from('{"ok":true,"robots":[');

export class RobotsAnswers {
  readonly #robots: KeysRobots;
  readonly #sending = new Map<string, number>();
  /** The text of robots with a comma before each, by the array that holds them: several lists may share one. */
  readonly #texts = new WeakMap<readonly Robot[], Buffer>();

  constructor(robots: KeysRobots) {
    this.#robots = robots;
  }

  /** Answers a list. @throws {ApiError} rate_limited; what was thrown while the list was read, if nothing was sent yet */
  async send(exchange: Exchange, reach: RobotReach, query: RobotsQuery): Promise<void> {
    if (exchange.request.method === 'HEAD') return exchange.answerBytes(200, null, ['content-type', contentType, 'cache-control', 'no-store']);
    const { account } = reach;
    const sending = this.#sending.get(account) ?? 0;
    if (sending >= perAccountMax)
      throw new ApiError('rate_limited', 'Too many lists of this account are being sent. Read fewer at once.', { retryAfterS: 1 });
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
      exchange.time.waits();
      await write(response, held.splice(0), signal).finally(() => exchange.time.resumes());
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

/** Writes and waits until the socket takes more. @throws {ClientGone} when the client hung up, or read nothing for too long */
async function write(response: ServerResponse, parts: readonly Buffer[], signal: AbortSignal): Promise<void> {
  let takesMore = true;
  for (const part of parts) takesMore = response.write(part);
  if (takesMore) return;
  const tooLong = AbortSignal.timeout(stalledMs);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, tooLong]) });
  } catch {
    throw new ClientGone();
  }
}
