/**
 * A hand on the head: pat, pet or stroke. One touch lasts from the first zone pressed to the last one released: a palm covers several zones,
 * and a finger that slides is pressed in one zone and released in another.
 */
import type { InputOf } from '@perch/schema';
import { belongsTo, type Began } from './press.js';

/** From here on, ms, a pat is a pet. */
const petFromMs = 700;
/** A zone pressed that long after the touch began is another touch: the first one's end never came. */
const joinMs = 30_000;

export type HeadEvent =
  | { name: 'pat'; data: { ms: number } }
  | { name: 'pet'; data: { seconds: number } }
  | { name: 'stroke'; data: { direction: 'forward' | 'back' } };

export class HeadTouches {
  #began: Began | null = null;
  /** Zones pressed and not yet released. */
  #zones: number[] = [];
  #severalZones = false;
  #stroked = false;
  #gapped = false;

  /** The touch that has not ended, or null. */
  get unfinished(): Began | null {
    return this.#began;
  }

  /** A zone is pressed: a touch begins or goes on. One whose end cannot come any more is given up. */
  down({ zone, seq, ms }: InputOf<'head_down'>): void {
    const goesOn = this.#began !== null && !this.#zones.includes(zone) && ms - this.#began.ms <= joinMs;
    if (goesOn) {
      this.#zones.push(zone);
      this.#severalZones = true;
      return;
    }
    this.#began = { seq, ms };
    this.#zones = [zone];
    this.#severalZones = this.#stroked = this.#gapped = false;
  }

  /** Swallows the pat or pet of the touch it is part of. */
  swipe({ dir }: InputOf<'head_swipe'>): HeadEvent {
    this.#stroked = true;
    return { name: 'stroke', data: { direction: dir } };
  }

  /** @returns the pat or pet when the touch ends, null while it goes on, after a stroke, and when its beginning is not known */
  up(input: InputOf<'head_up'>): HeadEvent | null {
    const began = this.#began;
    if (began === null) return null;
    if (this.#gapped && !belongsTo(input, began)) return this.#end();
    const index = this.#zones.indexOf(input.zone);
    this.#zones.splice(Math.max(0, index), 1);
    if (this.#zones.length > 0) return null;
    const heldMs = this.#severalZones ? Math.max(input.held_ms, input.ms - began.ms) : input.held_ms;
    const stroked = this.#stroked;
    this.#end();
    if (stroked) return null;
    return heldMs < petFromMs ? { name: 'pat', data: { ms: heldMs } } : { name: 'pet', data: { seconds: heldMs / 1000 } };
  }

  /** Forgets the unfinished touch: one of its inputs was unreadable. */
  giveUp(): void {
    this.#end();
  }

  /** Inputs are missing: the end may be among them, and the next one another touch's. */
  gap(): void {
    this.#gapped = true;
  }

  #end(): null {
    this.#began = null;
    return null;
  }
}
