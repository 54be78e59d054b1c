export type Direction = 'to_server' | 'to_client' | 'both';

/** Network conditions of a connection. Without any, bytes pass unchanged. */
export interface NetworkConditions {
  /** Drops bytes, ends and resets of this direction, as on a half-open connection. The stream then has a gap: cut the connection afterwards. */
  readonly drop?: Direction;
  /** Holds everything back until the conditions change; then it is delivered in order, as after a network partition. */
  readonly hold?: Direction;
  /** Delays each chunk by a uniformly distributed time; keeps the order. */
  readonly delayMs?: readonly [min: number, max: number];
  /** Forgets a connection on which nothing passed for this long, as a NAT gateway does: from then on it drops everything, also under other conditions. */
  readonly forgetIdleMs?: number;
  /** Maximum chunk size; each chunk is a segment of its own. */
  readonly chunkBytes?: number;
}

export type Chance = () => number;
