/** Pitches: note names to semitones and hertz. Semitones count as MIDI does: C4 (middle C) is 60, A4 = 69 = 440 Hz. */

const semitoneOfLetter: Record<string, number> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };

/**
 * `C4`, `F#5`, `bb3`: a letter A to G, an optional `#` or `b`, an octave 0..8, case-insensitive.
 * @returns the semitone, or null when the name is not one
 */
export function semitoneOf(name: string): number | null {
  const parts = /^([A-G])([#b]?)([0-8])$/i.exec(name);
  if (parts === null) return null;
  const [, letter = '', accidental = '', octave = ''] = parts;
  const base = semitoneOfLetter[letter.toUpperCase()] ?? 0;
  const shift = accidental === '#' ? 1 : accidental === '' ? 0 : -1;
  return 12 * (Number(octave) + 1) + base + shift;
}

/** Equal temperament. */
export function hertzOf(semitone: number): number {
  return 440 * 2 ** ((semitone - 69) / 12);
}

/** The highest frequency rendered at a sample rate; the rest up to half the rate is left to the robot's filter. */
export function highestHertz(rate: number): number {
  return 0.48 * rate;
}

/** The pitch as it can be rendered: what the rate cannot carry (at 16 kHz B8 and above) sounds an octave lower instead of folding back as another note. */
export function playableHertz(semitone: number, rate: number): number {
  let hertz = hertzOf(semitone);
  while (hertz > highestHertz(rate)) hertz /= 2;
  return hertz;
}
