/** Parses melodies: `C4:200 E4:200 -:100 G4:400`, entries `<note>:<ms>` separated by white space. */
import { limits } from '@perch/schema/plain';
import { semitoneOf } from './pitch.js';

export interface Note {
  /** MIDI number, see pitch.ts; null is a rest. */
  semitone: number | null;
  ms: number;
}

/** An invalid melody. The message names the entry (`notes[3]: ...`) and is meant for the caller. */
export class NotesError extends Error {
  override readonly name = 'NotesError';
  /** Zero-based index of the entry; null if the melody as a whole is at fault. */
  readonly index: number | null;

  constructor(index: number | null, problem: string) {
    super(`notes${index === null ? '' : `[${index}]`}: ${problem}`);
    this.index = index;
  }
}

const { noteMsMin, notesMsMax } = limits.sound;
/** Longer than any valid entry (`Bb8:30000`), including leading zeros. */
const entryCharsMax = 24;

/** Linear time. Stops at the first entry that is invalid or exceeds 30 s, so it creates at most 30,000 notes. @throws {NotesError} */
export function parseNotes(text: string): Note[] {
  const notes: Note[] = [];
  let totalMs = 0;
  for (const [entry] of text.matchAll(/\S+/g)) {
    const note = parseEntry(entry, notes.length);
    totalMs += note.ms;
    if (totalMs > notesMsMax)
      throw new NotesError(notes.length, `the melody exceeds ${notesMsMax / 1000} s here; all entries together may take at most ${notesMsMax} ms`);
    notes.push(note);
  }
  if (notes.length === 0) throw new NotesError(null, 'at least one entry <note>:<ms>, such as C4:200');
  return notes;
}

/** Returns the total length of the entries in ms, including rests. A bell may ring longer, see `soundDurationMs`. */
export function notesDurationMs(notes: readonly Note[]): number {
  return notes.reduce((total, note) => total + note.ms, 0);
}

function parseEntry(entry: string, index: number): Note {
  const colon = entry.length > entryCharsMax ? -1 : entry.indexOf(':');
  if (colon < 0) throw new NotesError(index, `"${shortened(entry)}" is not <note>:<ms>, such as C4:200`);

  const name = entry.slice(0, colon);
  const semitone = name === '-' ? null : semitoneOf(name);
  if (semitone === null && name !== '-') {
    throw new NotesError(index, `"${name}" is not a note: a letter A to G, an optional # or b, an octave 0 to 8, or - for a rest`);
  }

  const length = entry.slice(colon + 1);
  const ms = /^\d+$/.test(length) ? Number(length) : 0;
  if (ms < noteMsMin || ms > notesMsMax) {
    throw new NotesError(index, `"${length}" is not a length: a whole number of ms from ${noteMsMin} to ${notesMsMax}`);
  }
  return { semitone, ms };
}

function shortened(entry: string): string {
  // Cuts between code points: half a surrogate pair cannot be encoded in a JSON response.
  return entry.length <= entryCharsMax ? entry : `${/^.{0,20}/su.exec(entry)?.[0] ?? ''}...`;
}
