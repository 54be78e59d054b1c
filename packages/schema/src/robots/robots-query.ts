import { Type } from 'typebox';
import type { Static } from 'typebox';
import { answerObject, argsObject } from '../definition/action.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { limits } from '../base/limits.js';
import { problemError } from '../base/open-object.js';
import { labelPattern, labelProblem } from './robot-labels.js';
import { RobotSchema } from './robot.js';

const robotIdPattern = '^r-[0-9a-z]{10}$';
const { limitMax, toolLimitDefault, consoleLimitDefault, searchCharsMax, firmwareCharsMax, labelsMax } = limits.robots;

const filters = {
  after: Type.Optional(
    Type.String({
      pattern: robotIdPattern,
      description: 'Only robots after this id: the next of the previous page. The robot may no longer exist.',
    }),
  ),
  online: Type.Optional(Type.Boolean({ description: 'Only robots that are online (true) or offline (false).' })),
  firmware: Type.Optional(
    Type.String({
      maxLength: firmwareCharsMax,
      description: 'Only robots with exactly this firmware. Empty: robots that have never connected.',
    }),
  ),
  label: Type.Optional(
    Type.Array(Type.String({ pattern: labelPattern }), {
      maxItems: labelsMax,
      description: 'Only robots with this label, such as room=r7. If given more than once, only robots with all of the labels.',
    }),
  ),
};

export const robotsQueryArgs = argsObject({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, description: 'Maximum number of robots in the response. If omitted: all.' })),
  ...filters,
});

export const robotListToolArgs = argsObject({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limitMax, default: toolLimitDefault, description: 'Maximum number of robots in the response.' }),
  ),
  ...filters,
});

export const robotsAnswer = answerObject({
  robots: Type.Array(RobotSchema, { description: 'Ascending by id.' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'If there are more robots than limit, the id to pass as after for the next page; otherwise null.',
  }),
});

export type RobotsQuery = Static<typeof robotsQueryArgs>;

const fitsQuery = compile(robotsQueryArgs);
const fitsTool = compile(robotListToolArgs);
/** Query parameters that may be given once. Others except `label` are ignored. */
export const robotsQueryNames = ['limit', 'after', 'online', 'firmware'] as const;

/** Ignores unknown names. @param label every value of the parameter `label` @throws {ApiError} bad_argument with `field` */
export function validateRobotsQuery(query: Readonly<Record<string, string | undefined>>, label: readonly string[] = []): RobotsQuery {
  const args: Record<string, unknown> = label.length === 0 ? {} : { label };
  for (const name of robotsQueryNames) if (query[name] !== undefined) args[name] = query[name];
  const { limit, online } = query;
  if (limit !== undefined) {
    if (!/^-?\d{1,9}$/.test(limit)) throw problemError({ field: 'limit', message: `must be a whole number from 1 to ${limitMax}` });
    args['limit'] = Number(limit);
  }
  if (online !== undefined) {
    if (online !== 'true' && online !== 'false') throw problemError({ field: 'online', message: 'must be true or false' });
    args['online'] = online === 'true';
  }
  return validated(fitsQuery, args);
}

export interface ConsoleRobotsQuery extends RobotsQuery {
  limit: number;
  /** In a name or id, case-insensitive; empty: all. */
  search: string;
}

export function validateConsoleRobotsQuery(query: URLSearchParams): ConsoleRobotsQuery {
  const search = query.get('search') ?? '';
  if ([...search].length > searchCharsMax) throw problemError({ field: 'search', message: `at most ${searchCharsMax} characters` });
  return { limit: consoleLimitDefault, ...validateRobotsQuery(Object.fromEntries(query), query.getAll('label')), search };
}

/** @throws {ApiError} bad_argument with `field` */
export function validateRobotListTool(args: Readonly<Record<string, unknown>>): RobotsQuery & { limit: number } {
  return { limit: toolLimitDefault, ...validated(fitsTool, args) };
}

function validated(fits: ReturnType<typeof compile>, args: Readonly<Record<string, unknown>>): RobotsQuery {
  const { after } = args;
  if (typeof after === 'string' && !new RegExp(robotIdPattern).test(after))
    throw problemError({ field: 'after', message: 'must be the id of a robot, such as r-7k2m9qx4tb' });
  const { label = [] } = args;
  if (Array.isArray(label)) {
    if (label.length > labelsMax) throw problemError({ field: 'label', message: `at most ${labelsMax} labels` });
    for (const each of label as unknown[]) {
      const problem = typeof each === 'string' ? labelProblem(each) : 'must be a string';
      if (problem !== null) throw problemError({ field: 'label', message: problem });
    }
  }
  if (!fits(args)) throw problemError(argumentProblem(fits.errors, args, 'robots'));
  return args;
}
