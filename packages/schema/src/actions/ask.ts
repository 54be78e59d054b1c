import { Type } from 'typebox';
import { limits } from '../api/limits.js';
import { oneOf } from '../validation/open-object.js';
import type { Problem } from '../validation/problem.js';
import { iconCharsMax, iconNamesHelp, iconProblem } from '../values/icon.js';
import { hasInk, withoutInk } from '../values/ink.js';
import { LangSchema } from '../values/lang.js';
import { pictureNotesFields } from '../values/picture-notes-schema.js';
import { answerObject, argsObject, defineAction } from './definition/action.js';
import { queueArgs, queueFields, queueProblem } from './definition/queue.js';
import { overflows } from './show.js';
import {
  answeredKeys,
  DetachSchema,
  detachProblem,
  IndexSchema,
  nullable,
  pendingKeys,
  timedOutKeys,
  TimeoutSchema,
  waitFields,
  waitRules,
} from './definition/wait.js';

const { answersMin, answersMax } = limits.ask;

export const ask = defineAction({
  name: 'ask',
  group: 'waits',
  summary: 'Ask the person at the robot a question and wait for the tap on an answer.',
  description: `Shows the question in large text and the answers as buttons. ${waitRules}`,
  args: argsObject({
    question: Type.String({ minLength: 1, description: 'Short, with a visible character.' }),
    answers: Type.Array(Type.String({ minLength: 1 }), {
      minItems: answersMin,
      maxItems: answersMax,
      description: `${answersMin} to ${answersMax} short answers, each with a visible character.`,
    }),
    icons: Type.Optional(
      Type.Array(Type.String({ maxLength: iconCharsMax }), {
        maxItems: answersMax,
        description: `Icons of the answers, in their order; an empty string for an answer without one. ${iconNamesHelp}`,
      }),
    ),
    overflow: Type.Optional(
      oneOf(overflows, {
        description: `What happens to a question that does not fit; default cut, with an ellipsis. pages: the service turns up to ${limits.show.pagesMax} pages, each for 3 to 12 s by its length, from the first one again; the answers stand on each, and a tap on any page counts.`,
      }),
    ),
    lang: Type.Optional(LangSchema),
    whole: Type.Optional(
      Type.Boolean({
        description:
          'Refuse, with 400 not_whole, instead of showing a question or answer that is cut (a question on pages is not, unless they are too few or take longer than timeout_s) or has a character that no font of the service has. false counts as absent.',
      }),
    ),
    timeout_s: Type.Optional(TimeoutSchema),
    detach: Type.Optional(DetachSchema),
    ...queueArgs,
  }),
  answer: answerObject({
    ...waitFields,
    ...queueFields,
    answer: nullable(Type.String(), 'Text of the tapped answer.'),
    index: IndexSchema,
    ...pictureNotesFields,
  }),
  features: ['screen', 'touch'],
  defaults: ['timeout_s'],
  falseIsAbsent: ['whole', 'detach', 'queue'],
  rules(args) {
    const { question, answers, icons = [], timeout_s, detach } = args;
    if (!hasInk(question)) return { field: 'question', message: withoutInk };
    const blank = answers.findIndex((answer) => !hasInk(answer));
    if (blank !== -1) return { field: `answers[${blank}]`, message: withoutInk };
    if (icons.length > answers.length) return { field: 'icons', message: `at most one for each of the ${answers.length} answers` };
    for (const [index, icon] of icons.entries()) {
      const problem = icon === '' ? null : iconProblem(`icons[${index}]`, icon);
      if (problem !== null) return problem;
    }
    return queueProblem(args, detach !== true) ?? queuedChoicesProblem(args) ?? detachProblem({ timeout_s, detach }, 'answers', answers);
  },
  examples: [
    { args: { question: 'Coffee?', answers: ['Yes', 'No'], timeout_s: 20 }, answer: { ...answeredKeys, answer: 'Yes', index: 0 } },
    { args: { question: 'Delete the branch?', answers: ['Delete', 'Keep'], whole: true }, answer: { ...answeredKeys, answer: 'Keep', index: 1 } },
    {
      args: { question: 'Send the offer of 12 May to Ms Brown, with the discount that she asked for?', answers: ['Send', 'Wait'], overflow: 'pages' },
      answer: { ...answeredKeys, answer: 'Send', index: 0 },
    },
    { args: { question: 'Coffee?', answers: ['Yes', 'No'] }, answer: { ...timedOutKeys, answer: null, index: null } },
    {
      args: { question: 'Deploy tonight?', answers: ['Yes', 'No'], detach: true, timeout_s: 3600 },
      answer: { ...pendingKeys, wait: 'wt-7k2m9qx4tb-mb1x2k9q', answer: null, index: null },
    },
    {
      args: { question: 'Lunch?', answers: ['Yes', 'No'], queue: true, expires_s: 600, detach: true },
      answer: { ...pendingKeys, wait: 'wt-7k2m9qx4tb-mb1x2k9r', queued: true, place: 3, answer: null, index: null },
    },
  ],
});

/** A question of the queue is stored with its answers, whether its call stays open or not. */
function queuedChoicesProblem({ queue, answers }: { queue?: boolean; answers: string[] }): Problem | null {
  return queue === true ? detachProblem({ detach: true }, 'answers', answers) : null;
}
