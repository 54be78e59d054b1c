import { createHash } from 'crypto';

/** The only source of randomness of a run. Forked by name, so that a seed and a round give one schedule, whatever was drawn before. */
export class Random {
  readonly seed: string;
  #state: number;

  constructor(seed: string) {
    this.seed = seed;
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  fork(name: string | number): Random {
    return new Random(`${this.seed}/${name}`);
  }

  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws {RangeError} `from` is empty */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('nothing to pick from');
    return from[this.int(0, from.length - 1)] as T;
  }

  shuffle<T>(from: readonly T[]): T[] {
    const shuffled = [...from];
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = this.int(0, at);
      [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
    }
    return shuffled;
  }
}
