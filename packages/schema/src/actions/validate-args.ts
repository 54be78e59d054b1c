import { compile } from '../validation/ajv.js';
import { argumentProblem } from '../validation/argument-problem.js';
import { problemError } from '../base/open-object.js';
import { ApiError } from '../base/error.js';
import { actions, compounds } from './index.js';
import type { ActionName, ArgsOf } from './index.js';
import type { Action } from '../definition/action.js';
import { lateWaitProblem, type SceneAction } from './scene.js';
import { limits } from '../base/limits.js';
import { isObject } from '../base/is-object.js';

const validators = new Map<string, { action: Action; fits: ReturnType<typeof compile> }>(
  [...actions, ...compounds].map((action) => [action.name, { action, fits: compile(action.args) }]),
);

/** Compiles the schemas for a process that is about to accept calls: otherwise the first call of each action would. */
export function compileActions(): void {
  for (const { fits } of validators.values()) fits({});
}

/** With defaults, without what counts as absent (`clear: false`). @throws {ApiError} bad_argument with `field`, bad_picture, command_not_passed_on */
export function validateArgs<N extends ActionName>(name: N, body: unknown): ArgsOf<N> {
  return validated(name, body) as ArgsOf<N>;
}

/** Rejects any argument: stop takes none. @throws {ApiError} bad_argument with `field` */
export function validateStop(body: unknown): void {
  validated('stop', body);
}

/** `atMs`: null starts the step once those before it are confirmed. */
export type SceneStep = { [N in SceneAction]: { action: N; args: ArgsOf<N>; atMs: number | null } }[SceneAction];

/** @throws {ApiError} as `validateArgs`, with a `field` such as `actions[2].text` */
export function validateScene(body: unknown): SceneStep[] {
  const { actions: sent } = validated('scene', body) as { actions: ({ action: SceneAction; at_ms?: number } & Record<string, unknown>)[] };
  const steps = sent.map(({ action, at_ms: atMs = null, ...args }, at) => {
    try {
      return { action, args: validateArgs(action, args), atMs } as SceneStep;
    } catch (error) {
      throw error instanceof ApiError ? inScene(error, at) : error;
    }
  });
  const last = steps.at(-1)!;
  // The scene's times leave no room for a question that waits for as long as its pages need.
  if (last.action === 'ask' && steps.some(({ atMs }) => (atMs ?? 0) > 0)) last.args.timeout_s ??= limits.wait.timeoutSDefault;
  const problem = lateWaitProblem(steps);
  if (problem !== null) throw problemError(problem);
  return steps;
}

export function inScene(error: ApiError, at: number): ApiError {
  const path = `actions[${at}]`;
  const { message, field } = error;
  const named = field === undefined ? path : `${path}.${field}`;
  const text = field !== undefined && message.startsWith(`${field}:`) ? `${path}.${message}` : `${named}: ${message}`;
  return error.with(text, { field: named });
}

function validated(name: string, body: unknown): Record<string, unknown> {
  const { action, fits } = validators.get(name)!;
  if (!isObject(body)) throw problemError({ message: notAnObject });
  if (!fits(body)) throw problemError(argumentProblem(fits.errors, body, name));
  const args: Record<string, unknown> = {};
  for (const key in action.args.properties) {
    const value = Object.hasOwn(body, key) ? body[key] : undefined;
    if (value === undefined || (value === false && action.falseIsAbsent.includes(key))) continue;
    if (Array.isArray(value) && value.length === 0 && action.emptyIsAbsent.includes(key)) continue;
    args[key] = value;
  }
  const problem = action.rules?.(args) ?? null;
  if (problem !== null) throw problemError(problem);
  for (const key of action.defaults) {
    if (args[key] === undefined) args[key] = copied((action.args.properties[key] as { default?: unknown }).default);
  }
  return args;
}

/** Parses numbers, and names as a comma-separated list; ignores other parameters. @throws {ApiError} bad_argument with `field` */
export function validateEventsQuery(query: Record<string, unknown>): ArgsOf<'events'> {
  const body: Record<string, unknown> = {};
  for (const key of ['after', 'seconds'] as const) {
    const text = query[key];
    if (text === undefined) continue;
    if (typeof text !== 'string' || !/^-?\d{1,20}(\.\d{1,20})?$/.test(text)) throw problemError({ field: key, message: 'must be a single number' });
    body[key] = Number(text);
  }
  const names = query['names'];
  if (names !== undefined) {
    const texts = Array.isArray(names) ? names : [names];
    if (!texts.every((text) => typeof text === 'string')) throw problemError({ field: 'names', message: 'must be event names separated by commas' });
    body['names'] = texts
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== '');
  }
  return validateArgs('events', body);
}

/** `Last-Event-ID` takes precedence over `after`, because a client that reconnects repeats its first URL. @throws {ApiError} bad_argument */
export function validateEventsStream(query: Record<string, unknown>, lastEventId: string | undefined): ArgsOf<'events'> {
  const args = validateEventsQuery(query);
  if (lastEventId === undefined) return args;
  const after = /^\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : NaN;
  if (!Number.isSafeInteger(after)) throw problemError({ field: 'Last-Event-ID', message: 'must be the id of an event: a whole number' });
  return { ...args, after };
}

/** Copies a default, so that no caller can modify the schema's object. */
function copied(value: unknown): unknown {
  return typeof value === 'object' ? structuredClone(value) : value;
}

const notAnObject = 'The body must be a JSON object of arguments; send {} for none.';
