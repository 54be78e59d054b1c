import { highestHertz } from '../pitch.js';

/** Up to here harmonics fall slowly, above it fast. The speaker plays little below 350 Hz: a low note is audible by its harmonics alone. */
const brightHertz = 700;
/** Harmonics above this are left out, except the first four: more of them buzz. */
const harmonicHertzMax = 1_800;
const harmonicsMin = 4;
const harmonicsMax = 16;

/** Returns the levels of a note's harmonics relative to the fundamental, which is the first; only those that the rate can represent. */
export function harmonicLevels(hertz: number, rate: number): number[] {
  const wanted = Math.min(harmonicsMax, Math.max(harmonicsMin, Math.floor(harmonicHertzMax / hertz)));
  const fitting = Math.floor(highestHertz(rate) / hertz);
  return Array.from({ length: Math.max(1, Math.min(wanted, fitting)) }, (_, index) => {
    const harmonic = index + 1;
    return harmonic ** -1.2 * Math.min(1, Math.max(brightHertz, hertz) / (harmonic * hertz)) ** 1.5;
  });
}
