/** Converts note names to semitones and hertz. Semitones are MIDI note numbers: C4 (middle C) is 60, A4 is 69 (440 Hz). */

const semitoneOfLetter: Record<string, number> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };

/** Null unless a letter A to G, an optional `#` or `b` and an octave 0..8, case-insensitive, such as `C4`, `F#5` or `bb3`. */
export function semitoneOf(name: string): number | null {
  const parts = /^([A-G])([#b]?)([0-8])$/i.exec(name);
  if (parts === null) return null;
  const [, letter = '', accidental = '', octave = ''] = parts;
  const base = semitoneOfLetter[letter.toUpperCase()] ?? 0;
  const shift = accidental === '#' ? 1 : accidental === '' ? 0 : -1;
  return 12 * (Number(octave) + 1) + base + shift;
}

export function hertzOf(semitone: number): number {
  return 440 * 2 ** ((semitone - 69) / 12);
}

/** Returns the highest frequency rendered at a sample rate, with a margin below half the rate for the robot's filter. */
export function highestHertz(rate: number): number {
  return 0.48 * rate;
}

/** Returns the frequency to render. Pitches too high for the rate (at 16 kHz B8 and above) sound an octave lower instead of aliasing to another note. */
export function playableHertz(semitone: number, rate: number): number {
  let hertz = hertzOf(semitone);
  while (hertz > highestHertz(rate)) hertz /= 2;
  return hertz;
}
