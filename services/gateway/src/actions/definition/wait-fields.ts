import { noteQuestion } from '../../calls/call-notes.js';
import type { Call } from '../../calls/call.js';
import type { Ended } from '../../waits/wait-outcome.js';

interface WaitFields {
  outcome: Ended['outcome'];
  timed_out: boolean;
  replaced: boolean;
  robot_away: boolean;
  wait?: string;
  queued?: true;
  place?: number;
}

export function waitFields(ended: Ended): WaitFields {
  const { outcome, robotAway, queued, place } = ended;
  const wait = ended.outcome === 'pending' ? { wait: ended.wait } : {};
  return {
    outcome,
    timed_out: outcome === 'timed_out',
    replaced: outcome === 'replaced',
    robot_away: robotAway,
    ...wait,
    ...(queued && { queued }),
    ...(place && { place }),
  };
}

/** A question that outlives its call has no outcome yet: its event has it. */
export function noteOutcome(call: Pick<Call, 'notes'>, ended: Ended, question: string | null, answer: string | null): void {
  if (ended.outcome === 'pending') return;
  const at = ended.outcome === 'answered' ? { x: ended.x, y: ended.y } : null;
  noteQuestion(call, { outcome: ended.outcome, question, answer, at, tapMs: ended.tapMs ?? null });
}

/** Rounded, because Redis takes integers and 0.07 * 1000 is not 70. */
export function timeoutMs(timeoutS: number): number {
  return Math.max(1, Math.round(timeoutS * 1000));
}
