/** stop: whatever the robot is at, ended in one call. Not one of the twelve actions: it is made of theirs. */
import { Type } from 'typebox';
import { oneOf } from '../validation/open-object.js';
import { answerObject, argsObject, defineAction } from './action.js';

/** What a robot can be at, in the order in which a person would notice it. */
export const stoppedParts = ['wait', 'sound', 'leds', 'head'] as const;

export type StoppedPart = (typeof stoppedParts)[number];

const partList = (description: string) => Type.Array(oneOf(stoppedParts), { description });

export const stop = defineAction({
  name: 'stop',
  group: 'body',
  summary: 'End the wait, the sound, the LED effect and the head motion, in one call.',
  description:
    'Takes no arguments. The ask, menu or clickmap that waits answers replaced to its caller and its question goes; the sound ends; ' +
    'the effect of the LEDs ends as by leds with effect off; the head goes home, whatever moved it. Cards, the face and the volume stay. ' +
    'When a part fails the others are ended all the same, and the call fails; it may be sent again.',
  args: argsObject({}),
  answer: answerObject({
    stopped: partList('What was ended: sound, leds and head whether or not something went on there, wait only where one was open.'),
    left_out: partList('What this robot does not have.'),
  }),
  effect: { idempotent: true },
  examples: [{ args: {}, answer: { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] } }],
});
