/** A target: one interface and how it is attacked. */
import type { TestSystem } from '../test-system.js';
import type { Tally } from '../tally.js';

export interface SlowPlan {
  held: number;
  rounds: number;
  windowMs: number;
}

export interface Attack {
  system: TestSystem;
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
  /** @returns figures for the report, if it measures any */
  attack: (attack: Attack) => Promise<Record<string, unknown> | null>;
}
