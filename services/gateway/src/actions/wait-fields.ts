/** What the answers of ask, menu and clickmap have in common. */
import type { Ended } from '../wait-calls.js';

export function waitFields({ outcome }: Ended): { outcome: Ended['outcome']; timed_out: boolean; replaced: boolean } {
  return { outcome, timed_out: outcome === 'timed_out', replaced: outcome === 'replaced' };
}
