/** What the load is asked to do, and what it answers. */

/** Where calls go: one program's key each, one robot each. */
export interface Targets {
  /** `http://127.0.0.1:PORT` */
  base: string;
  keys: readonly string[];
  robots: readonly string[];
}

export interface ActOptions {
  calls: number;
  inFlight: number;
  /** Calls a second; left out: as fast as answers come. */
  perS?: number;
  /** No call is begun later than this after the first, ms. */
  withinMs: number;
  /** Default `leds`, with a colour that changes. */
  action?: 'leds' | 'show' | 'ask' | 'sound';
  /** Not over HTTP but as a tool of /mcp, as a client of this revision calls it. */
  tool?: '2025-11-25' | '2026-07-28';
  /** Each with an Idempotency-Key of its own. */
  keyed?: boolean;
  /** Body of any other action; `$n` in it is a number that is never used twice. */
  body?: string;
  /** What the answer begins with; default `{"ok":true}`, which is all of it. */
  expected?: string;
}

export interface Acted {
  calls: number;
  /** Calls by the index of their robot. */
  perRobot: number[];
  /** Answers that were not 200 `{"ok":true}`; the first few as they came. */
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
