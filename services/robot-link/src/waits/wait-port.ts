import type { Span } from '@perch/runtime';
import type { Armed, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import type { SettleResult } from '@perch/store';
import type { CommandQueue } from '../commands/command-queue.js';

/** The parts of a session that `WaitController` uses. `SessionWaits` implements it. */
export interface WaitPort {
  readonly bootId: string;
  readonly commands: CommandQueue;
  /** Redis time, ms. */
  now(): number;
  lastSeq(): number;
  /** The earliest time that the robot's clock can show now, ms; null if not reported in this session. */
  robotMs(): number | null;
  armWait(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): Promise<Armed | 'lost' | null>;
  settleWait(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult>;
  readWait(number: number): Promise<WaitState | null>;
  /** The gateway then draws the picture again. */
  waitMediaMissing(record: WaitRecord, hash: string): void;
  waitSettled(record: WaitRecord, outcome: WaitOutcome): void;
  traceWait(record: WaitRecord): Span | null;
  loseLease(): void;
  storeFailed(error: unknown): void;
}
