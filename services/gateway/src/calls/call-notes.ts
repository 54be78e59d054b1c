import type { ActivityVia } from '@perch/store';
import type { QuestionOutcome } from './question-outcome.js';
import type { ShownScreen } from './shown-screen.js';

/** What the activity keeps of a call. Collected at its exchange, as the call ends. */
export interface CallNotes {
  readonly via: ActivityVia;
  question: QuestionOutcome | null;
  shown: readonly ShownScreen[];
}

export function noteQuestion({ notes }: { notes: CallNotes | null }, outcome: QuestionOutcome): void {
  if (notes !== null) notes.question = outcome;
}

export function noteShown({ notes }: { notes: CallNotes | null }, screen: ShownScreen): void {
  if (notes !== null) notes.shown = [...notes.shown, screen];
}
