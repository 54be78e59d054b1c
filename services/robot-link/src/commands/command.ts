/** A command for a robot, its outcome, and the interface through which the queue writes it. */
import type { Attachment, ErrorCode, SoundRef } from '@perch/schema';
import type { CommandSpan } from './command-span.js';

export interface Command {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  sound?: SoundRef;
  /** Redis time, ms, after which the command is not written. */
  expires: number;
  requestId?: string;
  span?: CommandSpan;
  /** Redis time, ms, at which the call arrived at its gateway. Set for the first command of a call. */
  arrivedAt?: number;
  written?(): void;
  done(outcome: CommandOutcome): void;
}

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

/** Media of a command: a Buffer for each attachment; for a sound its first piece. */
export type Loaded = Buffer[];

export interface CommandPort {
  /** Redis time, ms. */
  now(): number;
  /** Reads the media of a command. @returns the hash of missing media, else the bytes. @throws {StoreError} */
  load(command: Command): Promise<Loaded | { missing: string }>;
  /** Writes a command with its media. @returns a problem, in which case nothing was written */
  write(command: Command, id: string, ttlMs: number, loaded: Loaded): { code: ErrorCode; error: string } | null;
  /** Called for each ack with ok, before the command's `done`. */
  commandAcked(command: Command, seconds: number, result: Record<string, unknown>): void;
  /** Called for each command, before its `done`. */
  commandEnded(command: Command, outcome: CommandOutcome): void;
}
