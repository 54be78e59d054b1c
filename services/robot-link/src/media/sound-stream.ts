/**
 * Sends one sound to a robot under the robot's flow control: never a byte beyond `received + free`.
 * Pieces are read from Redis ahead of sending, so that a sound of any length takes the memory of two pieces.
 */
import { encodeFrame, type SoundRef } from '@perch/schema';
import { pieceBytes, type MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';

/**
 * Maximum bytes sent ahead of what the robot has acknowledged, however large its buffer: more than it plays between two flow messages (a quarter of a
 * second) plus a second at the start, and little compared to the limit of unread bytes (robot-socket.ts).
 */
const aheadBytesMax = 192 * 1024;

export interface SoundStreamOptions {
  sound: SoundRef;
  stream: number;
  partBytesMax: number;
  socket: RobotSocket;
  media: MediaCache;
  /** Called when Redis no longer has the sound, which then cannot continue. */
  onGone(): void;
}

export class SoundStream {
  readonly #options: SoundStreamOptions;
  /** Bytes written, from the start of the sound; -1 until the robot's first flow message after a resume. */
  #sent = 0;
  /** Offset up to which the robot accepts bytes. */
  #limit = 0;
  #received = 0;
  /** The piece being sent and the next one. */
  readonly #pieces = new Map<number, Buffer>();
  #reading = false;
  #stopped = false;

  constructor(options: SoundStreamOptions) {
    this.#options = options;
  }

  get stream(): number {
    return this.#options.stream;
  }

  /** Starts at the beginning of the sound, with the robot's buffer as credit. */
  begin(firstPiece: Buffer, credit: number): void {
    this.#pieces.set(0, firstPiece);
    this.#limit = Math.min(credit, aheadBytesMax);
    this.#pump();
  }

  /** Continues the stream of an earlier session, from the offset in the robot's next flow message. */
  resume(): void {
    this.#sent = -1;
  }

  onFlow(received: number, free: number): void {
    if (this.#sent === -1) this.#sent = received;
    this.#received = received;
    this.#limit = received + Math.min(free, aheadBytesMax);
    this.#pump();
  }

  stop(): void {
    this.#stopped = true;
    this.#pieces.clear();
  }

  #pump(): void {
    const { sound } = this.#options;
    while (!this.#stopped && this.#sent >= 0 && this.#sent < sound.bytes) {
      const index = Math.floor(this.#sent / pieceBytes);
      const piece = this.#pieces.get(index);
      if (piece === undefined) return this.#read(index);
      const length = this.#nextPart(index, piece);
      if (length === 0) break;
      this.#send(piece, index, length);
    }
    this.#readAhead();
  }

  /** Returns the bytes of the next part; 0 while the robot's credit allows only a tiny part. Never splits a sample. */
  #nextPart(index: number, piece: Buffer): number {
    const partBytesMax = this.#options.partBytesMax - (this.#options.partBytesMax % 2);
    const most = Math.min(partBytesMax, index * pieceBytes + piece.length - this.#sent);
    const length = Math.min(most, this.#limit - this.#sent);
    if (length >= most) return most;
    if (length < partBytesMax / 2 && this.#sent > this.#received) return 0;
    return Math.max(0, length - (length % 2));
  }

  #send(piece: Buffer, index: number, length: number): void {
    const { sound, stream, socket } = this.#options;
    const offset = this.#sent;
    const start = offset - index * pieceBytes;
    this.#sent += length;
    const last = this.#sent === sound.bytes;
    socket.sendBinary(encodeFrame({ kind: 'audio', first: offset === 0, last, stream, offset, payload: piece.subarray(start, start + length) }));
    if (last || this.#sent === index * pieceBytes + piece.length) this.#pieces.delete(index);
  }

  #readAhead(): void {
    const { sound } = this.#options;
    if (this.#stopped || this.#sent < 0) return;
    const next = Math.floor(this.#sent / pieceBytes) + 1;
    if (next * pieceBytes < sound.bytes && !this.#pieces.has(next)) this.#read(next);
  }

  /** Reads a piece. A failed read is retried with the robot's next flow message, four times a second. */
  #read(index: number): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#options.media.piece(this.#options.sound, index).then(
      (piece) => {
        this.#reading = false;
        if (this.#stopped) return;
        if (piece === null) return this.#options.onGone();
        this.#pieces.set(index, piece);
        this.#pump();
      },
      () => {
        this.#reading = false;
      },
    );
  }
}
