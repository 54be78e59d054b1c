import type { FuzzSystem } from '../fuzz-system.js';
import type { Tally } from '../tally.js';

/** Number of slow clients held, pairs of windows with and without them, and length of a window. */
export interface SlowPlan {
  held: number;
  rounds: number;
  windowMs: number;
}

export interface Attack {
  system: FuzzSystem;
  tally: Tally;
  seed: number;
  requests: number;
  slow: SlowPlan;
  log: (line: string) => void;
}

export interface Target {
  name: string;
  group: 'http' | 'mcp' | 'webhooks' | 'console' | 'link' | 'flood' | 'slow';
  /** Share of the run's requests, 0..1. */
  share: number;
  attack: (attack: Attack) => Promise<Record<string, unknown> | null>;
}
