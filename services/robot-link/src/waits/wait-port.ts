import type { Span } from '@perch/runtime';
import type { Armed, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import type { SettleResult } from '@perch/store';
import type { CommandQueue } from '../commands/command-queue.js';
import type { ScreenLight } from '../session/screen-light.js';

/** The parts of a session that `WaitController` uses. `SessionWaits` implements it. */
export interface WaitPort {
  readonly bootId: string;
  readonly commands: CommandQueue;
  /** How long a touch that answers is held at least, ms. */
  readonly heldMinMs: number;
  readonly light: Pick<ScreenLight, 'begin' | 'end'>;
  /** Redis time, ms. */
  now(): number;
  lastSeq(): number;
  /** The earliest time that the robot's clock can show now, ms; null if not reported in this session. */
  robotMs(): number | null;
  armWait(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): Promise<Armed | 'lost' | null>;
  settleWait(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult>;
  readWait(number: number): Promise<WaitState | null>;
  /** Shows the next page of the question. */
  turnPage(): void;
  /** Shows the pages of the question again from the first one, if its answers did not count at first. */
  restartPages(): void;
  /** The gateway then draws the picture again. */
  waitMediaMissing(record: WaitRecord, hash: string): void;
  waitSettled(record: WaitRecord, outcome: WaitOutcome): void;
  traceWait(record: WaitRecord): Span | null;
  loseLease(): void;
  storeFailed(error: unknown): void;
}
