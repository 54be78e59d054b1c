import type { QuestionOutcome } from '../../calls/question-outcome.js';
import type { Ended } from '../../waits/wait-outcome.js';

interface WaitFields {
  outcome: Ended['outcome'];
  timed_out: boolean;
  replaced: boolean;
  robot_away: boolean;
}

export function waitFields({ outcome, robotAway }: Ended): WaitFields {
  return { outcome, timed_out: outcome === 'timed_out', replaced: outcome === 'replaced', robot_away: robotAway };
}

export function questionOutcomeOf(ended: Ended, question: string | null, answer: string | null): QuestionOutcome {
  const at = ended.outcome === 'answered' ? { x: ended.x, y: ended.y } : null;
  return { outcome: ended.outcome, question, answer, at, tapMs: ended.tapMs ?? null };
}

/** Rounded, because Redis takes integers and 0.07 * 1000 is not 70. */
export function timeoutMs(timeoutS: number): number {
  return Math.max(1, Math.round(timeoutS * 1000));
}
