/** The binary parts that follow a command: put together by stream, each part checked against what was announced. */

import { crc32 } from './crc32.js';
import { decodeFrame, type MediaFrame } from './media-frame.js';
import { badArgs, integerArg, Nack, textArg } from '../commands/args.js';
import type { Fields } from '../connection/messages.js';

export interface Picture {
  format: string;
  bytes: number;
  picture: Uint8Array;
}

/** What takes a stream's parts. It throws what is wrong with one; the stream is then over. */
export interface Sink {
  readonly kind: MediaFrame['kind'];
  readonly bytes: number;
  received: number;
  take(payload: Uint8Array, offset: number): void;
  broken(problem: string): void;
}

/** Thrown to a command whose picture cannot arrive any more because its connection is gone: it is forgotten, not answered. */
export class Abandoned extends Error {}

/** A picture on its way in. `whole` settles once: with the picture, a Nack, or Abandoned. */
export class IncomingPicture implements Sink {
  readonly kind = 'picture';
  readonly bytes: number;
  readonly whole: Promise<Picture>;
  received = 0;
  readonly #buffer: Uint8Array;
  readonly #format: string;
  readonly #crc32: number;
  #settle!: { resolve: (picture: Picture) => void; reject: (error: Error) => void };

  constructor(announced: { format: string; bytes: number; crc32: number }) {
    this.bytes = announced.bytes;
    this.#format = announced.format;
    this.#crc32 = announced.crc32;
    this.#buffer = new Uint8Array(announced.bytes);
    this.whole = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever ran the command may be gone by the time the picture fails.
    this.whole.catch(() => undefined);
  }

  take(payload: Uint8Array, offset: number): void {
    this.#buffer.set(payload, offset);
    this.received += payload.byteLength;
    if (this.received < this.bytes) return;
    const sum = crc32(this.#buffer);
    if (sum !== this.#crc32) throw badArgs(`crc32: the parts make ${sum}, announced was ${this.#crc32}`);
    this.#settle.resolve({ format: this.#format, bytes: this.bytes, picture: this.#buffer });
  }

  broken(problem: string): void {
    this.#settle.reject(badArgs(problem));
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }
}

/** Reads `stream, format, bytes, crc32` as a command announces a picture. */
export function readAnnouncedPicture(args: Fields, allowed: { formats: readonly string[]; bytesMax: number }) {
  const format = textArg(args, 'format', 16);
  if (!allowed.formats.includes(format)) throw badArgs(`format: one of ${allowed.formats.join(', ')}`);
  return {
    stream: integerArg(args, 'stream', 0, 0xffff),
    format,
    bytes: integerArg(args, 'bytes', 1, allowed.bytesMax),
    crc32: integerArg(args, 'crc32', 0, 0xffffffff),
  };
}

/** How many streams that are over are remembered, so that parts that were already on their way are no violation. */
const endedMax = 64;

export class IncomingMedia {
  readonly #open = new Map<number, Sink>();
  readonly #ended = new Set<number>();
  readonly #partBytesMax: number;
  readonly #violation: (what: string) => void;

  constructor(partBytesMax: number, violation: (what: string) => void) {
    this.#partBytesMax = partBytesMax;
    this.#violation = violation;
  }

  expect(stream: number, sink: Sink): void {
    if (this.#open.has(stream)) throw badArgs(`stream: ${stream} is still on its way`);
    this.#ended.delete(stream);
    this.#open.set(stream, sink);
  }

  /** Parts of this stream that still come are passed over. */
  end(stream: number): void {
    this.#open.delete(stream);
    this.#ended.delete(stream);
    this.#ended.add(stream);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= endedMax) break;
      this.#ended.delete(oldest);
    }
  }

  /** Passes over what follows a command that was refused, unless the number is another stream's. */
  refuse(stream: unknown): void {
    if (typeof stream === 'number' && !this.#open.has(stream)) this.end(stream);
  }

  /** A new connection knows nothing of the old one's pictures; a sound goes on. */
  connectionLost(): void {
    this.#ended.clear();
    for (const [stream, sink] of [...this.#open]) {
      if (!(sink instanceof IncomingPicture)) continue;
      this.#open.delete(stream);
      sink.fail(new Abandoned('the connection went before the picture was in'));
    }
  }

  take(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    if ('problem' in frame) return this.#violation(frame.problem);
    if (frame.payload.byteLength > this.#partBytesMax) {
      this.#violation(`a part of ${frame.payload.byteLength} bytes on stream ${frame.stream}, at most ${this.#partBytesMax}`);
    }
    const sink = this.#open.get(frame.stream);
    if (!sink) {
      if (!this.#ended.has(frame.stream)) this.#violation(`a part of unknown stream ${frame.stream}`);
      return;
    }
    const problem = whatIsWrong(frame, sink);
    if (problem) return this.#break(frame.stream, sink, problem);
    try {
      sink.take(frame.payload, frame.offset);
    } catch (error) {
      return this.#break(frame.stream, sink, error instanceof Nack ? error.message : String(error));
    }
    if (sink.received === sink.bytes) this.end(frame.stream);
  }

  #break(stream: number, sink: Sink, problem: string): void {
    this.#violation(`stream ${stream}: ${problem}`);
    this.end(stream);
    sink.broken(problem);
  }
}

function whatIsWrong(frame: MediaFrame, sink: Sink): string | null {
  const after = sink.received + frame.payload.byteLength;
  if (frame.kind !== sink.kind) return `a part of kind ${frame.kind}, announced was ${sink.kind}`;
  if (frame.offset !== sink.received) return `a part at ${frame.offset}, ${sink.received} is next`;
  if (frame.payload.byteLength === 0) return 'an empty part';
  if (after > sink.bytes) return `parts up to ${after}, announced were ${sink.bytes} bytes`;
  if (frame.first !== (frame.offset === 0)) return `flag first is ${frame.first} at offset ${frame.offset}`;
  if (frame.last !== (after === sink.bytes)) return `flag last is ${frame.last} at ${after} of ${sink.bytes} bytes`;
  return null;
}
