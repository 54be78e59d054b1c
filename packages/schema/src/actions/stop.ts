/** A compound, not one of the interface's twelve actions. */
import { Type } from 'typebox';
import { oneOf } from '../base/open-object.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';

/** In the order in which a person would notice them. */
export const stoppedParts = ['wait', 'sound', 'leds', 'head'] as const;

export type StoppedPart = (typeof stoppedParts)[number];

const partList = (description: string) => Type.Array(oneOf(stoppedParts), { description });

export const stop = defineAction({
  name: 'stop',
  group: 'body',
  summary: 'End the wait, the sound, the LED effect and the head motion, in one call.',
  description:
    'Takes no arguments. A pending ask, menu or clickmap returns replaced to its caller and its question disappears; the sound ends; ' +
    'the LED effect ends as with leds and effect off; the head moves to its home position, whatever moved it. Cards, the face and the volume stay. ' +
    'If one part fails, the others are stopped anyway and the call fails; it can be retried.',
  args: argsObject({}),
  answer: answerObject({
    stopped: partList('Parts that were stopped: sound, leds and head whether or not they were active, wait only if one was pending.'),
    left_out: partList('Parts this robot does not have.'),
  }),
  effect: { idempotent: true },
  examples: [{ args: {}, answer: { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] } }],
});
