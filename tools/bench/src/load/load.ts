/** Keys and robots are used in turn. */
export interface Targets {
  base: string;
  keys: readonly string[];
  robots: readonly string[];
}

export interface ActOptions {
  calls: number;
  inFlight: number;
  perS?: number;
  /** ms after the first call. */
  withinMs: number;
  /** Default: `leds`, with a changing colour. */
  action?: 'leds' | 'show' | 'ask' | 'menu' | 'sound';
  /** As a client of this revision does, instead of over HTTP. */
  tool?: '2025-11-25' | '2026-07-28';
  keyed?: boolean;
  /** With a sampled `traceparent`, which asks for a trace. */
  traced?: boolean;
  /** Body of any other action; `$n` is replaced by a unique number. */
  body?: string;
  /** The whole answer. Default: `{"ok":true}`. */
  expected?: string;
}

export interface Acted {
  calls: number;
  perRobot: number[];
  wrong: number;
  wrongOnes: string[];
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
  /** When each call was sent, in their order, by the clock that all processes share. */
  sentAt: number[];
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
