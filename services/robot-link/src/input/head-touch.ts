import type { InputOf } from '@perch/schema';
import { thresholds } from './thresholds.js';
import { belongsTo, type PressStart } from './screen-touch.js';

/**
 * One touch lasts from the first zone pressed to the last one released: a palm covers several zones, and a finger that slides changes zones. A finger
 * that slides slowly may touch none between two zones, so that a touch counts as ended only `betweenZonesMs` after its last release.
 */
const { petFromMs, joinMs, betweenZonesMs, strokeMsMin } = thresholds.head;

export type HeadEvent = (
  | { name: 'pat'; data: { ms: number } }
  | { name: 'pet'; data: { seconds: number } }
  | { name: 'stroke'; data: { direction: 'forward' | 'back' } }
) & {
  /** Input that completed it. */
  seq: number;
};

interface ZonePress {
  zone: number;
  seq: number;
  downMs: number;
  upMs: number | null;
}

export class HeadTouches {
  #began: PressStart | null = null;
  /** In the order in which they began. */
  #presses: ZonePress[] = [];
  /** Latest release, if no zone is pressed any more. */
  #released: { seq: number; ms: number; heldMs: number } | null = null;
  /** Result of the presses before `from`, which came after all of them were released, in case it does not belong to the same touch. */
  #before: { result: HeadEvent; from: number } | null = null;
  /** Zone that the finger slid to, by a swipe or a release, without a press of it after the latest press. */
  #slidTo: number | null = null;
  #stroked = false;
  #gapped = false;

  /** Start of the touch that has not ended: inputs from there on are still needed. */
  get unfinished(): PressStart | null {
    return this.#began;
  }

  /** Time by the robot's clock after which the touch has ended, ms; null while a zone is pressed, and without a touch. */
  get endsMs(): number | null {
    return this.#released && this.#released.ms + betweenZonesMs;
  }

  /** A press of another zone within `joinMs` continues the touch. Any other press begins a new one. @returns what the touch before it was */
  down({ zone, seq, ms }: InputOf<'head_down'>): HeadEvent | null {
    if (this.#goesOn(zone, ms)) {
      const result = this.#result();
      if (result !== null) this.#before = { result, from: this.#presses.length };
      this.#presses.push({ zone, seq, downMs: ms, upMs: null });
      this.#released = this.#slidTo = null;
      return null;
    }
    const before = this.settle();
    this.#began = { seq, ms };
    this.#presses = [{ zone, seq, downMs: ms, upMs: null }];
    this.#stroked = this.#gapped = false;
    return before;
  }

  /**
   * Returns a stroke; the touch it belongs to then yields no pat, pet or other stroke. A touch before it that a press in another direction seemed to
   * continue was one of its own.
   */
  swipe({ zone, dir, seq }: InputOf<'head_swipe'>): HeadEvent[] {
    const before = wayOf(this.#presses.map((press) => press.zone)) === dir ? null : this.split();
    this.#before = null;
    this.#slideTo(zone);
    this.#stroked = true;
    const stroke: HeadEvent = { name: 'stroke', data: { direction: dir }, seq };
    return before === null ? [stroke] : [before, stroke];
  }

  up(input: InputOf<'head_up'>): void {
    const began = this.#began;
    if (began === null || this.#released !== null) return;
    if (this.#gapped && !belongsTo(input, began)) return this.#end();
    const pressed = this.#pressed();
    // A finger that slid is released in a zone that was not pressed: it counts as the release of the first one.
    const press = pressed.find(({ zone }) => zone === input.zone) ?? pressed[0]!;
    press.upMs = input.ms;
    this.#slideTo(input.zone);
    if (pressed.length > 1) return;
    const heldMs = this.#presses.length > 1 ? Math.max(input.held_ms, input.ms - began.ms) : input.held_ms;
    this.#released = { seq: input.seq, ms: input.ms, heldMs };
  }

  /** Ends a touch whose last zone was released. @returns what it was; null after a swipe, and while a zone is pressed */
  settle(): HeadEvent | null {
    const result = this.#result();
    this.#end();
    return result;
  }

  /** Makes the presses before the latest pause a touch of their own. @returns what it was; null if there was no pause */
  split(): HeadEvent | null {
    if (this.#before === null) return null;
    const { result, from } = this.#before;
    this.#presses = this.#presses.slice(from);
    const { seq, downMs } = this.#presses[0]!;
    this.#began = { seq, ms: downMs };
    this.#before = null;
    return result;
  }

  /** Handles missing inputs: the end of the touch may be among them, and the next release may belong to another touch. */
  gap(): void {
    this.#gapped = true;
  }

  #result(): HeadEvent | null {
    if (this.#released === null || this.#stroked) return null;
    const { seq, heldMs } = this.#released;
    const direction = directionOf(this.#presses);
    if (direction !== null) return { name: 'stroke', data: { direction }, seq };
    return heldMs < petFromMs ? { name: 'pat', data: { ms: heldMs }, seq } : { name: 'pet', data: { seconds: heldMs / 1000 }, seq };
  }

  #goesOn(zone: number, ms: number): boolean {
    if (this.#began === null || ms - this.#began.ms > joinMs) return false;
    if (this.#released === null) return this.#pressed().every((press) => press.zone !== zone);
    const zones = this.#presses.map((press) => press.zone);
    return ms - this.#released.ms <= betweenZonesMs && wayOf([...zones, ...(this.#slidTo === null ? [] : [this.#slidTo]), zone]) !== null;
  }

  #slideTo(zone: number | undefined): void {
    if (zone !== undefined && this.#presses.every((press) => press.zone !== zone)) this.#slidTo = zone;
  }

  #pressed(): ZonePress[] {
    return this.#presses.filter(({ upMs }) => upMs === null);
  }

  #end(): void {
    this.#began = this.#released = this.#before = this.#slidTo = null;
    this.#presses = [];
  }
}

/** Returns whether the zones only rise (to the back) or only fall; null for one zone, and for all other orders. */
function wayOf(zones: readonly number[]): 'forward' | 'back' | null {
  if (zones.length < 2) return null;
  const steps = zones.slice(1).map((zone, index) => Math.sign(zone - zones[index]!));
  if (steps.every((step) => step === 1)) return 'back';
  return steps.every((step) => step === -1) ? 'forward' : null;
}

/** A finger leaves the zones in the order in which it came to them, and is on the first and the last one at once for less than half of the time. */
function directionOf(presses: readonly ZonePress[]): 'forward' | 'back' | null {
  const ups = presses.map(({ upMs }) => upMs ?? Infinity);
  const first = presses[0]!;
  const last = presses.at(-1)!;
  const spanMs = ups.at(-1)! - first.downMs;
  if (ups.some((ms, index) => index > 0 && ms < ups[index - 1]!) || last.downMs - first.downMs < strokeMsMin) return null;
  return ups[0]! - last.downMs < spanMs / 2 ? wayOf(presses.map(({ zone }) => zone)) : null;
}
