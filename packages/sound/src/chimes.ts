/** The scores of the ready-made sounds. Their important content is above 350 Hz, because the robot's speaker is small. */
import type { ChimeName } from '@perch/schema';
import { semitoneOf } from './pitch.js';
import type { BellStroke, GlideStroke, NoiseStroke, Stroke, ToneStroke } from './stroke.js';
import { bellRingMs } from './voices/bell.js';

export const chimes: Record<ChimeName, readonly Stroke[]> = {
  // A question: two steps up, then a rise that is left open with a small bell.
  ask: [tone(0, 170, 'D5'), tone(210, 170, 'A5'), glide(430, 480, 'C6', 'A6'), bell(800, 'A6', 0.5)],

  // The school bell, then back to work.
  break_over: [
    ...[0, 110, 220, 330, 440, 550].map((at, stroke) => bell(at, stroke % 2 === 0 ? 'G6' : 'E6', 0.55)),
    tone(800, 140, 'C5', 0.55),
    tone(950, 140, 'E5', 0.55),
    tone(1100, 420, 'G5', 0.5),
    bell(1100, 'C6', 0.45),
  ],

  // A bird, twice, the second time a little higher.
  chirp: [glide(0, 70, 'G6', 'D7', { level: 0.6 }), glide(110, 45, 'E7', 'A6', { level: 0.45 }), glide(230, 80, 'A6', 'E7', { level: 0.6 })],

  done: [tone(0, 90, 'E5', 0.35), bell(0, 'E6', 0.75), tone(130, 260, 'C6', 0.35), bell(130, 'C7', 0.75), bell(130, 'G6', 0.35)],

  // A dissonance, a pause, and the same a step lower, twice.
  error: [...dissonance(0, 150, 'A4', 'Eb5'), ...dissonance(330, 110, 'F4', 'B4'), ...dissonance(480, 260, 'F4', 'B4')],

  // A wave: up, held, and down again below where it began.
  hello: [
    glide(0, 200, 'C5', 'A5'),
    glide(230, 380, 'C6', 'E6', { vibrato: 0.3 }),
    glide(640, 170, 'B5', 'E5'),
    glide(840, 400, 'B4', 'G4', { vibrato: 0.2 }),
  ],

  // A music box in three-four time over low notes, slowing down at the end.
  lullaby: [
    tone(0, 1_250, 'C4', 0.22),
    bell(0, 'G5', 0.6),
    bell(430, 'E5', 0.5),
    bell(860, 'A5', 0.55),
    tone(1_290, 1_350, 'F4', 0.2),
    bell(1_290, 'G5', 0.6),
    bell(1_740, 'F5', 0.5),
    bell(2_190, 'D5', 0.5),
    tone(2_660, 1_400, 'G4', 0.2),
    bell(2_660, 'E5', 0.55),
    bell(3_140, 'D5', 0.45),
    bell(3_680, 'C5', 0.55),
    bell(3_680, 'E5', 0.25),
  ],

  // Sunrise: slow single notes, then birds, then a chord.
  morning: [
    bell(0, 'C5', 0.5),
    bell(380, 'G5', 0.5),
    bell(720, 'E5', 0.5),
    bell(1_020, 'A5', 0.55),
    glide(1_250, 60, 'G6', 'C7', { level: 0.25 }),
    bell(1_280, 'C6', 0.55),
    glide(1_400, 60, 'A6', 'D7', { level: 0.25 }),
    bell(1_520, 'D6', 0.55),
    tone(1_740, 900, 'C5', 0.25),
    tone(1_740, 900, 'G5', 0.25),
    bell(1_740, 'E6', 0.6),
    bell(1_740, 'C6', 0.4),
  ],

  // Three bites, each a crunch over a falling glide, and a swallow.
  munch: [...bite(0), ...bite(230), ...bite(460), glide(760, 160, 'A4', 'D5', { level: 0.6 }), glide(940, 120, 'D5', 'F4', { level: 0.55 })],

  no: [glide(0, 150, 'C5', 'B4'), glide(220, 330, 'Ab4', 'E4')],

  // Waking up: a sweep over two octaves into an arpeggio.
  start: [glide(0, 420, 'C4', 'C6', { level: 0.45 }), bell(420, 'C6', 0.55), bell(510, 'E6', 0.55), bell(600, 'G6', 0.6), bell(690, 'C7', 0.65)],

  // A short pick-up note, then a chord.
  tada: [
    tone(0, 110, 'G4', 0.4),
    tone(0, 110, 'G5', 0.3),
    ...['C5', 'E5', 'G5', 'C6'].map((note) => tone(160, 750, note, 0.23)),
    bell(160, 'C7', 0.3),
    bell(260, 'G6', 0.25),
    bell(360, 'E7', 0.25),
  ],

  // Up the slide's ladder and down.
  whee: [glide(0, 420, 'C5', 'C7'), glide(400, 620, 'C7', 'F5', { vibrato: 0.5 })],

  yawn: [
    noise(0, 420, 500, 1_400, 'breath', 0.35),
    glide(330, 260, 'G4', 'D5', { level: 0.45 }),
    glide(560, 900, 'D5', 'A3', { level: 0.6, vibrato: 0.3 }),
    noise(900, 900, 1_600, 400, 'breath', 0.4),
  ],

  // A short yes-yes: high, low, and up again.
  yes: [tone(0, 120, 'G6'), tone(130, 140, 'C5'), glide(280, 150, 'D6', 'G6')],
};

function tone(at: number, ms: number, note: string, level = 0.6): ToneStroke {
  return { voice: 'tone', at, ms, semitone: semitone(note), level };
}

function bell(at: number, note: string, level = 0.7): BellStroke {
  return { voice: 'bell', at, ms: bellRingMs(semitone(note)), semitone: semitone(note), level };
}

function glide(at: number, ms: number, from: string, to: string, { level = 0.6, vibrato = 0 } = {}): GlideStroke {
  return { voice: 'glide', at, ms, from: semitone(from), to: semitone(to), vibrato, level };
}

function noise(at: number, ms: number, fromHertz: number, toHertz: number, shape: NoiseStroke['shape'], level: number): NoiseStroke {
  return { voice: 'noise', at, ms, fromHertz, toHertz, shape, level };
}

function bite(at: number): Stroke[] {
  return [noise(at, 130, 2_600, 900, 'crunch', 0.95), glide(at + 15, 120, 'B4', 'D4', { level: 0.3 })];
}

function dissonance(at: number, ms: number, low: string, high: string): Stroke[] {
  return [tone(at, ms, low, 0.42), tone(at, ms, high, 0.42)];
}

function semitone(note: string): number {
  const found = semitoneOf(note);
  if (found === null) throw new Error(`${note} is not a note`);
  return found;
}
