/** Generates the accelerometer bursts around a motion interrupt: [x, y, z] in g, z up, at 50 Hz. */

export type Sample = [number, number, number];
export interface Burst {
  hz: number;
  samples: Sample[];
}

export const motions = ['shake', 'lift', 'knock', 'tilt', 'bump'] as const;
/** shake and lift cause events; a knock on the table, a slow tilt and a bump against the base do not. */
export type Motion = (typeof motions)[number];

const hz = 50;
const noiseG = 0.008;

export function burst(motion: Motion, random: () => number = Math.random): Burst {
  const noise = (size: number): number => size * (2 * random() - 1);
  const shapes: Record<Motion, { seconds: number; at: (t: number) => Sample }> = {
    shake: { seconds: 1.2, at: shakeAt(4.5 + noise(0.7), 1.9 + noise(0.3)) },
    lift: { seconds: 1.5, at: liftAt(noise) },
    knock: { seconds: 0.8, at: (t) => [noise(0.01), 0, 1 + ringing(t - 0.2, 0.9, 22, 25)] },
    bump: { seconds: 0.8, at: (t) => [ringing(t - 0.2, 0.6, 14, 18), ringing(t - 0.2, 0.2, 14, 18), 1] },
    tilt: { seconds: 2, at: (t) => leaning(((18 * Math.PI) / 180) * Math.sin((Math.PI * t) / 2)) },
  };
  const { seconds, at } = shapes[motion];
  const samples = Array.from({ length: Math.round(seconds * hz) }, (_, index): Sample => {
    const [x, y, z] = at(index / hz);
    return [round(x + noise(noiseG)), round(y + noise(noiseG)), round(z + noise(noiseG))];
  });
  return { hz, samples };
}

function shakeAt(perSecond: number, peakG: number) {
  return (t: number): Sample => {
    if (t < 0.1) return [0, 0, 1];
    const swing = Math.sin(2 * Math.PI * perSecond * (t - 0.1));
    return [peakG * swing, 0.4 * peakG * swing, 1 + 0.3 * peakG * Math.cos(2 * Math.PI * perSecond * (t - 0.1))];
  };
}

function liftAt(noise: (size: number) => number) {
  return (t: number): Sample => {
    if (t < 0.15) return [0, 0, 1];
    const lean = Math.min(1, (t - 0.15) / 0.6) * 0.24;
    const [x, y, z] = leaning(lean);
    const push = t < 0.45 ? 0.38 * Math.sin((Math.PI * (t - 0.15)) / 0.3) : t < 0.8 ? -0.3 * Math.sin((Math.PI * (t - 0.45)) / 0.35) : 0;
    return [x + noise(0.04), y + 0.03 * Math.sin(2 * Math.PI * 8 * t) + noise(0.03), z + push + noise(0.04)];
  };
}

function leaning(angle: number): Sample {
  return [Math.sin(angle), 0, Math.cos(angle)];
}

function ringing(t: number, peakG: number, perSecond: number, decay: number): number {
  return t < 0 ? 0 : peakG * Math.exp(-decay * t) * Math.cos(2 * Math.PI * perSecond * t);
}

function round(g: number): number {
  return Math.round(g * 1000) / 1000;
}
