/** The two layers over the robot's own screen: a card, and above it a question, which expires. */

import type { Timers } from '../clock.js';
import type { Picture } from './incoming-media.js';

export type Layer = 'card' | 'question';
export interface Shown extends Picture {
  id: string;
  /** On the robot's clock: ms since boot. */
  shownMs: number;
}
export type Cleared = { layer: Layer; id: string; why: 'cleared' | 'replaced' | 'expired' };

export interface ScreenListener {
  picture(event: Shown & { layer: Layer }): void;
  clear(event: Cleared): void;
}

export class Screen {
  card: Shown | null = null;
  question: Shown | null = null;
  readonly #timers: Timers;
  readonly #nowMs: () => number;
  readonly #listener: ScreenListener;
  #expiry: () => void = () => undefined;

  constructor(timers: Timers, nowMs: () => number, listener: ScreenListener) {
    this.#timers = timers;
    this.#nowMs = nowMs;
    this.#listener = listener;
  }

  get covered(): boolean {
    return this.card !== null || this.question !== null;
  }

  show(layer: Layer, id: string, picture: Picture, showMs?: number): void {
    const old = this[layer];
    if (old) this.#take(layer, old, 'replaced');
    const shown: Shown = { id, ...picture, shownMs: this.#nowMs() };
    this[layer] = shown;
    if (layer === 'question' && showMs !== undefined) {
      this.#expiry = this.#timers.after(showMs, () => this.#take('question', shown, 'expired'));
    }
    this.#listener.picture({ layer, ...shown });
  }

  /** @param id only if this picture is showing; unset: any */
  clear(layer: Layer, id?: string): boolean {
    const shown = this[layer];
    if (!shown || (id !== undefined && shown.id !== id)) return false;
    this.#take(layer, shown, 'cleared');
    return true;
  }

  #take(layer: Layer, shown: Shown, why: Cleared['why']): void {
    if (this[layer] !== shown) return;
    if (layer === 'question') this.#expiry();
    this[layer] = null;
    this.#listener.clear({ layer, id: shown.id, why });
  }
}
