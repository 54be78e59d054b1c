/** Converts melodies and chimes to strokes, each one sound of one voice. Duration and synthesis use the same score, so the stated duration is exact. */
import { chimeNames, type ChimeName } from '@perch/schema/plain';
import { chimes } from './chimes.js';
import { notesDurationMs, parseNotes, type Note } from './notes.js';
import type { BellStroke, Stroke } from './stroke.js';
import { bellRingMs } from './voices/bell.js';

/** A ready-made sound, or a melody (syntax in notes.ts); with `bell`, its notes sound like a struck bell. */
export type SoundSpec = { chime: string } | { notes: string; bell?: boolean };

export interface Score {
  strokes: readonly Stroke[];
  /** Length until silence, including rests at the end. */
  ms: number;
}

const toneLevel = 0.6;
const bellLevel = 0.75;
/** Maximum number of bells ringing at once; bounds the work of a melody of 30,000 notes. */
const bellsMax = 8;
const dampMs = 10;

export function scoreOf(spec: SoundSpec): Score {
  if ('chime' in spec) return chimeScore(spec.chime);
  const notes = parseNotes(spec.notes);
  const strokes = spec.bell === true ? bellStrokes(notes) : toneStrokes(notes);
  return { strokes, ms: Math.max(notesDurationMs(notes), endOf(strokes)) };
}

function chimeScore(name: string): Score {
  if (!isChime(name)) throw new RangeError(`no chime is called "${name}"`);
  return { strokes: chimes[name], ms: endOf(chimes[name]) };
}

function isChime(name: string): name is ChimeName {
  return (chimeNames as readonly string[]).includes(name);
}

function toneStrokes(notes: readonly Note[]): Stroke[] {
  const strokes: Stroke[] = [];
  let at = 0;
  for (const { semitone, ms } of notes) {
    if (semitone !== null) strokes.push({ voice: 'tone', at, ms, semitone, level: toneLevel });
    at += ms;
  }
  return strokes;
}

/** A bell keeps ringing, whatever the length of its note, until it has decayed or the eighth bell after it damps it. */
function bellStrokes(notes: readonly Note[]): Stroke[] {
  const strokes: BellStroke[] = [];
  let at = 0;
  for (const { semitone, ms } of notes) {
    if (semitone !== null) {
      const damped = strokes.at(-bellsMax);
      if (damped !== undefined) damped.ms = Math.min(damped.ms, at + dampMs - damped.at);
      strokes.push({ voice: 'bell', at, ms: bellRingMs(semitone), semitone, level: bellLevel });
    }
    at += ms;
  }
  return strokes;
}

function endOf(strokes: readonly Stroke[]): number {
  return strokes.reduce((end, stroke) => Math.max(end, stroke.at + stroke.ms), 0);
}
