/**
 * One sound on its way to a robot, under the robot's flow control: never a byte beyond `received + free`.
 * It is read from Redis in pieces ahead of what is sent, so that a sound of any length costs two pieces of memory.
 */
import { encodeFrame, type SoundRef } from '@perch/schema';
import { pieceBytes, type MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';

/**
 * Bytes sent ahead of what the robot said it has, at most, however much room it has: more than it plays from one flow to the next (a quarter of a
 * second) and a second to begin with, and little beside what may wait for a robot that does not read (robot-socket.ts).
 */
const aheadBytesMax = 192 * 1024;

export interface SoundStreamOptions {
  sound: SoundRef;
  /** Number of the stream on the robot link. */
  stream: number;
  partBytesMax: number;
  socket: RobotSocket;
  media: MediaCache;
  /** The sound is gone from Redis: it cannot go on. */
  onGone(): void;
}

export class SoundStream {
  readonly #options: SoundStreamOptions;
  /** Bytes written, all from the beginning of the sound. */
  #sent = 0;
  /** The robot takes bytes up to here. */
  #limit = 0;
  /** Bytes the robot said it has. */
  #received = 0;
  /** The piece that is being sent, and the one after it. */
  readonly #pieces = new Map<number, Buffer>();
  #reading = false;
  #stopped = false;

  constructor(options: SoundStreamOptions) {
    this.#options = options;
  }

  get stream(): number {
    return this.#options.stream;
  }

  /** Begins at the beginning, with the buffer of the robot as credit. */
  begin(firstPiece: Buffer, credit: number): void {
    this.#pieces.set(0, firstPiece);
    this.#limit = Math.min(credit, aheadBytesMax);
    this.#pump();
  }

  /** Goes on where another session stopped: with the robot's next word on what it has and can take. */
  resume(): void {
    this.#sent = -1;
  }

  /** The robot's word on its buffer. */
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

  /** Bytes of the next part; 0 while the robot's room would make it a crumb. Samples are not torn. */
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

  /** A read that fails is tried again with the robot's next flow, four times a second. */
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
