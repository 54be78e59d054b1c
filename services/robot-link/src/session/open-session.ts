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
  /** Redis time, ms. */
  now(): number;
  close(code: 4400, reason: string): void;
}
