import type { CommandQueue } from '../commands/command-queue.js';
import type { RobotSocket } from '../connection/robot-socket.js';
import type { AckSender } from './context.js';

export interface OpenSession extends AckSender {
  readonly robot: string;
  readonly account: string;
  readonly bootId: string;
  /** Redis time, ms. */
  readonly openedAt: number;
  readonly socket: RobotSocket;
  readonly commands: CommandQueue;
  /** Highest number of an input that the session has read or an earlier one has stored. */
  readonly lastSeq: number;
  /** Redis time, ms. */
  now(): number;
  /** Saves the state of the robot in Redis, without waiting for it. */
  save(): void;
  close(code: 4400, reason: string): void;
}
