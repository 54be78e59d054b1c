import { encodeFrame, type SoundRef } from '@perch/schema';
import { Credit } from './credit.js';
import type { MediaCache } from './media-cache.js';
import type { RobotSocket } from '../connection/robot-socket.js';

export interface SoundStreamOptions {
  sound: SoundRef;
  stream: number;
  partBytesMax: number;
  socket: RobotSocket;
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
