import type { Socket } from 'node:net';
import type { Chance, Direction, NetworkConditions } from './network-conditions.js';

const bufferedBytesMax = 1 << 20;

export class HalfConnection {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #direction: Direction;
  readonly #chance: Chance;
  readonly #queue: { bytes: Buffer | null; due: number }[] = [];
  #bufferedBytes = 0;
  #conditions: NetworkConditions = {};
  #cancelWait: (() => void) | null = null;

  constructor(from: Socket, to: Socket, direction: Direction, chance: Chance) {
    this.#from = from;
    this.#to = to;
    this.#direction = direction;
    this.#chance = chance;
    from.on('data', (bytes: Buffer) => this.#take(bytes));
    from.on('end', () => this.#take(null));
    from.on('error', () => this.#fail());
    from.on('close', (failed) => {
      if (!failed) this.#take(null);
    });
    to.on('drain', () => this.#resumeReading());
    to.on('close', () => this.forget());
  }

  set conditions(conditions: NetworkConditions) {
    this.#conditions = conditions;
    this.#pass();
  }

  forget(): void {
    this.#cancelWait?.();
    this.#cancelWait = null;
    this.#queue.length = 0;
    this.#bufferedBytes = 0;
  }

  #take(bytes: Buffer | null): void {
    if (this.#applies(this.#conditions.drop)) return;
    const due = Math.max(this.#queue.at(-1)?.due ?? 0, performance.now() + this.#delayMs());
    for (const chunk of bytes === null ? [null] : chunks(bytes, this.#conditions.chunkBytes ?? bytes.length)) this.#queue.push({ bytes: chunk, due });
    this.#bufferedBytes += bytes?.length ?? 0;
    this.#pass();
    if (this.#bufferedBytes > bufferedBytesMax || this.#to.writableNeedDrain) this.#from.pause();
  }

  #fail(): void {
    if (this.#applies(this.#conditions.drop) || this.#applies(this.#conditions.hold)) return;
    this.forget();
    reset(this.#to);
  }

  #pass(): void {
    if (this.#cancelWait !== null || this.#applies(this.#conditions.hold)) return;
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined) break;
      const waitMs = next.due - performance.now();
      // Chunks written without a pause would be merged into one segment.
      const apart = this.#conditions.chunkBytes !== undefined && this.#queue.length > 1;
      if (waitMs > 0) return this.#passAfter(waitMs);
      this.#queue.shift();
      if (next.bytes === null) this.#to.end();
      else {
        this.#bufferedBytes -= next.bytes.length;
        if (this.#to.writable) this.#to.write(next.bytes);
      }
      if (apart) return this.#passAfter(0);
    }
    this.#resumeReading();
  }

  #passAfter(ms: number): void {
    const pass = (): void => {
      this.#cancelWait = null;
      this.#pass();
    };
    if (ms > 0) {
      const timer = setTimeout(pass, ms);
      this.#cancelWait = () => clearTimeout(timer);
    } else {
      // A timer of 0 takes a millisecond, so that a picture in tiny chunks would take minutes.
      const immediate = setImmediate(pass);
      this.#cancelWait = () => clearImmediate(immediate);
    }
  }

  #resumeReading(): void {
    if (this.#bufferedBytes <= bufferedBytesMax && !this.#to.writableNeedDrain) this.#from.resume();
  }

  #applies(direction: Direction | undefined): boolean {
    return direction === 'both' || direction === this.#direction;
  }

  #delayMs(): number {
    const [min, max] = this.#conditions.delayMs ?? [0, 0];
    return min + this.#chance() * (max - min);
  }
}

/** A socket that has already sent its end is destroyed instead: Node would leave it open forever. */
export function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function* chunks(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
