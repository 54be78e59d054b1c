import { scoreOf, type SoundSpec } from './score.js';

/** The exact length in ms: entries and rests, and the decay of a bell after them (at most 1.8 s). @throws like `synthesize` */
export function soundDurationMs(spec: SoundSpec): number {
  return scoreOf(spec).ms;
}
