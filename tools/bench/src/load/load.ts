/** Requests to the load process, and its answers. */

/** Targets of the calls; keys and robots are used in turn. */
export interface Targets {
  base: string;
  keys: readonly string[];
  robots: readonly string[];
}

export interface ActOptions {
  calls: number;
  inFlight: number;
  perS?: number;
  /** No call is started later than this after the first, ms. */
  withinMs: number;
  /** Default: `leds`, with a changing colour. */
  action?: 'leds' | 'show' | 'ask' | 'sound';
  /** Calls the action as a tool of /mcp, like a client of this revision, instead of over HTTP. */
  tool?: '2025-11-25' | '2026-07-28';
  /** Sends an Idempotency-Key with each call. */
  keyed?: boolean;
  /** Body of any other action; `$n` in it is replaced by a unique number. */
  body?: string;
  /** Beginning of the answer; default: `{"ok":true}`, which is the whole answer. */
  expected?: string;
}

export interface Acted {
  calls: number;
  perRobot: number[];
  /** Number of wrong answers, and the first few. */
  wrong: number;
  wrongOnes: string[];
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
}

export interface PollsOptions {
  polls: number;
  seconds: number;
}

export interface PollsAnswered {
  answered: number;
  wrong: number;
  wrongOnes: string[];
}
