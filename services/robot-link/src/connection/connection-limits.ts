/**
 * Rate limits of one robot-link instance, checked before a request causes work in Redis: token lookups, wrong tokens and pairing requests per client
 * network, connections per robot. Networks are those of `clientNetwork`: an IPv4 address, or the /64 prefix of an IPv6 address.
 */
import type { ClientAddresses } from '@perch/runtime';
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Maximum handshakes in progress on this instance. */
const handshakesMax = 10_000;

/** Points per window and key; durations in seconds. */
const bounds = {
  /**
   * Lookups of a token (one or two GETs in Redis). Valid tokens count as well, since only the lookup tells them apart. Sized for 10,000 robots behind
   * one NAT that all reconnect within a minute, twice over; one network can cause at most 333 lookups a second on average.
   */
  lookups: { points: 20_000, duration: 60 },
  /** Wrong tokens. Beyond this a wrong token gets 429 instead of 401; a valid token is still accepted. */
  wrongTokens: { points: 60, duration: 60 },
  /** Connections of one robot: more is a robot in a loop, or two that share a token. */
  dials: { points: 100, duration: 10 },
  pairings: { points: 20, duration: 60 },
  polls: { points: 240, duration: 60 },
} as const;

export class ConnectionLimits {
  readonly #addresses: ClientAddresses;
  readonly #lookups = new RateLimiterMemory(bounds.lookups);
  readonly #wrongTokens = new RateLimiterMemory(bounds.wrongTokens);
  readonly #dials = new RateLimiterMemory(bounds.dials);
  readonly #pairings = new RateLimiterMemory(bounds.pairings);
  readonly #polls = new RateLimiterMemory(bounds.polls);

  constructor(addresses: ClientAddresses) {
    this.#addresses = addresses;
  }

  /** Counts a token about to be looked up. @returns seconds to wait, or null if the lookup is allowed */
  lookup(request: IncomingMessage): Promise<number | null> {
    return consume(this.#lookups, this.#addresses.networkOf(request));
  }

  /** Counts a wrong token. @returns seconds to wait, or null while the network is below the limit */
  wrongToken(request: IncomingMessage): Promise<number | null> {
    return consume(this.#wrongTokens, this.#addresses.networkOf(request));
  }

  /** Counts a connection of a robot whose token is valid. @returns seconds to wait, or null if it is allowed */
  dial(robot: string): Promise<number | null> {
    return consume(this.#dials, robot);
  }

  /** Counts a `POST /robot/v1/pair`. @returns seconds to wait, or null if it is allowed */
  pairing(request: IncomingMessage): Promise<number | null> {
    return consume(this.#pairings, this.#addresses.networkOf(request));
  }

  /** Counts a `POST /robot/v1/pair/token`. @returns seconds to wait, or null if it is allowed */
  poll(request: IncomingMessage): Promise<number | null> {
    return consume(this.#polls, this.#addresses.networkOf(request));
  }

  isFull(handshakes: number): boolean {
    return handshakes >= handshakesMax;
  }
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (refused) {
    if (refused instanceof Error) throw refused;
    return Math.max(1, Math.ceil((refused as { msBeforeNext: number }).msBeforeNext / 1000));
  }
}
