import { Type } from 'typebox';
import { limits } from '../api/limits.js';
import { answerObject, argsObject, defineAction } from './action.js';
import { answeredKeys, IndexSchema, nullable, timedOutKeys, TimeoutSchema, waitFields, waitRules } from './wait.js';

const { answersMin, answersMax } = limits.ask;

export const ask = defineAction({
  name: 'ask',
  group: 'waits',
  summary: 'Ask the person at the robot a question and wait for the tap on an answer.',
  description: `Shows the question in large text and the answers as buttons. ${waitRules}`,
  args: argsObject({
    question: Type.String({ minLength: 1, description: 'Short.' }),
    answers: Type.Array(Type.String({ minLength: 1 }), {
      minItems: answersMin,
      maxItems: answersMax,
      description: `${answersMin} to ${answersMax} short answers.`,
    }),
    timeout_s: Type.Optional(TimeoutSchema),
  }),
  answer: answerObject({
    ...waitFields,
    answer: nullable(Type.String(), 'Text of the tapped answer.'),
    index: IndexSchema,
  }),
  features: ['screen', 'touch'],
  defaults: ['timeout_s'],
  examples: [
    { args: { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 }, answer: { ...answeredKeys, answer: 'Yes', index: 0 } },
    { args: { question: 'Coffee?', answers: ['Yes', 'No'] }, answer: { ...timedOutKeys, answer: null, index: null } },
  ],
});
