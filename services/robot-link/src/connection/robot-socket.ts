/**
 * A robot's WebSocket: JSON and binary frames out, with the bound on what a robot may leave unread.
 * It is ws's own object with a few fields more, since an idle robot must stay small.
 */
import { WebSocket } from 'ws';

/** What may wait for a robot that does not read, bytes; four of the largest pictures (320x240 that no PNG makes smaller) and what a sound is ahead fit. */
const unreadBytesMax = 2 * 1024 * 1024;
/** Bytes that wait without one leaving for this long, ms: the robot does not read. Node counts what it gave to the kernel in one go as left when all of it has. */
const stalledMs = 45_000;

/** Whoever handles the frames of a socket. */
export interface SocketOwner {
  readonly robot: string;
  onText(text: string): void;
  /** A ping or pong of the WebSocket itself, with so many bytes. */
  onControl(bytes: number): void;
  onClosed(code: number): void;
  /** Ends the session with a close code of the link. */
  close(code: number, reason: string): void;
}

export class RobotSocket extends WebSocket {
  owner: SocketOwner | null = null;
  #sentBytes = 0;
  #leftBytes = 0;
  #leftAt = 0;

  /** Closes with the robot link's codes where ws itself would use its own: too large is 4008, no proper WebSocket is 4400. */
  override close(code?: number, reason = ''): void {
    super.close(code === 1009 || code === 1008 ? 4008 : code === 1002 || code === 1007 ? 4400 : code, shortened(reason));
  }

  sendJson(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    if (this.readyState !== WebSocket.OPEN) return;
    this.#sentBytes += text.length;
    this.send(text);
    this.#bound();
  }

  sendBinary(frame: Buffer): void {
    if (this.readyState !== WebSocket.OPEN) return;
    this.#sentBytes += frame.length;
    this.send(frame);
    this.#bound();
  }

  /** Whether bytes wait and none has left for too long. Asked now and then. */
  isStalled(nowMs: number): boolean {
    const waiting = this.bufferedAmount;
    const left = this.#sentBytes - waiting;
    if (waiting === 0 || left !== this.#leftBytes) {
      this.#leftBytes = left;
      this.#leftAt = nowMs;
      return false;
    }
    return nowMs - this.#leftAt > stalledMs;
  }

  #bound(): void {
    if (this.bufferedAmount <= unreadBytesMax) return;
    this.close(4008, 'too slow');
    // A robot that does not read will not answer the close either.
    this.terminate();
  }
}

/** WebSocket takes 123 bytes of reason and throws at more. */
function shortened(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > 123) short = short.slice(0, -8);
  return short;
}
