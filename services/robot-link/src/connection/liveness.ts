/** Whether a robot is alive, reads what it is sent, and keeps within what it may send. Looked at by the instance's one timer. */
import type { RobotSocket } from './robot-socket.js';

/** What a robot may send: on the whole so much a second, and so much at once (it sends again what was not acked). */
const flood = { messagesPerS: 100, messagesBurst: 500, bytesPerS: 64 * 1024, bytesBurst: 2 * 1024 * 1024 };

export class Liveness {
  #heardAt: number;
  #heard = false;
  #pingAt: number;
  #messages = 0;
  #bytes = 0;

  /** @param now performance.now(), as below */
  constructor(now: number, pingMs: number) {
    this.#heardAt = now;
    this.#pingAt = now + pingMs;
  }

  /** Any message counts as life. @returns false when the robot floods */
  heard(bytes: number): boolean {
    this.#heard = true;
    this.#messages += 1;
    this.#bytes += bytes;
    return this.#messages <= flood.messagesBurst && this.#bytes <= flood.bytesBurst;
  }

  /** What is to be done about the robot after `elapsedMs` since the last look. */
  look(now: number, elapsedMs: number, socket: RobotSocket, times: { silenceMs: number; pingMs: number }): 'silent' | 'slow' | 'ping' | null {
    this.#messages = Math.max(0, this.#messages - (flood.messagesPerS * elapsedMs) / 1000);
    this.#bytes = Math.max(0, this.#bytes - (flood.bytesPerS * elapsedMs) / 1000);
    if (this.#heard) {
      this.#heard = false;
      this.#heardAt = now;
    }
    if (now - this.#heardAt > times.silenceMs) return 'silent';
    if (socket.isStalled(now)) return 'slow';
    if (now < this.#pingAt) return null;
    this.#pingAt = now + times.pingMs;
    return 'ping';
  }
}
