/**
 * A robot's WebSocket: sends JSON and binary frames, and bounds the bytes that a robot leaves unread.
 * Extends ws's own class instead of wrapping it, because an idle robot must cost little memory.
 */
import { WebSocket } from 'ws';

/**
 * Maximum bytes buffered for a robot that does not read: four of the largest pictures (320x240 that PNG cannot compress) and the part of a sound that
 * is sent ahead.
 */
const unreadBytesMax = 2 * 1024 * 1024;
/**
 * If no buffered byte has left for this long, ms, the robot does not read. Node counts bytes that it handed to the kernel together as sent only when
 * all of them are.
 */
const stalledMs = 45_000;

export interface SocketOwner {
  readonly robot: string;
  onText(text: string): void;
  /** Handles a ping or pong frame of the WebSocket itself. */
  onControl(bytes: number): void;
  onClosed(code: number): void;
  /** Ends the session with a close code of the robot link. */
  close(code: number, reason: string): void;
}

export class RobotSocket extends WebSocket {
  owner: SocketOwner | null = null;
  #sentBytes = 0;
  #leftBytes = 0;
  #leftAt = 0;

  /** Replaces the close codes that ws itself uses by those of the robot link: 4008 for a frame that is too large, 4400 for a broken WebSocket. */
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

  /** Returns whether bytes are buffered and none has left for too long. Called at intervals. */
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

/** Shortens a reason to the 123 bytes that WebSocket allows; ws throws for more. */
function shortened(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > 123) short = short.slice(0, -8);
  return short;
}
