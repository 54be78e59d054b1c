import { encodeFrame, type SoundRef } from '@perch/schema';
import { type MediaCache, pieceBytes } from './media-cache.js';

interface SoundStreamOptions {
  sound: SoundRef;
  stream: number;
  partBytesMax: number;
  socket: { sendBinary(frame: Buffer): void };
  media: MediaCache;
  onGone(): void;
}

export abstract class OutgoingSound {
  protected readonly options: SoundStreamOptions;
  protected readonly credit: Credit;
  protected stopped = false;

  constructor(options: SoundStreamOptions) {
    this.options = options;
    this.credit = new Credit(options.partBytesMax);
  }

  get stream(): number {
    return this.options.stream;
  }

  begin(firstPiece: Buffer, credit: number): void {
    this.keep(firstPiece);
    this.credit.begin(credit);
    this.pump();
  }

  resume(): void {
    this.credit.resume();
  }

  onFlow(received: number, free: number): void {
    this.credit.onFlow(received, free);
    this.pump();
  }

  stop(): void {
    this.stopped = true;
    this.drop();
  }

  protected abstract keep(firstPiece: Buffer): void;
  protected abstract drop(): void;
  protected abstract pump(): void;

  protected sendPart(payload: Buffer, last: boolean): void {
    const offset = this.credit.sent;
    this.credit.sent += payload.length;
    const { stream, socket } = this.options;
    socket.sendBinary(encodeFrame({ kind: 'audio', first: offset === 0, last, stream, offset, payload }));
  }
}

/** Never sends a byte beyond `received + free`. Pieces are read ahead, so that a sound of any length takes the memory of two. */
export class SoundStream extends OutgoingSound {
  readonly #pieces = new Map<number, Buffer>();
  #reading = false;

  protected keep(firstPiece: Buffer): void {
    this.#pieces.set(0, firstPiece);
  }

  protected drop(): void {
    this.#pieces.clear();
  }

  protected pump(): void {
    const { sound } = this.options;
    while (!this.stopped && this.credit.sent >= 0 && this.credit.sent < sound.bytes) {
      const index = Math.floor(this.credit.sent / pieceBytes);
      const piece = this.#pieces.get(index);
      if (piece === undefined) return this.#read(index);
      const length = this.credit.nextPart(index * pieceBytes + piece.length - this.credit.sent);
      if (length === 0) break;
      this.#send(piece, index, length);
    }
    this.#readAhead();
  }

  #send(piece: Buffer, index: number, length: number): void {
    const start = this.credit.sent - index * pieceBytes;
    const last = this.credit.sent + length === this.options.sound.bytes;
    this.sendPart(piece.subarray(start, start + length), last);
    if (last || this.credit.sent === index * pieceBytes + piece.length) this.#pieces.delete(index);
  }

  #readAhead(): void {
    const { sound } = this.options;
    if (this.stopped || this.credit.sent < 0) return;
    const next = Math.floor(this.credit.sent / pieceBytes) + 1;
    if (next * pieceBytes < sound.bytes && !this.#pieces.has(next)) this.#read(next);
  }

  /** A failed read is retried with the robot's next flow message, four times a second. */
  #read(index: number): void {
    if (this.#reading) return;
    this.#reading = true;
    this.options.media.piece(this.options.sound, index).then(
      (piece) => {
        this.#reading = false;
        if (this.stopped) return;
        if (piece === null) return this.options.onGone();
        this.#pieces.set(index, piece);
        this.pump();
      },
      () => {
        this.#reading = false;
      },
    );
  }
}

/** Sends a sound that a renderer still makes. The robot does not know its length: the part with the flag last, which may be empty, ends it. */
const nothing = Buffer.alloc(0);
const readEveryMs = 60;
/** Redis did not answer for this long: the robot has run out of samples. */
const unreadMs = 5000;

export class GrowingSoundStream extends OutgoingSound {
  #unsent: Buffer = nothing;
  #ended = false;
  #lastSent = false;
  #reading = false;
  #timer: NodeJS.Timeout | null = null;
  #readAt = performance.now();

  protected keep(firstPiece: Buffer): void {
    this.#unsent = firstPiece;
  }

  protected drop(): void {
    this.#unsent = nothing;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  protected pump(): void {
    if (this.stopped || this.#lastSent || this.credit.sent < 0) return;
    while (this.#unsent.length > 0) {
      const length = this.credit.nextPart(this.#unsent.length);
      if (length === 0) break;
      this.#send(length);
    }
    if (this.#ended && this.#unsent.length === 0 && !this.#lastSent) this.#send(0);
    else if (!this.#ended && this.#unsent.length < pieceBytes && this.#timer === null) void this.#read();
  }

  #send(length: number): void {
    const payload = this.#unsent.subarray(0, length);
    this.#unsent = this.#unsent.subarray(length);
    this.#lastSent = this.#ended && this.#unsent.length === 0;
    this.sendPart(payload, this.#lastSent);
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const { media, sound } = this.options;
    const part = await media.growing(sound, this.credit.sent + this.#unsent.length).catch(() => undefined);
    this.#reading = false;
    if (this.stopped) return;
    if (part === null || (part === undefined && performance.now() - this.#readAt > unreadMs)) return this.options.onGone();
    if (part !== undefined) {
      this.#readAt = performance.now();
      // A renderer writes whole samples.
      this.#unsent = Buffer.concat([this.#unsent, part.bytes]);
      this.#ended = part.ended;
    }
    if (!this.#ended && (part?.bytes.length ?? 0) < pieceBytes) this.#readLater();
    this.pump();
  }

  #readLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.pump();
    }, readEveryMs);
  }
}

/** Ahead of what the robot has acknowledged: what it plays between two flow messages (a quarter of a second) plus a second at the start. */
const aheadBytesMax = 192 * 1024;

class Credit {
  /** Bytes written, from the start of the sound; -1 until the robot's first flow message after a resume. */
  sent = 0;
  #limit = 0;
  #received = 0;
  readonly #partBytesMax: number;

  constructor(partBytesMax: number) {
    this.#partBytesMax = partBytesMax - (partBytesMax % 2);
  }

  begin(bytes: number): void {
    this.#limit = Math.min(bytes, aheadBytesMax);
  }

  resume(): void {
    this.sent = -1;
  }

  onFlow(received: number, free: number): void {
    if (this.sent === -1) this.sent = received;
    this.#received = received;
    this.#limit = received + Math.min(free, aheadBytesMax);
  }

  /** Returns how many of the available bytes to send as the next part; 0 while the credit allows only a tiny part. Never splits a sample. */
  nextPart(available: number): number {
    const most = Math.min(this.#partBytesMax, available);
    const length = Math.min(most, this.#limit - this.sent);
    if (length >= most) return most;
    if (length < this.#partBytesMax / 2 && this.sent > this.#received) return 0;
    return Math.max(0, length - (length % 2));
  }
}
