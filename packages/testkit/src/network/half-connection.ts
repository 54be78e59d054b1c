/** One direction of a line: what is read from one socket is written to the other, as the weather lets it. */
import type { Socket } from 'node:net';
import type { Chance, Direction, Weather } from './proxied-connection.js';

/** More than that under way, and no more is read. */
const underWayMax = 1 << 20;

export class LineHalf {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #direction: Direction;
  readonly #chance: Chance;
  /** In order; `null` is the end. */
  readonly #pieces: { bytes: Buffer | null; due: number }[] = [];
  #underWay = 0;
  #weather: Weather = {};
  /** Ends what is waited for before the next piece passes. */
  #unwait: (() => void) | null = null;

  constructor(from: Socket, to: Socket, direction: Direction, chance: Chance) {
    this.#from = from;
    this.#to = to;
    this.#direction = direction;
    this.#chance = chance;
    from.on('data', (bytes: Buffer) => this.#take(bytes));
    from.on('end', () => this.#take(null));
    // A line that is reset on one side is reset on the other.
    from.on('error', () => this.#lost());
    from.on('close', (failed) => {
      if (!failed) this.#take(null);
    });
    to.on('drain', () => this.#readOn());
    to.on('close', () => this.forget());
  }

  set weather(weather: Weather) {
    this.#weather = weather;
    this.#pass();
  }

  /** What is under way comes no more. */
  forget(): void {
    this.#unwait?.();
    this.#unwait = null;
    this.#pieces.length = 0;
    this.#underWay = 0;
  }

  #take(bytes: Buffer | null): void {
    if (this.#hit(this.#weather.swallow)) return;
    const due = Math.max(this.#pieces.at(-1)?.due ?? 0, performance.now() + this.#delayMs());
    for (const piece of bytes === null ? [null] : pieces(bytes, this.#weather.pieces ?? bytes.length)) this.#pieces.push({ bytes: piece, due });
    this.#underWay += bytes?.length ?? 0;
    this.#pass();
    if (this.#underWay > underWayMax || this.#to.writableNeedDrain) this.#from.pause();
  }

  #lost(): void {
    if (this.#hit(this.#weather.swallow) || this.#hit(this.#weather.hold)) return;
    this.forget();
    reset(this.#to);
  }

  #pass(): void {
    if (this.#unwait !== null || this.#hit(this.#weather.hold)) return;
    for (;;) {
      const next = this.#pieces[0];
      if (next === undefined) break;
      const waitMs = next.due - performance.now();
      // Pieces that follow one another at once would be one segment again.
      const apart = this.#weather.pieces !== undefined && this.#pieces.length > 1;
      if (waitMs > 0) return this.#passLater(waitMs);
      this.#pieces.shift();
      if (next.bytes === null) this.#to.end();
      else {
        this.#underWay -= next.bytes.length;
        if (this.#to.writable) this.#to.write(next.bytes);
      }
      if (apart) return this.#passLater(0);
    }
    this.#readOn();
  }

  #passLater(ms: number): void {
    const pass = (): void => {
      this.#unwait = null;
      this.#pass();
    };
    if (ms > 0) {
      const timer = setTimeout(pass, ms);
      this.#unwait = () => clearTimeout(timer);
    } else {
      // A timer of 0 takes a millisecond: a picture in tiny pieces would take minutes.
      const turn = setImmediate(pass);
      this.#unwait = () => clearImmediate(turn);
    }
  }

  #readOn(): void {
    if (this.#underWay <= underWayMax && !this.#to.writableNeedDrain) this.#from.resume();
  }

  #hit(direction: Direction | undefined): boolean {
    return direction === 'both' || direction === this.#direction;
  }

  #delayMs(): number {
    const [min, max] = this.#weather.delayMs ?? [0, 0];
    return min + this.#chance() * (max - min);
  }
}

/** Ends a socket without a goodbye. One that has sent its end cannot be reset any more: node would leave it open for ever. */
export function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function* pieces(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
