/** Detects a robot that is silent, does not read, or sends too much. It has no timer of its own. */
import type { RobotSocket } from './robot-socket.js';

/** Sustained rate at which a robot may send, and the burst allowed for what it resends after a reconnect. */
const flood = { messagesPerS: 100, messagesBurst: 500, bytesPerS: 64 * 1024, bytesBurst: 2 * 1024 * 1024 };

export class Liveness {
  #receivedAt: number;
  #received = false;
  #pingAt: number;
  #messages = 0;
  #bytes = 0;

  constructor(now: number, pingMs: number) {
    this.#receivedAt = now;
    // Robots that connect together would be pinged together for good: 1,000 pings in one part of a sweep take 40 ms.
    this.#pingAt = now + Math.random() * pingMs;
  }

  received(bytes: number): boolean {
    this.#received = true;
    this.#messages += 1;
    this.#bytes += bytes;
    return this.#messages <= flood.messagesBurst && this.#bytes <= flood.bytesBurst;
  }

  check(now: number, elapsedMs: number, socket: RobotSocket, times: { silenceMs: number; pingMs: number }): 'silent' | 'slow' | 'ping' | null {
    this.#messages = Math.max(0, this.#messages - (flood.messagesPerS * elapsedMs) / 1000);
    this.#bytes = Math.max(0, this.#bytes - (flood.bytesPerS * elapsedMs) / 1000);
    if (this.#received) {
      this.#received = false;
      this.#receivedAt = now;
    }
    if (now - this.#receivedAt > times.silenceMs) return 'silent';
    if (socket.isStalled(now)) return 'slow';
    if (now < this.#pingAt) return null;
    this.#pingAt = now + times.pingMs;
    return 'ping';
  }
}
