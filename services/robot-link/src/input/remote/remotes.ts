import type { InputOf } from '@perch/schema';
import { thresholds } from '../thresholds.js';
import { remoteOf } from './remote.js';

/** A code that is sent again while the button is held yields nothing. An instance that takes over meanwhile reports the press once more. */
export class Remotes {
  #press: string | null = null;
  #until = -Infinity;

  feed(input: InputOf<'ir'>): Record<string, unknown> | null {
    const remote = remoteOf(input);
    if (remote === null || remote === 'repeat') return null;
    const isHeld = remote.press !== null && remote.press === this.#press && input.ms <= this.#until;
    this.#press = remote.press;
    this.#until = input.ms + thresholds.remote.repeatMs;
    return isHeld ? null : remote.data;
  }
}
