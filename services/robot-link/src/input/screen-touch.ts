import { limits, type InputOf } from '@perch/schema';
import { pixelAt } from '@perch/screen';
import { thresholds } from './thresholds.js';

const { longFromMs, outsidePx } = thresholds.screen;
const { w, h } = limits.screen;

/** A finished touch: screen pixels, times by the robot's clock. */
export interface ScreenTouch {
  kind: 'touch';
  /** Pixel of the screen where it began, or the nearest one. */
  x: number;
  y: number;
  endX: number;
  endY: number;
  heldMs: number;
  downMs: number;
  downSeq: number;
  upSeq: number;
  /** It began so far outside the screen that it answers nothing. */
  outside?: true;
  /** It began on a screen that could not be read, and lit it. */
  dark?: true;
  /** Id of the tappable picture that the touch hit, as the robot reports it. */
  sprite?: string;
}

export class ScreenTouches {
  #down: InputOf<'touch_down'> | null = null;
  #gapped = false;

  get unfinished(): PressStart | null {
    return this.#down;
  }

  down(input: InputOf<'touch_down'>): void {
    this.#down = input;
    this.#gapped = false;
  }

  up(input: InputOf<'touch_up'>): ScreenTouch | null {
    const down = this.#down;
    this.#down = null;
    if (down === null || (this.#gapped && !belongsTo(input, down))) return null;
    return {
      kind: 'touch',
      x: pixelAt(down.x, w),
      y: pixelAt(down.y, h),
      endX: input.x,
      endY: input.y,
      heldMs: input.held_ms,
      downMs: down.ms,
      downSeq: down.seq,
      upSeq: input.seq,
      ...((isOutside(down.x, w) || isOutside(down.y, h)) && { outside: true }),
      ...(down.dark === true && { dark: true }),
      ...(input.sprite === undefined ? {} : { sprite: input.sprite }),
    };
  }

  giveUp(): void {
    this.#down = null;
  }

  /** The end of the touch may be among the missing inputs, and the next release may belong to another touch. */
  gap(): void {
    this.#gapped = true;
  }
}

function isOutside(at: number, size: number): boolean {
  return at < -outsidePx || at > size - 1 + outsidePx;
}

export function isLong(touch: Pick<ScreenTouch, 'heldMs'>): boolean {
  return touch.heldMs >= longFromMs;
}

/** Returns the event of a touch that answers no wait, at the position where it began. @param early whether it lay on a target, but began too soon */
export function touchEvent(touch: ScreenTouch, early = false): { name: 'tap' | 'long_press'; data: Record<string, unknown> } {
  const { x, y, sprite } = touch;
  const soon = early ? { early } : {};
  if (isLong(touch)) return { name: 'long_press', data: { x, y, ...soon } };
  return { name: 'tap', data: { x, y, ...(sprite === undefined ? {} : { sprite }), ...soon } };
}

export interface PressStart {
  seq: number;
  ms: number;
}

/** Maximum difference between a press and its release about the time of the press, ms. */
const toleranceMs = 100;

/** Compares with the time at which the release says the press began. Needed where inputs in between are missing. */
export function belongsTo(release: { ms: number; held_ms: number }, press: PressStart): boolean {
  return Math.abs(release.ms - release.held_ms - press.ms) <= toleranceMs;
}
