interface StrokeBase {
  /** Start within the sound, ms. */
  at: number;
  /** Length, ms. The stroke is silent at both ends. */
  ms: number;
  /** Peak, as a share of one voice's maximum, 0..1. */
  level: number;
}

export interface ToneStroke extends StrokeBase {
  voice: 'tone';
  semitone: number;
}

/** A struck bar: decaying inharmonic partials. */
export interface BellStroke extends StrokeBase {
  voice: 'bell';
  semitone: number;
}

/** A tone whose pitch slides linearly in semitones, optionally with vibrato; used for the robot's voice. */
export interface GlideStroke extends StrokeBase {
  voice: 'glide';
  from: number;
  to: number;
  /** Depth to each side, in semitones, at 6 Hz. */
  vibrato: number;
}

/** Noise in a sliding band, for breathing and crunching. */
export interface NoiseStroke extends StrokeBase {
  voice: 'noise';
  fromHertz: number;
  toHertz: number;
  /** `crunch` decays from a sharp start; `breath` swells and fades. */
  shape: 'crunch' | 'breath';
}

export type Stroke = ToneStroke | BellStroke | GlideStroke | NoiseStroke;
