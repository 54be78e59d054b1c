/** The list of a key's robots: which of them it has, and how far it goes. */
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { answerObject, argsObject } from '../actions/action.js';
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { limits } from './limits.js';
import { problemError } from '../validation/problem.js';
import { labelPattern, labelProblem } from './robot-labels.js';
import { RobotSchema } from './robot.js';

const robotIdPattern = '^r-[0-9a-z]{10}$';
const { limitMax, toolLimitDefault, consoleLimitDefault, searchCharsMax, firmwareCharsMax, labelsMax } = limits.robots;

const filters = {
  after: Type.Optional(
    Type.String({
      pattern: robotIdPattern,
      description: 'Only robots behind this id: the next of the slice before. The robot need not exist any more.',
    }),
  ),
  online: Type.Optional(Type.Boolean({ description: 'Only robots that are online (true) or offline (false).' })),
  firmware: Type.Optional(
    Type.String({
      maxLength: firmwareCharsMax,
      description: 'Only robots with exactly this firmware. Empty: robots that never connected.',
    }),
  ),
  label: Type.Optional(
    Type.Array(Type.String({ pattern: labelPattern }), {
      maxItems: labelsMax,
      description: 'Only robots with this label, such as room=r7; of several, only robots with all of them.',
    }),
  ),
};

/** Query of `GET /v1/robots`. */
export const robotsQueryArgs = argsObject({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, description: 'Robots in the answer at most. If omitted: all.' })),
  ...filters,
});

/** Arguments of the tool `robot_list`. */
export const robotListToolArgs = argsObject({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, default: toolLimitDefault, description: 'Robots in the answer at most.' })),
  ...filters,
});

export const robotsAnswer = answerObject({
  robots: Type.Array(RobotSchema, { description: 'Ascending by id.' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Where limit left robots out, the id to pass as after for the next slice; else null.',
  }),
});

export type RobotsQuery = Static<typeof robotsQueryArgs>;

const fitsQuery = compile(robotsQueryArgs);
const fitsTool = compile(robotListToolArgs);
/** Names of the arguments that a query has at most once; others but `label` are ignored. */
export const robotsQueryNames = ['limit', 'after', 'online', 'firmware'] as const;

/**
 * Reads the query of `GET /v1/robots`; unknown names are ignored.
 * @param label every value of the argument `label` @throws {ApiError} bad_argument with `field`
 */
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

/** Query of the page's list: as of `GET /v1/robots`, with a slice size always and a text to look for. */
export interface ConsoleRobotsQuery extends RobotsQuery {
  limit: number;
  /** Part of a name or id, whatever its case; empty: all. */
  search: string;
}

/** Reads the query of the page's list. @throws {ApiError} bad_argument with `field` */
export function validateConsoleRobotsQuery(query: URLSearchParams): ConsoleRobotsQuery {
  const search = query.get('search') ?? '';
  if (search.length > searchCharsMax) throw problemError({ field: 'search', message: `at most ${searchCharsMax} characters` });
  return { limit: consoleLimitDefault, ...validateRobotsQuery(Object.fromEntries(query), query.getAll('label')), search };
}

/** Checks the arguments of the tool `robot_list`, and fills in its limit. @throws {ApiError} bad_argument with `field` */
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
