import { WebSocket } from 'ws';

// Bounds the bytes that a robot leaves unread. Extends ws's own class instead of wrapping it, because an idle robot must cost little memory.

/** Four of the largest pictures (320x240 that PNG cannot compress) and the part of a sound that is sent ahead. */
const unreadBytesMax = 2 * 1024 * 1024;
/** If no buffered byte leaves for this long, ms, the robot does not read. Node counts bytes handed over together as sent only when all are. */
const stalledMs = 45_000;

export interface SocketOwner {
  readonly robot: string;
  onText(text: string): void;
  onControl(bytes: number): void;
  onClosed(code: number): void;
  close(code: number, reason: string): void;
}

/** Handles the events of all sockets of a server. */
export interface SocketEvents {
  message(socket: RobotSocket, data: Buffer, isBinary: boolean): void;
  /** A ping or a pong. */
  control(socket: RobotSocket, data: Buffer): void;
  closed(socket: RobotSocket, code: number): void;
}

export class RobotSocket extends WebSocket {
  owner: SocketOwner | null = null;
  events: SocketEvents | null = null;
  #sentBytes = 0;
  #leftBytes = 0;
  #leftAt = 0;
  /** The list of the receiver in which ws collects the fragments of a message. */
  #fragments: Buffer[] | null = null;

  /** Replaces ws's close codes by those of the robot link: 4008 for a frame that is too large, 4400 for a broken WebSocket. */
  override close(code?: number, reason = ''): void {
    super.close(code === 1009 || code === 1008 ? 4008 : code === 1002 || code === 1007 ? 4400 : code, shortened(reason));
  }

  /**
   * Calls `events` in the place of listeners, which each socket would keep in a table of its own (0.3 kB). Ignores errors: ws closes the connection
   * after one.
   */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    switch (event) {
      case 'message':
        this.#reuseFragments();
        this.events?.message(this, args[0] as Buffer, args[1] as boolean);
        return true;
      case 'ping':
      case 'pong':
        this.events?.control(this, args[0] as Buffer);
        return true;
      case 'close':
        this.events?.closed(this, args[0] as number);
        break;
      case 'error':
        return true;
    }
    return super.emit(event, ...args);
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

  /**
   * Gives ws's receiver its list of fragments back, empty. ws itself makes another list for each message. The list of a robot that reports every 2 s is
   * in V8's old generation by the next report, and keeps what it last had alive until a major collection: 1 kB for each report, and scavenges of 15 ms in
   * place of 5 with 10,000 robots.
   */
  #reuseFragments(): void {
    const { _receiver: receiver } = this as unknown as { _receiver?: { _fragments?: Buffer[] } };
    if (receiver?._fragments === undefined) return;
    if (this.#fragments === null) this.#fragments = receiver._fragments;
    else {
      this.#fragments.length = 0;
      receiver._fragments = this.#fragments;
    }
  }

  #bound(): void {
    if (this.bufferedAmount <= unreadBytesMax) return;
    this.close(4008, 'too slow');
    // A robot that does not read will not answer the close either.
    this.terminate();
  }
}

/** WebSocket allows 123 bytes; ws throws for more. */
function shortened(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > 123) short = short.slice(0, -8);
  return short;
}

// Detects a robot that is silent, does not read, or sends too much. It has no timer of its own.

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
