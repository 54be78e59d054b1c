import { Type } from 'typebox';
import { oneOf } from '../base/open-object.js';
import { answerObject, argsObject, defineAction, nothingToDo } from '../definition/action.js';

export const emotions = ['neutral', 'happy', 'angry', 'sad', 'doubt', 'sleepy'] as const;
export const views = ['face', 'readings'] as const;

const needsOneOf = ['emotion', 'view'];

export const face = defineAction({
  name: 'face',
  group: 'screen',
  summary: "Set the face's emotion, or the robot's own screen under cards.",
  description: 'Send at least one of emotion and view.',
  args: argsObject({
    emotion: Type.Optional(oneOf(emotions, { description: 'Face emotion.' })),
    view: Type.Optional(oneOf(views, { description: "The robot's own screen under cards: its face or its readings." })),
  }),
  form: { usual: ['emotion', 'view'] },
  needsOneOf,
  answer: answerObject({}),
  effect: { idempotent: true },
  features: ['face'],
  rules: ({ emotion, view }) => (emotion === undefined && view === undefined ? nothingToDo(...needsOneOf) : null),
  examples: [{ args: { emotion: 'happy' }, answer: { ok: true } }],
});
