import type { Timers } from '../clock.js';

export const effects = ['rainbow', 'breathe', 'chase', 'blink', 'off'] as const;
export interface LedEffect {
  name: (typeof effects)[number];
  color: string | null;
  palette: string[] | null;
  speed: number;
  /** 0: until the next `leds.*` command. */
  seconds: number;
}
export interface LedState {
  /** Visible while there is no effect. */
  pixels: string[];
  effect: LedEffect | null;
}

export class Leds implements LedState {
  pixels: string[];
  effect: LedEffect | null = null;
  readonly #timers: Timers;
  readonly #changed: (state: LedState) => void;
  #expiry: () => void = () => undefined;

  constructor(count: number, timers: Timers, changed: (state: LedState) => void) {
    this.pixels = Array.from({ length: count }, () => '#000000');
    this.#timers = timers;
    this.#changed = changed;
  }

  set(pixels: string[]): void {
    this.#change(pixels, null);
  }

  run(effect: LedEffect): void {
    this.#change(this.pixels, effect);
    if (effect.seconds > 0) this.#expiry = this.#timers.after(effect.seconds * 1000, () => this.#change(this.pixels, null));
  }

  #change(pixels: string[], effect: LedEffect | null): void {
    this.#expiry();
    this.pixels = pixels;
    this.effect = effect;
    this.#changed({ pixels, effect });
  }
}
