import type { ClientAddresses } from '@perch/runtime';
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Rate limits of one instance, checked before any work in Redis: points a window (seconds) and key. Networks are an IPv4 address or an IPv6 /64. */
const handshakesMax = 10_000;

const bounds = {
  /** Valid tokens count too: only the lookup tells them apart. Sized for 10,000 robots behind one NAT that reconnect within a minute, twice. */
  lookups: { points: 20_000, duration: 60 },
  /** Beyond this a wrong token gets 429 instead of 401; a valid token is still accepted. */
  wrongTokens: { points: 60, duration: 60 },
  /** Connections of one robot: more is a robot in a loop, or two that share a token. */
  dials: { points: 100, duration: 10 },
  pairings: { points: 20, duration: 60 },
  polls: { points: 240, duration: 60 },
  /** Downloads of the robot program, 250 KB each. */
  programs: { points: 600, duration: 60 },
} as const;

export class ConnectionLimits {
  readonly #addresses: ClientAddresses;
  readonly #lookups = new RateLimiterMemory(bounds.lookups);
  readonly #wrongTokens = new RateLimiterMemory(bounds.wrongTokens);
  readonly #dials = new RateLimiterMemory(bounds.dials);
  readonly #pairings = new RateLimiterMemory(bounds.pairings);
  readonly #polls = new RateLimiterMemory(bounds.polls);
  readonly #programs = new RateLimiterMemory(bounds.programs);

  constructor(addresses: ClientAddresses) {
    this.#addresses = addresses;
  }

  /** @returns seconds to wait, or null if it is allowed; so do the others */
  lookup(request: IncomingMessage): Promise<number | null> {
    return consume(this.#lookups, this.#addresses.networkOf(request));
  }

  wrongToken(request: IncomingMessage): Promise<number | null> {
    return consume(this.#wrongTokens, this.#addresses.networkOf(request));
  }

  dial(robot: string): Promise<number | null> {
    return consume(this.#dials, robot);
  }

  pairing(request: IncomingMessage): Promise<number | null> {
    return consume(this.#pairings, this.#addresses.networkOf(request));
  }

  poll(request: IncomingMessage): Promise<number | null> {
    return consume(this.#polls, this.#addresses.networkOf(request));
  }

  program(request: IncomingMessage): Promise<number | null> {
    return consume(this.#programs, this.#addresses.networkOf(request));
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
