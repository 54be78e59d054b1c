/** Computes the light of the 12 LEDs at a moment: the running effect, or else the set colours. */
import { dark, dimmed, lightOf, mixed, type Light } from './led-light.js';
import type { LedLooks } from './looks.js';

const count = 12;
/** Period of an effect at speed 1. */
const periodMs = { rainbow: 4000, breathe: 3500, chase: 1500, blink: 1000 };
/** More than three flashes per second can trigger photosensitive seizures. */
const flashPeriodMsMin = 400;
const tail = 4;
const plainRainbow = ['#ff0000', '#b08000', '#00b000', '#0080a0', '#0000f0', '#b000a0'];

/** @param ms since an arbitrary moment @param still returns a fixed image of the effect, for users who prefer reduced motion */
export function ledLights({ pixels, effect }: LedLooks, ms: number, still = false): Light[] {
  if (effect === null) return Array.from({ length: count }, (_, index) => lightOf(pixels?.[index] ?? '#000000'));
  const color = lightOf(effect.color ?? '#ffb0f0');
  const turn = (period: number): number => (still ? 0 : (ms * effect.speed) / period);
  switch (effect.name) {
    case 'rainbow': {
      const palette = (effect.palette ?? plainRainbow).map(lightOf);
      return each((index) => around(palette, index / count + turn(periodMs.rainbow)));
    }
    case 'breathe': {
      const share = still ? 1 : 0.5 - 0.5 * Math.cos(2 * Math.PI * turn(periodMs.breathe));
      return each(() => dimmed(color, 0.02 + 0.98 * share));
    }
    case 'chase':
      return each((index) => {
        const behind = (turn(periodMs.chase) * count - index + 2 * count) % count;
        return dimmed(color, Math.max(0, 1 - behind / tail) ** 2);
      });
    case 'blink': {
      const period = Math.max(periodMs.blink / effect.speed, flashPeriodMsMin);
      return each(() => (still || (ms / period) % 1 < 0.5 ? color : dark));
    }
    default:
      return each(() => dark);
  }
}

export function moves({ effect }: LedLooks): boolean {
  return effect !== null && effect.name in periodMs;
}

function each(light: (index: number) => Light): Light[] {
  return Array.from({ length: count }, (_, index) => light(index));
}

/** Interpolates in a cyclic palette; 1 is a full turn. */
function around(palette: readonly Light[], place: number): Light {
  const at = (((place % 1) + 1) % 1) * palette.length;
  const index = Math.floor(at);
  return mixed(palette[index % palette.length]!, palette[(index + 1) % palette.length]!, at - index);
}
