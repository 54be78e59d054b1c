/** From a body, as it came, to valid arguments, or to the error that says which one is wrong. */
import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { problemError } from '../validation/problem.js';
import { ApiError } from '../api/error.js';
import { actions, compounds } from './index.js';
import type { ActionName, ArgsOf } from './index.js';
import type { Action } from './action.js';
import type { SceneAction } from './scene.js';

const validators = new Map<string, { action: Action; fits: ReturnType<typeof compile> }>(
  [...actions, ...compounds].map((action) => [action.name, { action, fits: compile(action.args) }]),
);

/** Compiles what is else compiled at the first call of each action: a process that is about to take calls. */
export function compileActions(): void {
  for (const { fits } of validators.values()) fits({});
}

/**
 * The arguments of an action: a fresh object of known arguments, defaults filled in, without what counts as absent (`clear: false`, `off: false`, `names: []`).
 * @param body parsed JSON, whatever it is
 * @throws {ApiError} bad_argument with `field`; bad_picture for one that is too long; command_not_passed_on
 */
export function validateArgs<N extends ActionName>(name: N, body: unknown): ArgsOf<N> {
  return validated(name, body) as ArgsOf<N>;
}

/** The arguments of stop, of which there are none. @throws {ApiError} bad_argument with `field` */
export function validateStop(body: unknown): void {
  validated('stop', body);
}

/** One action of a scene, with its valid arguments. */
export type SceneStep = { [N in SceneAction]: { action: N; args: ArgsOf<N> } }[SceneAction];

/** Every action of a scene. @throws {ApiError} as `validateArgs`, with a `field` such as `actions[2].text` */
export function validateScene(body: unknown): SceneStep[] {
  const { actions: sent } = validated('scene', body) as { actions: ({ action: SceneAction } & Record<string, unknown>)[] };
  return sent.map(({ action, ...args }, at) => {
    try {
      return { action, args: validateArgs(action, args) } as SceneStep;
    } catch (error) {
      throw error instanceof ApiError ? inScene(error, at) : error;
    }
  });
}

/** An error of one action of a scene, which names it. */
export function inScene(error: ApiError, at: number): ApiError {
  const path = `actions[${at}]`;
  const { code, message, field, cause, retryAfterS } = error;
  const named = field === undefined ? path : `${path}.${field}`;
  const told = field !== undefined && message.startsWith(`${field}:`) ? `${path}.${message}` : `${named}: ${message}`;
  return new ApiError(code, told, { field: named, cause, retryAfterS });
}

function validated(name: string, body: unknown): Record<string, unknown> {
  const { action, fits } = validators.get(name)!;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw problemError({ message: notAnObject });
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, name));
  const sent = body as Record<string, unknown>;
  const args: Record<string, unknown> = {};
  for (const key in action.args.properties) {
    const value = Object.hasOwn(sent, key) ? sent[key] : undefined;
    if (value === undefined || (value === false && action.falseIsAbsent.includes(key))) continue;
    if (Array.isArray(value) && value.length === 0 && action.emptyIsAbsent.includes(key)) continue;
    args[key] = value;
  }
  const problem = action.rules?.(args) ?? null;
  if (problem !== null) throw problemError(problem);
  for (const key of action.defaults) {
    if (args[key] === undefined) args[key] = fresh((action.args.properties[key] as { default?: unknown }).default);
  }
  return args;
}

/**
 * The arguments of the GET form of events: numbers are read from text, names from a comma-separated list; anything else is ignored.
 * @throws {ApiError} bad_argument with `field`
 */
export function validateEventsQuery(query: Record<string, unknown>): ArgsOf<'events'> {
  const body: Record<string, unknown> = {};
  for (const key of ['after', 'seconds'] as const) {
    const text = query[key];
    if (text === undefined) continue;
    if (typeof text !== 'string' || !/^-?\d{1,20}(\.\d{1,20})?$/.test(text)) throw problemError({ field: key, message: 'must be a number, once' });
    body[key] = Number(text);
  }
  const names = query['names'];
  if (names !== undefined) {
    const texts = Array.isArray(names) ? names : [names];
    if (!texts.every((text) => typeof text === 'string')) throw problemError({ field: 'names', message: 'must be event names with commas between' });
    body['names'] = texts
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== '');
  }
  return validateArgs('events', body);
}

/**
 * The same of a stream of events: the id of the last one received counts before `after`, since a client that reconnects repeats its first address.
 * @param lastEventId the header `Last-Event-ID` as it came
 * @throws {ApiError} bad_argument with `field`
 */
export function validateEventsStream(query: Record<string, unknown>, lastEventId: string | undefined): ArgsOf<'events'> {
  const args = validateEventsQuery(query);
  if (lastEventId === undefined) return args;
  const after = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : NaN;
  if (!Number.isSafeInteger(after)) throw problemError({ field: 'Last-Event-ID', message: 'must be the id of an event, a whole number' });
  return { ...args, after };
}

/** Nobody gets hold of the schema's own. */
function fresh(value: unknown): unknown {
  return typeof value === 'object' ? structuredClone(value) : value;
}

const notAnObject = 'The body must be a JSON object of arguments; where there are none, send {}.';
