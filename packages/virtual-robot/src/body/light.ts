/**
 * How bright the screen is. Programs set it, by the commands `screen` and `brightness`; a question, and a touch of a screen that cannot be read, light
 * it over that. Nothing that programs set is lost: it counts again as soon as neither lights the screen.
 */

import type { Timers } from '../clock.js';
import type { OwnState } from '../commands/own-commands.js';

/** Percent from which a screen can be read. */
const readableFromPct = 10;
/** Percent at which a screen is lit that could not be read: robots stand beside people who sleep. */
const litPct = 30;
/** For how long a touch lights a dark screen, ms. */
const touchedMs = 10_000;
/** For how long the screen stays lit after a question, so that the next one of a sequence does not flicker, ms. */
const askedMs = 2_000;

type Set = Pick<OwnState, 'screenOn' | 'brightness'>;

export class Light {
  readonly #set: Set;
  readonly #timers: Timers;
  readonly #changed: () => void;
  readonly #enabled: boolean;
  #asking = false;
  #isLit = false;
  #cancel: () => void = () => undefined;

  /** @param enabled whether the robot lights its screen itself */
  constructor(set: Set, timers: Timers, { enabled, changed }: { enabled: boolean; changed: () => void }) {
    this.#set = set;
    this.#timers = timers;
    this.#enabled = enabled;
    this.#changed = changed;
  }

  /** Percent; 0: the screen is dark. */
  get pct(): number {
    const { screenOn, brightness } = this.#set;
    if (!this.#isLit) return screenOn ? brightness : 0;
    if (brightness < readableFromPct) return litPct;
    return screenOn ? brightness : Math.min(brightness, litPct);
  }

  asked(asking: boolean): void {
    if (!this.#enabled || asking === this.#asking) return;
    this.#asking = asking;
    this.#light(asking ? null : askedMs);
  }

  /** Returns whether the touch that begins now meets a screen that cannot be read; it then lights it, and a later one keeps it lit. */
  touched(): boolean {
    if (!this.#enabled) return false;
    const dark = this.pct < readableFromPct;
    if ((dark || this.#isLit) && !this.#asking) this.#light(touchedMs);
    return dark;
  }

  #light(forMs: number | null): void {
    this.#cancel();
    this.#isLit = true;
    this.#cancel =
      forMs === null
        ? () => undefined
        : this.#timers.after(forMs, () => {
            this.#isLit = false;
            this.#changed();
          });
    this.#changed();
  }
}
