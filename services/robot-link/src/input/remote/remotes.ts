import type { InputOf } from '@perch/schema';
import { thresholds } from '../thresholds.js';
import { decodeJvcRepeat } from './jvc.js';
import { pressOf, remoteOf, type Remote } from './remote.js';

const { repeatMs, differsFrom, differsFromUs } = thresholds.remote;

/** A code that is sent again while the button is held yields nothing. An instance that takes over meanwhile reports the press once more. */
export class Remotes {
  #last: Remote | null = null;
  #until = -Infinity;

  feed(input: InputOf<'ir'>): Record<string, unknown> | null {
    const remote = remoteOf(input);
    if (remote === null || remote === 'repeat') return null;
    const isHeld = input.ms <= this.#until && this.#last !== null && repeats(remote, this.#last);
    // The frames of a held JVC button are compared with the first one, which has its protocol.
    if (!isHeld) this.#last = remote;
    this.#until = input.ms + repeatMs;
    return isHeld ? null : remote.data;
  }
}

function repeats(remote: Remote, before: Remote): boolean {
  if (before.press === null) return false;
  if (remote.press === before.press) return !('code' in remote.data) || isSame(remote.frame, before.frame);
  const jvc = decodeJvcRepeat(remote.frame);
  return jvc !== null && pressOf(jvc) === before.press;
}

/** Two buttons of an unknown protocol may have the same code: all lengths have to agree as well. */
function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((us, index) => Math.abs(us - b[index]!) <= Math.max(differsFromUs, differsFrom * us));
}
