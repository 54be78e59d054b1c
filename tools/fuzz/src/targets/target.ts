/** One way in, attacked: a file each in this folder, all of them in `targets/index.ts`. */
import type { Stage } from '../stage.js';
import type { Tally } from '../tally.js';

export interface SlowPlan {
  /** How many slow or half-sent requests are held at once. */
  held: number;
  /** Of a window without and one with them. */
  rounds: number;
  windowMs: number;
}

export interface Attack {
  stage: Stage;
  tally: Tally;
  seed: number;
  /** How many requests, frames or handshakes it is to send. */
  requests: number;
  slow: SlowPlan;
  say: (line: string) => void;
}

export interface Target {
  name: string;
  /** What `--only` calls it, together with its like. */
  group: 'http' | 'mcp' | 'webhooks' | 'console' | 'link' | 'flood' | 'slow';
  /** Its part of all requests of the run, 0..1. */
  share: number;
  /** @returns figures for the report, where it measures any */
  attack: (attack: Attack) => Promise<Record<string, unknown> | null>;
}
