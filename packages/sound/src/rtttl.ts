/**
 * Converts tunes in RTTTL, the text format of Nokia's ring tones, to the entries that notes.ts parses: `name:d=4,o=5,b=100:8c,8e,g.`. The format has two
 * specifications, which differ in the place of the dot, and tunes are written for players that read more; accepted is what these read:
 *
 * - dot after the note, after the octave or after the duration: end2endzone/AnyRtttl docs/nokia_rtttl.txt has the first two, in its example and its grammar
 * - `_` for `#`, `h` for b: ArminJo/PlayRtttl src/PlayRtttl.hpp; upper case: earlephilhower/ESP8266Audio src/AudioGeneratorRTTTL.cpp
 * - `d=`, `o=` and `b=` in any order, or missing, and other letters, which are ignored: PlayRtttl.hpp, too
 * - `#` before the letter or after the octave: some tunes in explooosion/rtttl-hub
 * - no name: the tunes of the PICAXE manual, as they are sent to ESPEasy (letscontrolit/ESPEasy#397)
 *
 * Octave 4 has A at 440 Hz, as in esphome/esphome esphome/components/rtttl/rtttl.cpp and in these players.
 */
import { limits } from '@perch/schema/plain';
import { NotesError } from './notes.js';

const { notesMsMax } = limits.sound;
const quoteCharsMax = 20;

/** By letter. `b`: quarter notes a minute. */
const defaults = { d: 4, o: 6, b: 63 };
const bounds = { d: [1, 128], o: [0, 8], b: [10, 2000] } as const;

/** Returns the notes of a tune in RTTTL; any other text unchanged. Linear time. @throws {NotesError} naming the entry, its index counted after the last colon */
export function asNotes(text: string): string {
  const sections = tuneSections(text);
  return sections === null ? text : notesOf(sections.settings, sections.entries);
}

/** No melody of `<note>:<ms>` entries has an equals sign, or two colons in a row. Without regular expressions, which would look at each `=` again and again. */
function tuneSections(text: string): { settings: string; entries: string } | null {
  const first = text.indexOf(':');
  if (first === -1) return null;
  const name = text.slice(0, first);
  if (name.includes('=')) return { settings: bare(name), entries: bare(text.slice(first + 1)) };
  const second = text.indexOf(':', first + 1);
  if (second === -1) return null;
  const settings = bare(text.slice(first + 1, second));
  return settings === '' || settings.includes('=') ? { settings, entries: bare(text.slice(second + 1)) } : null;
}

/** White space means nothing in RTTTL. */
function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

function notesOf(settings: string, entries: string): string {
  const set = { ...defaults };
  for (const pair of settings.split(',')) if (pair !== '') applySetting(set, pair, null);

  const notes: string[] = [];
  let exceededAt: number | null = null;
  let exactMs = 0;
  let wholeMs = 0;
  for (const [index, entry] of entries.split(',').entries()) {
    if (entry === '') continue;
    if (entry.includes('=')) {
      applySetting(set, entry, index);
      continue;
    }
    const { name, ms } = parseEntry(entry, index, set);
    exactMs += ms;
    // The end of each note is rounded, not its length, so that a tune keeps its tempo.
    const end = Math.round(exactMs);
    if (end > notesMsMax) exceededAt ??= index;
    else if (end > wholeMs) notes.push(`${name}:${end - wholeMs}`);
    wholeMs = end;
  }
  if (exceededAt !== null) {
    const [most, takes] = [notesMsMax / 1000, Number((exactMs / 1000).toFixed(1))];
    throw new NotesError(exceededAt, `the tune exceeds ${most} s here; it takes ${takes} s and may take at most ${most} s`);
  }
  if (notes.length === 0) throw new NotesError(null, 'at least one note of the tune, such as 8c5');
  return notes.join(' ');
}

function applySetting(set: { d: number; o: number; b: number }, pair: string, index: number | null): void {
  const [, letter, value] = /^([a-z])=(\w*)$/i.exec(pair) ?? [];
  if (letter === undefined || value === undefined)
    throw new NotesError(index, `${quoted(pair)} is not a setting of a tune, such as d=4, o=5 or b=120`);
  const key = letter.toLowerCase();
  if (!isSetting(key)) return;
  const [least, most] = bounds[key];
  const number = /^\d{1,4}$/.test(value) ? Number(value) : NaN;
  if (!(number >= least && number <= most)) throw new NotesError(index, `${quoted(pair)} is not a whole number from ${least} to ${most}`);
  set[key] = number;
}

function isSetting(letter: string): letter is keyof typeof defaults {
  return Object.hasOwn(defaults, letter);
}

function parseEntry(entry: string, index: number, { d, o, b }: { d: number; o: number; b: number }): { name: string; ms: number } {
  const parts = entry.length > quoteCharsMax ? null : /^(\d{0,3})(\.?)([#_]?)([A-HP])([#_]?)(\.?)([0-8]?)([#_]?)(\.{0,2})$/i.exec(entry);
  if (parts === null) throw new NotesError(index, `${quoted(entry)} is not a note of a tune, such as 8c#5 or p for a rest`);
  const [, length, before, early, letter = '', sharp, between, octave, late, after] = parts;
  const divisor = length === '' ? d : Number(length);
  if (divisor < bounds.d[0] || divisor > bounds.d[1])
    throw new NotesError(index, `${quoted(entry)} is 1/${divisor} of a note; the number is from ${bounds.d[0]} to ${bounds.d[1]}`);
  const dots = [before, between, after].join('').length;
  const ms = ((4 * 60_000) / b / divisor) * (2 - 0.5 ** dots);
  const note = letter.toUpperCase().replace('H', 'B');
  return { name: note === 'P' ? '-' : `${note}${early === '' && sharp === '' && late === '' ? '' : '#'}${octave === '' ? o : octave}`, ms };
}

/** Cuts between code points: half a surrogate pair cannot be encoded in a JSON response. */
function quoted(text: string): string {
  return text.length <= quoteCharsMax ? `"${text}"` : `"${/^.{0,20}/su.exec(text)?.[0] ?? ''}..."`;
}
