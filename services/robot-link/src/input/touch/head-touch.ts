/** One touch lasts from the first zone pressed to the last one released: a palm covers several zones, and a finger that slides changes zones. */
import type { InputOf } from '@perch/schema';
import { thresholds } from '../thresholds.js';
import { belongsTo, type PressStart } from './press.js';

const { petFromMs, joinMs } = thresholds.head;

export type HeadEvent =
  | { name: 'pat'; data: { ms: number } }
  | { name: 'pet'; data: { seconds: number } }
  | { name: 'stroke'; data: { direction: 'forward' | 'back' } };

export class HeadTouches {
  #began: PressStart | null = null;
  #zones: number[] = [];
  #severalZones = false;
  #stroked = false;
  #gapped = false;

  /** Start of the touch that has not ended: inputs from there on are still needed. */
  get unfinished(): PressStart | null {
    return this.#began;
  }

  /** A press of another zone within `joinMs` continues the touch. Any other press begins a new one; the unfinished one yields nothing. */
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

  /** Returns a stroke; the touch it belongs to then yields no pat or pet. */
  swipe({ dir }: InputOf<'head_swipe'>): HeadEvent {
    this.#stroked = true;
    return { name: 'stroke', data: { direction: dir } };
  }

  /** @returns the pat or pet when the touch ends; null while it continues, after a stroke, or if its beginning is unknown */
  up(input: InputOf<'head_up'>): HeadEvent | null {
    const began = this.#began;
    if (began === null) return null;
    if (this.#gapped && !belongsTo(input, began)) return this.#end();
    const index = this.#zones.indexOf(input.zone);
    // A finger that slid is released in a zone that was not pressed: it counts as the release of the first one.
    this.#zones.splice(Math.max(0, index), 1);
    if (this.#zones.length > 0) return null;
    const heldMs = this.#severalZones ? Math.max(input.held_ms, input.ms - began.ms) : input.held_ms;
    const stroked = this.#stroked;
    this.#end();
    if (stroked) return null;
    return heldMs < petFromMs ? { name: 'pat', data: { ms: heldMs } } : { name: 'pet', data: { seconds: heldMs / 1000 } };
  }

  giveUp(): void {
    this.#end();
  }

  /** Handles missing inputs: the end of the touch may be among them, and the next release may belong to another touch. */
  gap(): void {
    this.#gapped = true;
  }

  #end(): null {
    this.#began = null;
    return null;
  }
}
