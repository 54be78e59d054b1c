/** Parses melodies, defines chimes, and renders both to samples. Pure: the same arguments give the same bytes. */
export { chimeNames, type ChimeName } from '@perch/schema/plain';
export { chimes } from './chimes.js';
export { soundDurationMs } from './duration.js';
export { notesDurationMs, NotesError, parseNotes, type Note } from './notes.js';
export { type SoundSpec } from './score.js';
export type { Stroke } from './stroke.js';
export { synthesize } from './synthesize.js';
