/** How long a sound plays. */
import { scoreOf, type SoundSpec } from './score.js';

/**
 * In ms, exactly the length of what `synthesize` makes of it: a melody's entries, rests included, and what a bell rings on after them (at most 1.8 s).
 * @throws as `synthesize` does
 */
export function soundDurationMs(spec: SoundSpec): number {
  return scoreOf(spec).ms;
}
