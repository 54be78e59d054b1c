/**
 * Who may knock how often: bounds on connections before they cost Redis anything. Addresses that keep coming with tokens that open nothing,
 * robots that dial without end, and pairing, which needs no token at all.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Sockets at once that have not said who they are. */
const greetingsMax = 10_000;
const wrongTokensMax = 60;

export class Door {
  readonly #proxies: number;
  /** Wrong tokens of one address in a minute. */
  readonly #wrongTokens = new RateLimiterMemory({ points: wrongTokensMax, duration: 60 });
  /** Connections of one robot in 10 s: more is a robot in a loop, or two that share a token. */
  readonly #dials = new RateLimiterMemory({ points: 100, duration: 10 });
  readonly #pairings = new RateLimiterMemory({ points: 20, duration: 60 });
  readonly #polls = new RateLimiterMemory({ points: 240, duration: 60 });

  /** @param proxies how many proxies of ours stand before us */
  constructor(proxies: number) {
    this.#proxies = proxies;
  }

  /** @returns seconds to wait, or null when it may come in */
  async tooManyWrongTokens(request: IncomingMessage): Promise<number | null> {
    const spent = await this.#wrongTokens.get(this.#address(request));
    return spent !== null && spent.consumedPoints >= wrongTokensMax ? seconds(spent.msBeforeNext) : null;
  }

  wrongToken(request: IncomingMessage): Promise<number | null> {
    return consume(this.#wrongTokens, this.#address(request));
  }

  dial(robot: string): Promise<number | null> {
    return consume(this.#dials, robot);
  }

  pairing(request: IncomingMessage): Promise<number | null> {
    return consume(this.#pairings, this.#address(request));
  }

  poll(request: IncomingMessage): Promise<number | null> {
    return consume(this.#polls, this.#address(request));
  }

  isFull(greetings: number): boolean {
    return greetings >= greetingsMax;
  }

  /** The client's address as the outermost proxy of ours saw it; of IPv6 the network a client has to itself. */
  #address(request: IncomingMessage): string {
    const forwarded = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((entry) => entry.trim());
    const address = (this.#proxies > 0 ? forwarded.at(-this.#proxies) : undefined) || (request.socket.remoteAddress ?? '');
    return isIPv6(address) && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address;
  }
}

/** @returns seconds to wait, or null when there was still a point */
async function consume(limiter: RateLimiterMemory, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    return seconds((refused as { msBeforeNext: number }).msBeforeNext);
  }
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
