/** Parses melodies, defines chimes, and renders both to samples. Pure: the same arguments give the same bytes. */
export { chimeNames, type ChimeName } from '@perch/schema/plain';
export { chimes } from './chimes.js';
export { soundDurationMs } from './duration.js';
export { momentaryLoudness } from './master/loudness.js';
export { truePeakOf } from './master/true-peak.js';
export { notesDurationMs, NotesError, parseNotes, type Note } from './notes.js';
export { fromPcm, toPcm } from './pcm.js';
export { asNotes } from './rtttl.js';
export { type SoundSpec } from './score.js';
export { Leveller } from './speech/leveller.js';
export { Resampler } from './speech/resampler.js';
export type { Stroke } from './stroke.js';
export { samplesOf, synthesize } from './synthesize.js';
