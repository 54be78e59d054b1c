/** What ask, menu and clickmap have in common. */
import type { Ended } from '../waits/wait-calls.js';

interface WaitFields {
  outcome: Ended['outcome'];
  timed_out: boolean;
  replaced: boolean;
  robot_away: boolean;
}

export function waitFields({ outcome, robotAway }: Ended): WaitFields {
  return { outcome, timed_out: outcome === 'timed_out', replaced: outcome === 'replaced', robot_away: robotAway };
}

/** Whole, and at least one: Redis counts in milliseconds, and 0.07 s times 1000 is not 70. */
export function timeoutMs(timeoutS: number): number {
  return Math.max(1, Math.round(timeoutS * 1000));
}
