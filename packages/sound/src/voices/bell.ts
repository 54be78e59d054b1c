/** The bell voice: a struck bar with inharmonic partials like a glockenspiel's; higher partials decay faster. */
import { highestHertz, playableHertz } from '../pitch.js';
import type { BellStroke } from '../stroke.js';

/** Frequency ratios of a free bar (1 : 2.756 : 5.404 : 8.933), and the octave to which tuned bars are ground. */
const partials = [
  { ratio: 1, level: 0.62, decay: 1 },
  { ratio: 2, level: 0.1, decay: 0.7 },
  { ratio: 2.756, level: 0.17, decay: 0.45 },
  { ratio: 5.404, level: 0.08, decay: 0.25 },
  { ratio: 8.933, level: 0.03, decay: 0.15 },
] as const;

const attackMs = 2;
const fadeMs = 15;

/** Returns how long a bell of this pitch takes to decay by 60 dB, ms: low bells longer. */
export function bellRingMs(semitone: number): number {
  return Math.round(Math.min(1_800, Math.max(500, 1_800 * 2 ** ((60 - semitone) / 24))));
}

export function addBell(mix: Float32Array, rate: number, from: number, to: number, stroke: BellStroke): void {
  const hertz = playableHertz(stroke.semitone, rate);
  const ringSamples = (bellRingMs(stroke.semitone) * rate) / 1000;
  const attack = Math.min((to - from) / 2, (attackMs * rate) / 1000);
  const fade = Math.min((to - from) / 2, (fadeMs * rate) / 1000);

  for (const partial of partials) {
    if (hertz * partial.ratio > highestHertz(rate)) break;
    // A resonator: two multiplications a sample instead of a sine and an exponential.
    const angle = (2 * Math.PI * hertz * partial.ratio) / rate;
    const shrink = 10 ** (-3 / (ringSamples * partial.decay));
    const c1 = 2 * shrink * Math.cos(angle);
    const c2 = shrink * shrink;
    const end = Math.min(to, from + Math.ceil(ringSamples * partial.decay * 1.2));
    let before = 0;
    let now = stroke.level * partial.level * shrink * Math.sin(angle);
    for (let at = from + 1; at < end; at += 1) {
      const sinceStart = at - from;
      const untilEnd = Math.min(to, end) - at;
      let gain = 1;
      if (sinceStart < attack) gain = sinceStart / attack;
      if (untilEnd < fade) gain *= untilEnd / fade;
      mix[at] = (mix[at] ?? 0) + now * gain;
      const next = c1 * now - c2 * before;
      before = now;
      now = next;
    }
  }
}
