/** Arguments and answer fields shared by ask, menu and clickmap. */
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

/** Converts seconds to whole milliseconds, at least 1. Rounded, because Redis takes integers and 0.07 * 1000 is not 70. */
export function timeoutMs(timeoutS: number): number {
  return Math.max(1, Math.round(timeoutS * 1000));
}
