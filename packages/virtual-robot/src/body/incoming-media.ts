import { crc32 } from './crc32.js';
import { decodeFrame, type MediaFrame } from './media-frame.js';
import { badArgs, integerArg, Nack, textArg } from '../commands/args.js';
import type { Fields } from '../connection/messages.js';

export interface Picture {
  format: string;
  bytes: number;
  picture: Uint8Array;
}

/** An exception from `take` ends the stream. */
export interface Sink {
  readonly kind: MediaFrame['kind'];
  /** Infinity: not announced; the part with the flag last ends the stream. */
  bytes: number;
  received: number;
  take(payload: Uint8Array, offset: number): void;
  broken(problem: string): void;
}

/** The connection of the picture is closed. The command gets no ack. */
export class Abandoned extends Error {}

/** `whole` settles once: with the picture, a Nack, or Abandoned. */
export class IncomingPicture implements Sink {
  readonly kind = 'picture';
  bytes: number;
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
    // Avoids an unhandled rejection if the command was dropped before the picture fails.
    this.whole.catch(() => undefined);
  }

  take(payload: Uint8Array, offset: number): void {
    this.#buffer.set(payload, offset);
    this.received += payload.byteLength;
    if (this.received < this.bytes) return;
    const sum = crc32(this.#buffer);
    if (sum !== this.#crc32) throw badArgs(`crc32: the parts have ${sum}, announced was ${this.#crc32}`);
    this.#settle.resolve({ format: this.#format, bytes: this.bytes, picture: this.#buffer });
  }

  broken(problem: string): void {
    this.#settle.reject(badArgs(problem));
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }
}

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

/** Ended streams are remembered, so that their parts still in flight are not violations. */
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
    if (this.#open.has(stream)) throw badArgs(`stream: ${stream} is still in use`);
    this.#ended.delete(stream);
    this.#open.set(stream, sink);
  }

  end(stream: number): void {
    this.#open.delete(stream);
    this.#ended.delete(stream);
    this.#ended.add(stream);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= endedMax) break;
      this.#ended.delete(oldest);
    }
  }

  /** Their number may belong to an open stream. */
  refuse(stream: unknown): void {
    if (typeof stream === 'number' && !this.#open.has(stream)) this.end(stream);
  }

  /** A new connection does not continue pictures; a sound continues. */
  connectionLost(): void {
    this.#ended.clear();
    for (const [stream, sink] of [...this.#open]) {
      if (!(sink instanceof IncomingPicture)) continue;
      this.#open.delete(stream);
      sink.fail(new Abandoned('the connection closed before the picture was complete'));
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
    const isOpen = sink.bytes === Infinity;
    if (isOpen && frame.last) sink.bytes = sink.received + frame.payload.byteLength;
    const problem = problemOf(frame, sink, isOpen);
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

function problemOf(frame: MediaFrame, sink: Sink, isOpen: boolean): string | null {
  const after = sink.received + frame.payload.byteLength;
  if (frame.kind !== sink.kind) return `a part of kind ${frame.kind}, announced was ${sink.kind}`;
  if (frame.offset !== sink.received) return `a part at ${frame.offset}, ${sink.received} is next`;
  if (frame.payload.byteLength === 0 && !(isOpen && frame.last && sink.received > 0)) return 'an empty part';
  if (after > sink.bytes) return `parts up to ${after}, announced were ${sink.bytes} bytes`;
  if (frame.first !== (frame.offset === 0)) return `flag first is ${frame.first} at offset ${frame.offset}`;
  if (frame.last !== (after === sink.bytes)) return `flag last is ${frame.last} at ${after} of ${sink.bytes} bytes`;
  return null;
}
