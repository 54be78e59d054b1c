/** A TCP proxy whose lines can be cut, held half-open, slowed and chopped while they are up. */

export type Direction = 'to_server' | 'to_client' | 'both';

export interface Proxy {
  readonly port: number;
  /** Lines up now. */
  readonly lines: number;
}
