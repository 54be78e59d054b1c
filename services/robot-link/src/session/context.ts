import type { ClientAddresses, Tracing } from '@perch/runtime';
import { limits } from '@perch/schema';
import type { LimitFunction } from 'p-limit';
import type { RobotProgram } from '../http/robot-program.js';
import type { FrameQueue } from '../media/frame-queue.js';
import type { MediaCache } from '../media/media-cache.js';
import type { LinkMetrics } from '../metrics/link-metrics.js';
import type { LeaseContext } from './lease.js';
import type { RobotLog, UnreadableLog } from './robot-log.js';

/** The parts of an instance that its sessions share. */
export interface LinkContext extends LeaseContext {
  readonly tracing: Tracing | null;
  readonly addresses: ClientAddresses;
  /** In place of `metrics` in the context of a robot of a probe, which is in no figure. */
  readonly probeMetrics: LinkMetrics;
  readonly media: MediaCache;
  readonly frames: FrameQueue;
  readonly inputAcks: InputAcks;
  /** Limits the handshake steps in flight: thousands of robots that connect at once must not delay the commands of connected robots. */
  readonly handshakes: LimitFunction;
  readonly timing: Timing;
  readonly unreadable: UnreadableLog;
  readonly robotLog: RobotLog;
  readonly program: RobotProgram;
}

export interface Timing {
  helloMs: number;
  pingMs: number;
  sensorsMs: number;
  silenceMs: number;
  sweepMs: number;
  saveMs: number;
  /** Time after which the picture of a card that still shows is copied, ms; well within the minute for which it is kept anyway. */
  keepCardMs: number;
}

export const timing: Timing = {
  helloMs: limits.link.helloMs,
  pingMs: limits.link.pingMs,
  sensorsMs: limits.link.sensorsMs,
  silenceMs: limits.link.silenceMs,
  sweepMs: 1000,
  saveMs: 30_000,
  keepCardMs: 10_000,
};

const ackMs = 50;

/** Sends the acks of a session's inputs together with those of the next few ms, of all sessions. */
export class InputAcks {
  readonly #due = new Set<{ sendAck(): void }>();
  #timer: NodeJS.Timeout | null = null;

  later(inputs: { sendAck(): void }): void {
    this.#due.add(inputs);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const due = [...this.#due];
      this.#due.clear();
      for (const each of due) each.sendAck();
    }, ackMs);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
