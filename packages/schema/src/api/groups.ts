/** Calls to groups: one action on every robot that has a label. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { actions } from '../actions/index.js';
import type { ActionName } from '../actions/index.js';
import { answerObject, argsObject } from '../definition/action.js';
import { openObject, oneOf, problemError } from '../base/open-object.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { limits } from '../base/limits.js';

export type GroupAction = ActionName | 'stop';

/** Not scenes, whose cost would be that of their actions on each robot. */
export const groupActions: readonly GroupAction[] = [...actions.map(({ name }) => name), 'stop'];

/** When a question to a group ends: with the first answer, or when every robot has ended its own. */
export const groupAnswersModes = ['first', 'all'] as const;
export type GroupAnswers = (typeof groupAnswersModes)[number];

const RobotAnswerSchema = Type.Object(
  { robot: Type.String({ description: "The robot's id." }), ok: Type.Boolean() },
  { additionalProperties: true, description: "The robot's id, and its response or failure as the same call to it alone has." },
);

export const GroupAnswerSchema = answerObject({
  robots: Type.Array(RobotAnswerSchema, { maxItems: limits.groups.robotsMax, description: 'One for each robot of the group, ascending by id.' }),
  failed: Type.Integer({ minimum: 0, description: 'Robots whose call failed.' }),
  first: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        'With answers first, the robot at which somebody answered; null: none. The questions of the others have disappeared: their outcome is replaced.',
    }),
  ),
});

/** Reading the states of a group would fill a model's context. */
export const groupToolActions = groupActions.filter((name) => name !== 'state' && name !== 'events');

export const groupToolArgs = argsObject({
  label: Type.String(),
  action: oneOf(groupToolActions),
  args: Type.Optional(openObject()),
  answers: Type.Optional(oneOf(groupAnswersModes)),
});

export type GroupAnswer = Static<typeof GroupAnswerSchema>;

const fitsTool = compile(groupToolArgs);

/** @throws {ApiError} bad_argument with `field` */
export function validateGroupTool(args: Readonly<Record<string, unknown>>): Static<typeof groupToolArgs> {
  if (!fitsTool(args)) throw problemError(argumentProblem(fitsTool.errors, args, 'group'));
  return args as Static<typeof groupToolArgs>;
}

/** Whether a call of the tool stays open until people tap. @param args unchecked */
export function groupWaits({ action }: Readonly<Record<string, unknown>>): boolean {
  return actions.find(({ name }) => name === action)?.waits === true;
}
