import type { Timers } from '../clock.js';

export const gestures = ['nod', 'shake', 'home'] as const;
export type HeadGesture = (typeof gestures)[number];
export interface HeadState {
  /** Degrees; positive yaw is the robot's left, positive pitch is up. The target while the head is moving. */
  yaw: number;
  pitch: number;
  moving: boolean;
}

const yawMax = 128;
const pitchMin = 5;
const pitchMax = 85;
const home = { yaw: 0, pitch: 10 };
const degreesPerSecond = 120;
const gestureMs = 900;

export class Head implements HeadState {
  yaw = home.yaw;
  pitch = home.pitch;
  moving = false;
  readonly #timers: Timers;
  readonly #changed: (state: HeadState & { gesture: HeadGesture | null }) => void;
  #arrival: () => void = () => undefined;

  constructor(timers: Timers, changed: (state: HeadState & { gesture: HeadGesture | null }) => void) {
    this.#timers = timers;
    this.#changed = changed;
  }

  /** Moves in `durationMs`, or at 120 degrees per second. @returns the clamped target */
  move(target: { yaw?: number | undefined; pitch?: number | undefined }, durationMs?: number): { yaw: number; pitch: number } {
    const yaw = clamp(target.yaw ?? this.yaw, -yawMax, yawMax);
    const pitch = clamp(target.pitch ?? this.pitch, pitchMin, pitchMax);
    const degrees = Math.max(Math.abs(yaw - this.yaw), Math.abs(pitch - this.pitch));
    this.#go({ yaw, pitch }, durationMs ?? (degrees / degreesPerSecond) * 1000, null);
    return { yaw, pitch };
  }

  gesture(name: HeadGesture): void {
    this.#go(name === 'home' ? home : { yaw: this.yaw, pitch: this.pitch }, gestureMs, name);
  }

  #go(target: { yaw: number; pitch: number }, ms: number, gesture: HeadGesture | null): void {
    this.#arrival();
    Object.assign(this, target, { moving: true });
    this.#changed({ ...target, moving: true, gesture });
    this.#arrival = this.#timers.after(ms, () => {
      this.moving = false;
      this.#changed({ yaw: this.yaw, pitch: this.pitch, moving: false, gesture });
    });
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
