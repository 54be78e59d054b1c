import { Type } from 'typebox';
import { limits } from '../base/limits.js';
import { oneOf } from '../base/open-object.js';
import { answerObject, argsObject, defineAction, nothingToDo } from '../definition/action.js';
import { nullable } from '../definition/wait.js';

const { yawMin, yawMax, pitchMin, pitchMax } = limits.head;

export const gestures = ['nod', 'shake', 'home'] as const;

const needsOneOf = ['gesture', 'yaw', 'pitch'];

export const move = defineAction({
  name: 'move',
  group: 'body',
  summary: 'Move the head: a gesture, or yaw and pitch in degrees.',
  description: 'Send gesture, or yaw and pitch (one or both). A gesture cannot be combined with angles.',
  args: argsObject({
    gesture: Type.Optional(oneOf(gestures, { description: 'home: face forward.' })),
    yaw: Type.Optional(
      Type.Number({ minimum: yawMin, maximum: yawMax, description: `Degrees, ${yawMin}..${yawMax}, positive to the robot's left.` }),
    ),
    pitch: Type.Optional(Type.Number({ description: `Degrees up, ${pitchMin}..${pitchMax}; the robot clamps the value.` })),
  }),
  form: { usual: ['gesture', 'yaw', 'pitch'] },
  needsOneOf,
  answer: answerObject({
    yaw: nullable(Type.Number(), 'Target in degrees after clamping; null if the robot did not report it.'),
    pitch: nullable(Type.Number(), 'Target in degrees after clamping; null if the robot did not report it.'),
  }),
  features: ['head'],
  rules({ gesture, yaw, pitch }) {
    if (gesture === undefined) return yaw === undefined && pitch === undefined ? nothingToDo(...needsOneOf) : null;
    if (yaw === undefined && pitch === undefined) return null;
    return { field: 'gesture', message: `cannot be combined with ${yaw === undefined ? 'pitch' : 'yaw'}; send a gesture or angles` };
  },
  examples: [
    { args: { yaw: 20, pitch: 45 }, answer: { ok: true, yaw: 20, pitch: 45 } },
    { args: { gesture: 'nod' }, answer: { ok: true, yaw: null, pitch: null } },
  ],
});
