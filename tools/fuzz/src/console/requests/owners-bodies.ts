/** A second implementation of packages/schema/src/console/console.ts. */
import { isRecord } from '../../generate/json.js';
import type { Schema } from '../../generate/probes.js';
import { kind, text, textOf, type BodyKind } from './body-kind.js';
import { done, wrong, type End } from './expected-results.js';
import { placeholders } from './placeholders.js';

export const nameSchema: Schema = { type: 'string', maxLength: 64 };
const name = nameSchema;

const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

export function nameEnds(given: unknown, right: readonly End[]): readonly End[] {
  return unprintable.test(textOf(given).trim()) ? [wrong('name')] : right;
}

const wrongCodes: End = { status: 429, code: 'rate_limited' };

const byCode = kind(
  { properties: { code: text({ maxLength: 32 }), name, replace: { type: 'boolean' } }, required: ['code'] },
  [
    { code: placeholders.code },
    { code: `${placeholders.code.slice(0, 4)}-${placeholders.code.slice(4)}`, name: 'Ada' },
    { code: 'ABCD-EFGH', name: 'Ada' },
  ],
  {
    right: ({ code, name: given }) =>
      nameEnds(given, textOf(code).includes(placeholders.code) ? [...done, wrong('code'), wrongCodes] : [wrong('code'), wrongCodes]),
  },
);

const asVirtual = kind(
  { properties: { virtual: { const: true }, name }, required: ['virtual'] },
  [{ virtual: true }, { virtual: true, name: 'Ada' }],
  { right: ({ name: given }) => nameEnds(given, done) },
);

/** Accepts a body for a virtual robot or a paired one; with both in it, either error. */
function eitherRobot(body: unknown): readonly End[] {
  if (!isRecord(body)) return [wrong('')];
  return [
    ...(Object.hasOwn(body, 'virtual') ? asVirtual.endsOf(body) : []),
    ...(Object.hasOwn(body, 'virtual') && !Object.hasOwn(body, 'code') ? [] : byCode.endsOf(body)),
  ];
}

export const pairingBody = kind(
  { properties: { code: text({ maxLength: 32 }) }, required: ['code'] },
  [{ code: placeholders.code }, { code: 'ABCD-EFGH' }],
  {
    right: ({ code: typed }) => (textOf(typed).includes(placeholders.code) ? [...done, wrong('code'), wrongCodes] : [wrong('code'), wrongCodes]),
  },
);

export const addRobotBodies: readonly BodyKind[] = [
  { ...byCode, endsOf: eitherRobot },
  { ...asVirtual, endsOf: eitherRobot },
];

const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;
const times: Schema = { type: 'string', maxLength: 16 };

function areHours({ from, to, ...others }: Record<string, unknown>): boolean {
  return timeOfDay.test(textOf(from)) && timeOfDay.test(textOf(to)) && from !== to && Object.keys(others).length === 0;
}

export const changeRobotBody = kind(
  {
    properties: {
      name,
      labels: { type: 'object' },
      time_zone: { type: 'string', maxLength: 64 },
      volume_max: { anyOf: [{ type: 'integer', minimum: 0, maximum: 100 }, { type: 'null' }] },
      quiet_hours: {
        anyOf: [{ type: 'object', properties: { from: times, to: times }, required: ['from', 'to'] }, { type: 'null' }],
      },
    },
  },
  [
    { name: 'Ada' },
    { name: '' },
    { labels: { room: 'r7' }, time_zone: 'Europe/Berlin', volume_max: 30, quiet_hours: { from: '22:00', to: '07:00' } },
    { labels: {}, volume_max: null, quiet_hours: null },
  ],
  {
    probes: {
      time_zone: ['', 'UTC', 'europe/berlin', 'Mars/Olympus', '+01:00', '__proto__', 'UTC\n', '../etc'].map((value) => ({
        what: `the time zone ${JSON.stringify(value)}`,
        value,
      })),
      labels: [{ room: 'a;b' }, { Room: 'a' }, { room: 7 }, { 'a=b': 'c' }].map((value) => ({ what: `the labels ${JSON.stringify(value)}`, value })),
    },
    right: (body) => {
      const wrongFields = ['labels', 'time_zone'].filter((field) => body[field] !== undefined);
      const hours = body['quiet_hours'];
      if (isRecord(hours) && !areHours(hours)) return [wrong('quiet_hours', 'quiet_hours.from', 'quiet_hours.to', 'name', ...wrongFields)];
      if (Object.values(body).every((value) => value === undefined)) return [wrong('')];
      // Labels and time zones have rules of their own, which their probes break.
      const right = nameEnds(body['name'], done);
      return wrongFields.length === 0 ? right : [...right, ...wrongFields.map((field) => wrong(field))];
    },
  },
);

const full: End = { status: 409, code: 'conflict' };

export const permissionBody = kind(
  { properties: { permission: { enum: ['watch', 'use'] } }, required: ['permission'] },
  [{ permission: 'watch' }, { permission: 'use' }],
  { right: () => [...done, full] },
);

/** No token of these works. */
export const shareTokenBody = kind(
  { properties: { token: text({ minLength: 1, maxLength: 128 }) }, required: ['token'] },
  [{ token: `pg_0000000000${'A'.repeat(43)}` }, { token: 'pg_' }, { token: placeholders.link }],
  { right: () => [{ status: 404, code: 'not_found' }] },
);

const keyRobots: Schema = { anyOf: [{ const: '*' }, { type: 'array', items: text({ maxLength: 64 }), minItems: 1, maxItems: 200 }] };
const keyScopes: Schema = { type: 'array', items: { enum: ['read', 'act', 'ask', 'approve'] }, minItems: 1, maxItems: 4 };
const query = text({ maxLength: 4096 });
/** None names a client that exists. */
const queries = [
  'client_id=c-0000000000&response_type=code&redirect_uri=http%3A%2F%2F127.0.0.1%2F',
  'client_id=https%3A%2F%2F127.0.0.1%2Fclient.json',
  'client_id=a&client_id=b',
  'client_id=__proto__',
  'redirect_uri=javascript%3Aalert(1)',
  '%',
];

export const authorizationQueryBody = kind(
  { properties: { query }, required: ['query'] },
  queries.map((each) => ({ query: each })),
  { right: () => [wrong('')] },
);

export const consentBody = kind(
  { properties: { query, robots: keyRobots, scopes: keyScopes }, required: ['query', 'robots', 'scopes'] },
  queries.map((each) => ({ query: each, robots: '*', scopes: ['read'] })),
  { right: () => [wrong('')] },
);

const soon = '2030-01-31T12:00:00Z';

export const addKeyBody = kind(
  {
    properties: {
      name,
      robots: keyRobots,
      scopes: keyScopes,
      expires_at: { type: 'string', maxLength: 64 },
    },
    required: ['name', 'robots'],
  },
  [
    { name: 'Ada', robots: '*' },
    { name: 'Ada', robots: '*', scopes: ['read', 'ask'] },
    { name: 'Ada', robots: [placeholders.virtualRobot, placeholders.plainRobot], expires_at: soon },
    { name: 'Ada', robots: [placeholders.foreignRobot] },
  ],
  {
    probes: {
      expires_at: [
        '1970-01-01T00:00:00Z',
        '2999-01-01T00:00:00Z',
        '+275760-09-13T00:00:00.000Z',
        '2030-13-01T00:00:00Z',
        '2030-02-30T00:00:00Z',
        '2030-01-31',
        'tomorrow',
        '0',
        `${soon}\n`,
        '９',
      ].map((value) => ({ what: `the time ${value}`, value })),
      robots: [placeholders.foreignRobot, 'r-0000000000', 'hooked-accounts', '}', '__proto__', '', '*', '\u0000'].map((robot) => ({
        what: `the robot ${robot}`,
        value: [placeholders.virtualRobot, robot],
      })),
    },
    right: ({ name: given, robots, expires_at: expiresAt }) => {
      const fields = [
        ...(textOf(given).trim() === '' || unprintable.test(textOf(given).trim()) ? ['name'] : []),
        ...(Array.isArray(robots)
          ? robots.flatMap((robot, i) => (robot === placeholders.virtualRobot || robot === placeholders.plainRobot ? [] : [`robots[${i}]`]))
          : []),
      ];
      const time = expiresAt === undefined ? 'right' : timeIs(textOf(expiresAt));
      if (fields.length > 0) return [wrong(...fields, ...(time === 'right' ? [] : ['expires_at']))];
      return [...(time === 'wrong' ? [] : done), ...(time === 'right' ? [] : [wrong('expires_at')])];
    },
  },
);

export const rollKeyBody = kind(
  { properties: { overlap_s: { type: 'integer', minimum: 0, maximum: 604_800 } }, required: ['overlap_s'] },
  [{ overlap_s: 0 }, { overlap_s: 3600 }],
  { right: () => done },
);

/** RFC 3339 is accepted; other formats the platform can parse may be. */
function timeIs(time: string): 'right' | 'wrong' | 'either' {
  const at = Date.parse(time);
  if (Number.isNaN(at) || at <= Date.now()) return 'wrong';
  return time === soon ? 'right' : 'either';
}
