import { ApiError, type PictureNotes, type WaitOutcome, type WaitRecord } from '@perch/schema';
import type { StoredWait } from '@perch/store';
import { robotFailure } from '../calls/failures.js';
import { withCutQuestion } from '../media/paged-text.js';

/** `pending`: the wait outlives its call; `wait` is its id. */
export type Over = (WaitOutcome | { outcome: 'pending'; wait: string }) & { robotAway: boolean };
/** `tapMs`: from the picture on the screen to the tap. `notes`: on what the wait showed; undefined if it showed nothing. */
export type Ended = Over & {
  outcome: 'answered' | 'timed_out' | 'replaced' | 'pending';
  notes?: PictureNotes;
  tapMs?: number;
  queued?: true;
  place?: number;
};

export function overOf(wait: StoredWait | null): Over | null {
  return wait === null || wait.outcome === null ? null : { ...wait.outcome, robotAway: wait.robotAway };
}

export function endedOf(over: Over, notes: PictureNotes | undefined): Ended {
  if (over.outcome === 'failed') throw robotFailure(over.code, over.error);
  if (over.outcome === 'cancelled') throw new ApiError('outcome_unknown', 'The wait was cancelled.');
  return notes === undefined ? over : { ...over, notes };
}

/** Returns what the person did not see as it was sent. */
export function notesSeen({ picture, pages }: WaitRecord, over: Over): PictureNotes | undefined {
  return pages !== undefined && 'pagesUnseen' in over ? withCutQuestion(picture?.notes) : picture?.notes;
}

export function lateOutcome(state: StoredWait): WaitOutcome {
  if (state.armed !== null) return { outcome: 'timed_out' };
  return { outcome: 'failed', code: 'no_ack', error: 'The robot did not show it in time and will not show it later. Try again.' };
}

export function lostWait(): ApiError {
  return new ApiError('outcome_unknown', 'The wait was lost before it ended.');
}
