import type { Ack, Attachment, CardCountdown, CardPage, ErrorCode, SoundRef } from '@perch/schema';
import type { CommandOutcome } from './command-outcome.js';
import type { CommandSpan } from './command-span.js';

export interface Command {
  name: string;
  args: Record<string, unknown>;
  attachments?: Attachment[];
  sound?: SoundRef;
  /** For `screen.show`: shown one after the other once the robot has confirmed the command. */
  pages?: readonly CardPage[];
  /** As in WaitRecord: the picture of the command is the first of them. */
  greyPages?: readonly CardPage[];
  /** For `screen.show`: its seconds are shown once the robot has confirmed the command. */
  countdown?: CardCountdown;
  /** Redis time, ms, after which the command is not written. */
  expires: number;
  requestId?: string;
  span?: CommandSpan;
  /** Redis time, ms, at which the call arrived at its gateway. Set for the first command of a call. */
  arrivedAt?: number;
  written?(): void;
  done(outcome: CommandOutcome): void;
}

export type Loaded = Buffer[];

export interface CommandPort {
  /** Redis time, ms. */
  now(): number;
  /** @returns the hash of missing media, else the bytes @throws {StoreError} */
  load(command: Command): Promise<Loaded | { missing: string }>;
  write(command: Command, id: string, ttlMs: number, loaded: Loaded): { code: ErrorCode; error: string } | null;
  commandQueued(command: Command): void;
  /** Called for each ack with ok, before the command's `done`. */
  commandAcked(command: Command, seconds: number, ack: Extract<Ack, { ok: true }>): void;
  commandEnded(command: Command, outcome: CommandOutcome): void;
}
