import { Type } from 'typebox';
import type { Picker } from '../base/argument-form.js';
import { limits } from '../base/limits.js';
import { oneOf, type Problem } from '../base/open-object.js';
import { iconCharsMax, iconNamesHelp, iconProblem } from '../values/icon.js';
import { hasInk, withoutInk } from '../values/ink.js';
import { LangSchema } from '../values/lang.js';
import { pictureNotesFields } from '../values/picture-notes.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';
import {
  queueArgs,
  queueFields,
  queueProblem,
  answeredKeys,
  DetachSchema,
  detachProblem,
  IndexSchema,
  nullable,
  pendingKeys,
  timedOutKeys,
  timeoutSchema,
  waitFields,
  waitRules,
} from '../definition/wait.js';
import { overflows } from './show.js';

const { answersMin, answersMax } = limits.ask;
const { timeoutSDefault, timeoutSMax } = limits.wait;

/** Returns how long a question waits at most, s. Without `timeout_s`, pages that must all be read extend the default. */
export function askTimeoutS({ timeout_s: timeoutS, whole, overflow }: { timeout_s?: unknown; whole?: unknown; overflow?: unknown }): number {
  if (typeof timeoutS === 'number') return timeoutS;
  return whole === true && overflow === 'pages' ? timeoutSMax : timeoutSDefault;
}

export const ask = defineAction({
  name: 'ask',
  group: 'waits',
  summary: 'Ask the person at the robot a question and wait for the tap on an answer.',
  description: `Shows the question in large text and the answers as buttons. ${waitRules}`,
  args: argsObject({
    question: Type.String({ minLength: 1, examples: ['Tea or coffee?'], description: 'Short, with a visible character.' }),
    answers: Type.Array(Type.String({ minLength: 1 }), {
      examples: [['Tea', 'Coffee']],
      minItems: answersMin,
      maxItems: answersMax,
      description: `${answersMin} to ${answersMax} short answers, each with a visible character.`,
    }),
    icons: Type.Optional(
      Type.Array(Type.String({ 'x-picker': 'icon' satisfies Picker, maxLength: iconCharsMax }), {
        maxItems: answersMax,
        description: `Icons of the answers, in their order; an empty string for an answer without one. ${iconNamesHelp}`,
      }),
    ),
    overflow: Type.Optional(
      oneOf(overflows, {
        description: `What happens to a question that does not fit; default cut, with an ellipsis. pages: the service turns up to ${limits.show.pagesMax} pages, each for 3 to 12 s by its length, from the first one again; the answers stand on each, and a tap on any page counts; with whole only after the last one, up to which the answers are grey, and a tap beside them turns the page.`,
      }),
    ),
    lang: Type.Optional(LangSchema),
    whole: Type.Optional(
      Type.Boolean({
        description:
          'Refuse, with 400 not_whole, instead of showing a question or answer that is cut (a question on pages is not, unless they are too few, or timeout_s leaves less than 10 s after the last one comes) or has a character that no font of the service has, or that a person cannot see. false counts as absent.',
      }),
    ),
    deny: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: answersMax - 1,
        description:
          'Index of the answer that allows nothing: a tap on it counts after 350 ms whatever is asked, while whole has the others wait for 1 s.',
      }),
    ),
    timeout_s: Type.Optional(
      timeoutSchema(
        ` With whole and overflow pages the default is ${timeoutSDefault} from when the last page comes, at most ${timeoutSMax} in all; not in a scene with at_ms.`,
      ),
    ),
    detach: Type.Optional(DetachSchema),
    ...queueArgs,
  }),
  form: {
    usual: ['timeout_s', 'icons'],
    more: {
      Text: ['overflow', 'whole', 'lang'],
      Answers: ['deny', 'detach'],
      Queue: ['queue', 'priority', 'expires_s'],
    },
  },
  answer: answerObject({
    ...waitFields,
    ...queueFields,
    answer: nullable(Type.String(), 'Text of the tapped answer.'),
    index: IndexSchema,
    ...pictureNotesFields,
  }),
  features: ['screen', 'touch'],
  falseIsAbsent: ['whole', 'detach', 'queue'],
  rules(args) {
    const { question, answers, icons = [], deny = 0, whole, timeout_s, detach } = args;
    if (!hasInk(question)) return { field: 'question', message: withoutInk };
    const blank = answers.findIndex((answer) => !hasInk(answer));
    if (blank !== -1) return { field: `answers[${blank}]`, message: withoutInk };
    if (icons.length > answers.length) return { field: 'icons', message: `at most one for each of the ${answers.length} answers` };
    if (whole === true && args.deny !== undefined && answers.every((answer) => answer === answers[deny]))
      return { field: 'deny', message: 'with whole, an answer that says something else' };
    if (deny >= answers.length) return { field: 'deny', message: `at most ${answers.length - 1}, the index of the last answer` };
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
      answer: { ...pendingKeys, wait: 'wt-7k2m9qx4tb-mb1x2k9q-3v8n1c5d7f9g2h4j', answer: null, index: null },
    },
    {
      args: { question: 'Lunch?', answers: ['Yes', 'No'], queue: true, expires_s: 600, detach: true },
      answer: { ...pendingKeys, wait: 'wt-7k2m9qx4tb-mb1x2k9r-3v8n1c5d7f9g2h4j', queued: true, place: 3, answer: null, index: null },
    },
  ],
});

/** A question of the queue is stored with its answers, whether its call stays open or not. */
function queuedChoicesProblem({ queue, answers }: { queue?: boolean; answers: string[] }): Problem | null {
  return queue === true ? detachProblem({ detach: true }, 'answers', answers) : null;
}
