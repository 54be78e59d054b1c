import type { WaitOutcome } from '@perch/schema';

export interface QuestionOutcome {
  readonly outcome: Exclude<WaitOutcome['outcome'], 'failed' | 'cancelled'>;
  readonly question: string | null;
  readonly answer: string | null;
  readonly at: { readonly x: number; readonly y: number } | null;
  /** From the question on the screen to the tap; null: no tap. */
  readonly tapMs: number | null;
}
