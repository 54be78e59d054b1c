/** Waits that outlive their call: `GET /v1/waits/{wait}`, the tool robot_answer and the event `answered`. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { answerObject, argsObject } from '../definition/action.js';
import { queueFields, IndexSchema, nullable, waitFields, WaitIdSchema } from '../definition/wait.js';
import type { WaitChoice, WaitKind, WaitOutcome } from '../internal/messages.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { oneOf, problemError } from '../base/open-object.js';
import { waitKinds } from '../robots/event.js';
import { limits } from '../base/limits.js';

const { readSDefault, readSMax, toolReadS } = limits.wait;

const seconds = (fallback: number) =>
  Type.Number({
    minimum: 0,
    maximum: readSMax,
    default: fallback,
    description: `Seconds to go on waiting; default ${fallback}, at most ${readSMax}.`,
  });

export const waitReadArgs = argsObject({ seconds: Type.Optional(seconds(readSDefault)) });

export const answerToolArgs = argsObject({
  wait: Type.Optional(
    Type.String({ description: 'The wait, as a question with outcome pending names it; default: of the newest question of this key.' }),
  ),
  seconds: Type.Optional(seconds(toolReadS)),
});

export const waitAnswer = answerObject({
  ...waitFields,
  ...queueFields,
  wait: WaitIdSchema,
  robot: Type.String({ description: 'Id of the robot that asks.' }),
  action: oneOf(waitKinds),
  index: IndexSchema,
  answer: Type.Optional(nullable(Type.String(), 'For ask: text of the tapped answer.')),
  item: Type.Optional(nullable(Type.String(), 'For menu: id of the tapped item, or its label.')),
  label: Type.Optional(nullable(Type.String(), 'For menu: label of the tapped item.')),
  region: Type.Optional(nullable(Type.String(), 'For clickmap: id of the tapped region.')),
  x: Type.Optional(nullable(Type.Number(), 'For clickmap: screen pixels, 320x240.')),
  y: Type.Optional(nullable(Type.Number(), 'For clickmap: screen pixels, 320x240.')),
});

export const waitRemovedAnswer = answerObject({});

export type WaitAnswer = Static<typeof waitAnswer>;

const fitsRead = compile(waitReadArgs);
const fitsTool = compile(answerToolArgs);

/** @param query as in the query string @throws {ApiError} bad_argument */
export function validateWaitRead({ seconds: text }: Readonly<Record<string, string | undefined>>): { seconds: number } {
  if (text !== undefined && !/^-?\d{1,20}(\.\d{1,20})?$/.test(text)) throw problemError({ field: 'seconds', message: 'must be a single number' });
  const args = text === undefined ? {} : { seconds: Number(text) };
  if (!fitsRead(args)) throw problemError(argumentProblem(fitsRead.errors, args, 'waits'));
  return { seconds: readSDefault, ...args };
}

/** @throws {ApiError} bad_argument */
export function validateAnswerTool(args: Readonly<Record<string, unknown>>): { wait?: string; seconds: number } {
  if (!fitsTool(args)) throw problemError(argumentProblem(fitsTool.errors, args, 'robot_answer'));
  return { seconds: toolReadS, ...(args as Static<typeof answerToolArgs>) };
}

export interface TappedFields {
  index: number | null;
  answer?: string | null;
  item?: string | null;
  label?: string | null;
  region?: string | null;
  x?: number | null;
  y?: number | null;
}

/** Returns what a wait answers beside its outcome: the fields of its action, null without a tap. */
export function tappedFields(action: WaitKind, choices: readonly WaitChoice[], outcome: WaitOutcome | null): TappedFields {
  const tapped = outcome?.outcome === 'answered' ? outcome : null;
  const index = tapped?.index ?? null;
  const choice: WaitChoice = index === null ? {} : (choices[index] ?? {});
  const { id = null, label = null } = choice;
  switch (action) {
    case 'ask':
      return { answer: label, index };
    case 'menu':
      return { item: id ?? label, index, label };
    case 'clickmap':
      return { region: id, index, x: tapped?.x ?? null, y: tapped?.y ?? null };
  }
}
