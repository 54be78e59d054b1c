/** A finger on the screen: a `touch_down` and its `touch_up` make one touch; its length says what it is. */
import type { InputOf } from '@perch/schema';
import { belongsTo, type Began } from './press.js';

/** From here on, ms, a touch is long. */
const longFromMs = 800;

/** A finished touch; screen pixels, the robot's clock. */
export interface ScreenTouch {
  kind: 'touch';
  /** Where it began. */
  x: number;
  y: number;
  endX: number;
  endY: number;
  heldMs: number;
  downMs: number;
  downSeq: number;
  upSeq: number;
  /** Id of the tappable picture it hit, as the robot says. */
  sprite?: string;
}

export class ScreenTouches {
  #down: InputOf<'touch_down'> | null = null;
  #gapped = false;

  /** The touch that has not ended, or null. */
  get unfinished(): Began | null {
    return this.#down;
  }

  /** A finger is down; an earlier one whose end never came is given up. */
  down(input: InputOf<'touch_down'>): void {
    this.#down = input;
    this.#gapped = false;
  }

  /** @returns the touch, or null when where it began is not known */
  up(input: InputOf<'touch_up'>): ScreenTouch | null {
    const down = this.#down;
    this.#down = null;
    if (down === null || (this.#gapped && !belongsTo(input, down))) return null;
    return {
      kind: 'touch',
      x: down.x,
      y: down.y,
      endX: input.x,
      endY: input.y,
      heldMs: input.held_ms,
      downMs: down.ms,
      downSeq: down.seq,
      upSeq: input.seq,
      ...(input.sprite === undefined ? {} : { sprite: input.sprite }),
    };
  }

  /** Forgets the unfinished touch: one of its inputs was unreadable. */
  giveUp(): void {
    this.#down = null;
  }

  /** Inputs are missing: the end may be among them, and the next one another touch's. */
  gap(): void {
    this.#gapped = true;
  }
}

/** Whether it is too long for a tap. */
export function isLong(touch: Pick<ScreenTouch, 'heldMs'>): boolean {
  return touch.heldMs >= longFromMs;
}

/** The event of a touch that answers no wait; it lies where it began. */
export function touchEvent(touch: ScreenTouch): { name: 'tap' | 'long_press'; data: Record<string, unknown> } {
  const { x, y, sprite } = touch;
  if (isLong(touch)) return { name: 'long_press', data: { x, y } };
  return { name: 'tap', data: sprite === undefined ? { x, y } : { x, y, sprite } };
}
