/** What an instance still holds that it did not hold at the baseline. */

export interface Leak {
  /** `gateway-0`. */
  readonly place: string;
  /** What grew: a gauge's name, `sockets`, `handles`, `resident_bytes`. */
  readonly what: string;
  readonly baseline: number;
  readonly now: number;
}
