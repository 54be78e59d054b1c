/** One thing that sounds for a while: the common language of melodies, chimes and voices. */

interface StrokeBase {
  /** From the beginning of the sound. */
  at: number;
  /** In ms, like `at`. The stroke is silent at both ends. */
  ms: number;
  /** Peak, 0..1 of what one voice may take. */
  level: number;
}

/** A plain note with a few harmonics. */
export interface ToneStroke extends StrokeBase {
  voice: 'tone';
  semitone: number;
}

/** A struck bar: inharmonic partials that die away. */
export interface BellStroke extends StrokeBase {
  voice: 'bell';
  semitone: number;
}

/** A tone whose pitch slides, evenly in semitones; with a vibrato it is the robot's voice. */
export interface GlideStroke extends StrokeBase {
  voice: 'glide';
  from: number;
  to: number;
  /** Depth to each side, in semitones, at 6 Hz. */
  vibrato: number;
}

/** Noise in a band that slides: breath, crunching. */
export interface NoiseStroke extends StrokeBase {
  voice: 'noise';
  fromHertz: number;
  toHertz: number;
  /** `crunch` dies away from a sharp start, `breath` swells and fades. */
  shape: 'crunch' | 'breath';
}

export type Stroke = ToneStroke | BellStroke | GlideStroke | NoiseStroke;
