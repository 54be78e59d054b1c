import { Type, type TSchema } from 'typebox';
import { argsObject, nothingToDo } from '../definition/action.js';
import { compile } from '../validation/ajv.js';
import { checked, trimmedName } from './checked-body.js';
import type { AddKeyBody, RollKeyBody } from './api-keys.js';
import type { AuthorizationQueryBody, ConsentBody } from './authorizations.js';
import type { AddRobotBody, ChangeRobotBody } from './console.js';
import { sharePermissions, type PermissionBody, type SharePermission, type ShareTokenBody } from './sharing.js';
import { keyScopes } from '../api/key-scope.js';
import { limits } from '../base/limits.js';
import { labelKeyProblem, labelProblem, type Labels } from '../robots/robot-labels.js';
import { nameCharsMax } from '../base/plain-text.js';
import { isObject } from '../base/is-object.js';
import { problemError } from '../base/open-object.js';
import { canonicalTimeZone, settingsProblem, type RobotSettings } from '../values/robot-settings.js';

const keyRobotsMax = 200;
/** Guards against mistyped dates. */
const keyYearsMax = 100;
const overlapSMax = 7 * 86_400;

const name = () => Type.String({ maxLength: nameCharsMax });

const code = () => Type.String({ minLength: 1, maxLength: 32 });

const fitsCode = compile<{ code: string }>(argsObject({ code: code() }));
const fitsPairing = compile<AddRobotBody>(argsObject({ code: code(), name: Type.Optional(name()), replace: Type.Optional(Type.Boolean()) }));
const fitsVirtual = compile<AddRobotBody>(argsObject({ virtual: Type.Literal(true), name: Type.Optional(name()) }));
const anything = () => Type.Optional(Type.Unknown());
const fitsRobotChange = compile<ChangeRobotBody>(
  argsObject({ name: Type.Optional(name()), labels: anything(), time_zone: anything(), volume_max: anything(), quiet_hours: anything() }),
);
const keyRobots = () => Type.Union([Type.Literal('*'), Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: keyRobotsMax })]);
const scopesOfKey = () => Type.Array(Type.Enum([...keyScopes]), { minItems: 1, maxItems: keyScopes.length });
const fitsKey = compile<AddKeyBody>(
  argsObject({
    name: name(),
    robots: keyRobots(),
    scopes: Type.Optional(scopesOfKey()),
    expires_at: Type.Optional(Type.String({ maxLength: 64 })),
  } satisfies Record<string, TSchema>),
);

const authorizationQuery = () => Type.String({ minLength: 1, maxLength: 4096 });
const fitsAuthorization = compile<AuthorizationQueryBody>(argsObject({ query: authorizationQuery() }));
const fitsConsent = compile<ConsentBody>(argsObject({ query: authorizationQuery(), robots: keyRobots(), scopes: scopesOfKey() }));

const fitsRoll = compile<RollKeyBody>(argsObject({ overlap_s: Type.Integer({ minimum: 0, maximum: overlapSMax }) }));
const fitsPermission = compile<PermissionBody>(argsObject({ permission: Type.Enum([...sharePermissions]) }));
const fitsShareToken = compile<ShareTokenBody>(argsObject({ token: Type.String({ minLength: 1, maxLength: 128 }) }));

export function validateAddRobot(body: unknown): AddRobotBody {
  const added = checked(isObject(body) && 'virtual' in body ? fitsVirtual : fitsPairing, body, 'a robot to be added');
  return added.name === undefined ? added : { ...added, name: trimmedName(added.name) };
}

export function validatePairingCode(body: unknown): string {
  return checked(fitsCode, body, 'a pairing').code;
}

export function validatePermission(body: unknown): SharePermission {
  return checked(fitsPermission, body, 'sharing a robot').permission;
}

/** Returns a text that may be a token. */
export function validateShareToken(body: unknown): string {
  return checked(fitsShareToken, body, 'a share link').token;
}

export interface RobotChange {
  /** '' removes the name. */
  name?: string;
  labels?: Labels;
  settings: Partial<RobotSettings>;
}

/** @throws {ApiError} bad_argument with `field` */
export function validateRobotChange(body: unknown): RobotChange {
  const { name, labels, ...wanted } = checked(fitsRobotChange, body, 'a robot');
  if (Object.values(body as object).every((value) => value === undefined))
    throw problemError(nothingToDo('name', 'labels', 'time_zone', 'volume_max', 'quiet_hours'));
  const problem = settingsProblem(wanted);
  if (problem !== null) throw problemError(problem);
  const { time_zone, volume_max, quiet_hours } = wanted;
  return {
    ...(name !== undefined && { name: trimmedName(name) }),
    ...(labels !== undefined && { labels: wholeLabels(labels) }),
    settings: {
      ...(time_zone !== undefined && { timeZone: canonicalTimeZone(time_zone)! }),
      ...(volume_max !== undefined && { volumeMax: volume_max }),
      ...(quiet_hours !== undefined && { quietHours: quiet_hours }),
    },
  };
}

function wholeLabels(labels: unknown): Labels {
  const field = 'labels';
  if (!isObject(labels)) throw problemError({ field, message: 'must be an object of texts by key, such as {"room": "r7"}' });
  const entries = Object.entries(labels);
  const { labelsMax } = limits.robots;
  if (entries.length > labelsMax) throw problemError({ field, message: `a robot has at most ${labelsMax} labels` });
  for (const [key, value] of entries) {
    const problem = typeof value === 'string' ? (labelKeyProblem(key) ?? labelProblem(`${key}=${value}`)) : 'a value must be a text';
    if (problem !== null) throw problemError({ field, message: problem });
  }
  return labels as Labels;
}

/** @param now ms @returns `expiresAt` in ms @throws {ApiError} bad_argument with `field` */
export function validateAddKey(body: unknown, now: number): Pick<AddKeyBody, 'name' | 'robots' | 'scopes'> & { expiresAt?: number } {
  const { robots, scopes, expires_at, ...rest } = checked(fitsKey, body, 'a key');
  const key = {
    name: trimmedName(rest.name),
    robots: robots === '*' ? ('*' as const) : [...new Set(robots)],
    ...(scopes === undefined ? {} : { scopes: keyScopes.filter((scope) => scopes.includes(scope)) }),
  };
  if (key.name === '') throw problemError({ field: 'name', message: 'required, so that you can recognise the key later' });
  if (expires_at === undefined) return key;
  const expiresAt = Date.parse(expires_at);
  if (Number.isNaN(expiresAt)) throw problemError({ field: 'expires_at', message: 'must be a date and time, such as 2030-01-31T12:00:00Z' });
  if (expiresAt <= now) throw problemError({ field: 'expires_at', message: 'is in the past; choose a later time' });
  if (expiresAt > now + keyYearsMax * 366 * 86_400_000) throw problemError({ field: 'expires_at', message: `at most ${keyYearsMax} years from now` });
  return { ...key, expiresAt };
}

/** Returns the query of the page's address. */
export function validateAuthorizationQuery(body: unknown): string {
  return checked(fitsAuthorization, body, 'a request of a client').query;
}

export function validateConsent(body: unknown): ConsentBody {
  const { query, robots, scopes } = checked(fitsConsent, body, 'what a client is allowed');
  return { query, robots: robots === '*' ? '*' : [...new Set(robots)], scopes: keyScopes.filter((scope) => scopes.includes(scope)) };
}

/** @returns ms that the secret before works on @throws {ApiError} bad_argument with `field` */
export function validateRollKey(body: unknown): number {
  return checked(fitsRoll, body, 'a new secret').overlap_s * 1000;
}
