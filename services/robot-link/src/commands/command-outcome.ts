import type { ErrorCode } from '@perch/schema';

export type CommandOutcome =
  /** `ms` is the robot's clock. */
  | { kind: 'ack'; ms: number; result: Record<string, unknown> }
  /** The robot refused it or did not answer, or it was refused here. `end` is the metric label. */
  | { kind: 'nack'; code: ErrorCode; error: string; end: 'nack' | 'no_ack' | 'late' | 'unknown' | 'refused' }
  /** A second sound replaced it before it started. */
  | { kind: 'replaced' }
  | { kind: 'media_missing'; hash: string }
  /** The session ended before it was written: it may be sent again elsewhere. */
  | { kind: 'unsent' };
