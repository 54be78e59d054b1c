/** A target: one interface and how it is attacked. */
import type { TestSystem } from '../test-system.js';
import type { Tally } from '../tally.js';

export interface SlowPlan {
  /** Number of slow or half-sent requests at once. */
  held: number;
  /** Number of windows with and without slow clients. */
  rounds: number;
  windowMs: number;
}

export interface Attack {
  system: TestSystem;
  tally: Tally;
  seed: number;
  /** Number of requests, frames or handshakes to send. */
  requests: number;
  slow: SlowPlan;
  log: (line: string) => void;
}

export interface Target {
  name: string;
  /** Group name for `--only`. */
  group: 'http' | 'mcp' | 'webhooks' | 'console' | 'link' | 'flood' | 'slow';
  /** Share of the run's requests, 0..1. */
  share: number;
  /** @returns figures for the report, if it measures any */
  attack: (attack: Attack) => Promise<Record<string, unknown> | null>;
}
