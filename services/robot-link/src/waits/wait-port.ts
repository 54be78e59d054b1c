/** Interface of the wait controller to its session. */
import type { Span } from '@perch/runtime';
import type { Armed, WaitOutcome, WaitRecord, WaitState } from '@perch/schema';
import type { SettleResult } from '@perch/store';
import type { CommandQueue } from '../commands/command-queue.js';

export interface WaitPort {
  readonly bootId: string;
  readonly commands: CommandQueue;
  /** Redis time, ms. */
  now(): number;
  lastSeq(): number;
  /** Returns the earliest time that the robot's clock can show now, ms; null if the robot has not reported it in this session. */
  robotMs(): number | null;
  /** @throws {StoreError} */
  armWait(record: WaitRecord, at: { bootId: string; ms: number | null; seq: number }): Promise<Armed | 'lost' | null>;
  /** @throws {StoreError} */
  settleWait(number: number, outcome: WaitOutcome, input?: { bootId: string; seq: number; safeSeq: number }): Promise<SettleResult>;
  /** @throws {StoreError} */
  readWait(number: number): Promise<WaitState | null>;
  /** Reports that the wait's picture is no longer in Redis, so that the gateway draws it again. */
  waitMediaMissing(record: WaitRecord, hash: string): void;
  waitSettled(record: WaitRecord, outcome: WaitOutcome): void;
  traceWait(record: WaitRecord): Span | null;
  loseLease(): void;
  storeFailed(error: unknown): void;
}
