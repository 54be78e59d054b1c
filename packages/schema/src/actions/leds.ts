import { Type } from 'typebox';
import type { Static } from 'typebox';
import { ColorSchema, colorSchema } from '../values/color-schema.js';
import { limits } from '../base/limits.js';
import { oneOf, type Problem } from '../base/open-object.js';
import { answerObject, argsObject, defineAction, nothingToDo } from '../definition/action.js';

const { count, speedMin, speedMax, speedDefault, secondsDefault } = limits.leds;

export const ledEffects = ['rainbow', 'breathe', 'chase', 'blink', 'off'] as const;

const args = argsObject({
  color: Type.Optional(colorSchema('All LEDs, or the colour of the bar or effect. Default white.')),
  bar: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: '0..1: lights this share of both strips, from the screen end.' })),
  pixels: Type.Optional(
    Type.Array(ColorSchema, {
      minItems: count,
      maxItems: count,
      description: `${count} colours: 0-5 the left strip from the screen end back, 6-11 the right strip from the back to the screen end.`,
    }),
  ),
  effect: Type.Optional(oneOf(ledEffects, { description: 'Animation run by the robot.' })),
  speed: Type.Optional(
    Type.Number({
      minimum: speedMin,
      maximum: speedMax,
      default: speedDefault,
      description: `Effect speed, ${speedMin}..${speedMax}, default ${speedDefault}. Ignored without an effect.`,
    }),
  ),
  seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      default: secondsDefault,
      description: 'Length of the effect. 0 (default): until the next leds action. Requires effect.',
    }),
  ),
  brightness: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: '0..1, default 1: how bright the colours look; at 0.5 half as bright. Requires color, bar, pixels or effect.',
    }),
  ),
  off: Type.Optional(Type.Boolean({ description: 'All off; sent alone. false counts as absent.' })),
});

const needsOneOf = ['color', 'bar', 'pixels', 'effect', 'off'];

export const leds = defineAction({
  name: 'leds',
  group: 'body',
  summary: 'Light the 12 LEDs: one colour, a bar, single pixels, or an effect.',
  description:
    'Send one of: color; bar (with or without color); pixels; effect (with or without color, speed, seconds); off. ' +
    'bar, pixels, effect and off exclude each other; pixels bring their own colours; effect off takes no color; seconds requires effect. brightness goes with all but off.',
  args,
  form: {
    usual: ['color', 'effect', 'seconds', 'brightness'],
    more: { Effect: ['speed'], Bar: ['bar'], 'Single LEDs': ['pixels'], Off: ['off'] },
  },
  needsOneOf,
  answer: answerObject({}),
  effect: { idempotent: true },
  features: ['leds'],
  defaults: ['speed', 'seconds'],
  falseIsAbsent: ['off'],
  rules: ledsProblem,
  examples: [
    { args: { effect: 'breathe', color: 'purple', speed: 0.5, seconds: 10 }, answer: { ok: true } },
    { args: { bar: 0.5, color: '#00ff88' }, answer: { ok: true } },
  ],
});

function ledsProblem(sent: Static<typeof args>): Problem | null {
  // Clients may send the default speed with every call; speed alone does nothing.
  const names = Object.keys(sent).filter((name) => name !== 'speed');
  if (sent.off !== undefined && names.length > 1) {
    const other = names.find((name) => name !== 'off');
    return { field: 'off', message: `turns all off and cannot be combined with ${other}; send one or the other` };
  }
  if (sent.seconds !== undefined && sent.effect === undefined) return { field: 'seconds', message: 'requires effect; add effect or remove seconds' };
  const lit = names.some((name) => name === 'color' || name === 'bar' || name === 'pixels' || (name === 'effect' && sent.effect !== 'off'));
  if (sent.brightness !== undefined && !lit) {
    return { field: 'brightness', message: 'requires color, bar, pixels or an effect other than off; add one of them' };
  }
  const modes = names.filter((name) => name === 'bar' || name === 'pixels' || name === 'effect');
  if (modes.length > 1) return { field: modes[1]!, message: `cannot be combined with ${modes[0]}; send one or the other` };
  if (sent.pixels !== undefined && sent.color !== undefined) {
    return { field: 'color', message: 'cannot be combined with pixels, which bring their own colours' };
  }
  if (sent.effect === 'off' && sent.color !== undefined) {
    return { field: 'color', message: 'cannot be combined with effect off; to light all LEDs, send color alone' };
  }
  return names.length === 0 ? nothingToDo(...needsOneOf) : null;
}
