import { emotionOf } from '@perch/screen/own-screen';
import { ledLights } from './led-effects.js';
import { brightness, screenColor, type Light } from './led-light.js';
import type { LedLooks, RobotLooks } from './looks.js';

const faces = {
  neutral: 'a calm face',
  happy: 'a happy face',
  angry: 'an angry face',
  sad: 'a sad face',
  doubt: 'a doubtful face',
  sleepy: 'a sleepy face',
};

export function descriptionOf(looks: RobotLooks): string {
  if (!looks.online) return 'The robot is not connected.';
  return [onScreen(looks), ...headTurned(looks.head), leds(looks.leds), ...(looks.sound ? ['It plays a sound.'] : [])].join(' ');
}

function onScreen(looks: RobotLooks): string {
  if (looks.screenOn === false) return 'Its screen is dark; a touch lights it.';
  if ((looks.brightness ?? 100) < 10) return 'Its screen is too dark to read; a touch lights it.';
  if (looks.covered ?? looks.picture !== null) return `Its screen shows a picture${looks.says ? `, which says: “${looks.says}”` : '.'}`;
  if (looks.view === 'readings') return 'Its screen shows its readings.';
  return `Its screen shows ${faces[emotionOf(looks.emotion)]}${looks.bubble === null ? '' : `, saying: “${looks.bubble}”`}.`;
}

function headTurned({ yaw, pitch }: RobotLooks['head']): string[] {
  if (yaw === null || pitch === null) return [];
  const [turn, tilt] = [Math.round(yaw), Math.round(pitch)];
  const side = turn === 0 ? 'looks ahead' : `is turned ${Math.abs(turn)}° to its ${turn > 0 ? 'left' : 'right'}`;
  return [`Its head ${side} and ${tilt}° up.`];
}

function leds(looks: LedLooks): string {
  const { effect } = looks;
  if (effect !== null && effect.name !== 'off') {
    return `Its LEDs run the effect ${effect.name}${effect.name === 'rainbow' || effect.color === null ? '' : ` in ${colorWord(ledLights(looks, 0, true)[0]!)}`}.`;
  }
  const words = ledLights(looks, 0, true).map(colorWord);
  if (words.every((word) => word === 'off')) return 'Its LEDs are off.';
  if (words.every((word) => word === words[0])) return `Its LEDs are ${words[0]}.`;
  return `Its LEDs, left strip from the front back: ${words.slice(0, 6).join(', ')}; right strip from the front back: ${words.slice(6).toReversed().join(', ')}.`;
}

const hues: readonly [number, string][] = [
  [14, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [160, 'green'],
  [195, 'cyan'],
  [255, 'blue'],
  [295, 'purple'],
  [345, 'pink'],
  [360, 'red'],
];

export function colorWord(light: Light): string {
  if (brightness(light) < 0.08) return 'off';
  const color = screenColor(light);
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
  const [max, min] = [Math.max(r, g, b), Math.min(r, g, b)];
  if (max - min < 0.22 * max) return 'white';
  const sixth = max === r ? (g - b) / (max - min) : max === g ? 2 + (b - r) / (max - min) : 4 + (r - g) / (max - min);
  const hue = (sixth * 60 + 360) % 360;
  return hues.find(([upTo]) => hue <= upTo)![1];
}
