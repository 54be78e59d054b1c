/** The bodies that the page sends, as packages/schema/src/console.ts has them, written a second time: what each must become. */
import type { ServedAction } from '../served.js';
import { compiler, faultyFields } from '../served.js';
import { isRecord } from '../generate/json.js';
import type { Probe, Schema } from '../generate/probes.js';
import { done, wrong, type End } from './ends.js';
import { password } from './people.js';
import { standIns } from './stand-ins.js';

/** What a route takes: bodies that fit, and what becomes of any other. */
export interface BodyKind {
  served: ServedAction;
  /** More to try at an argument. */
  probes: Readonly<Record<string, readonly Probe[]>>;
  endsOf: (body: unknown) => readonly End[];
}

export const bodyBytesMax = 16_384;

/** Of what may be anything. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const compile = compiler();
const text = (more: Partial<Schema> = {}): Schema => ({ type: 'string', minLength: 1, ...more });
const name: Schema = { type: 'string', maxLength: 64 };
const newPassword = text({ minLength: 10, maxLength: 200 });

function kind(
  args: Schema & { additionalProperties?: false },
  examples: Record<string, unknown>[],
  more: Partial<Omit<BodyKind, 'served'>> & { right: (body: Record<string, unknown>) => readonly End[] },
): BodyKind {
  const schema = { type: 'object', additionalProperties: false, ...args };
  const served: ServedAction = { name: '', args: schema, examples, fits: compile(schema), answerFits: compile({}), steps: null };
  return {
    served,
    probes: more.probes ?? {},
    endsOf: (body) => {
      if (!isRecord(body)) return [wrong('')];
      if (served.fits(body)) return more.right(body);
      const { errors } = served.fits;
      const others = more.right(body).flatMap(({ status, fields: named = [] }) => (status === 400 ? named : []));
      return [wrong(...faultyFields(errors), ...others)];
    },
  };
}

/** What looks like an address, what does not, and what may or may not. */
function emailEnds(email: string, right: readonly End[]): readonly End[] {
  const address = email.trim();
  const parts = address.split('@');
  if (parts.length !== 2 || parts.includes('') || address.length > 254) return [wrong('email')];
  return /^[\w.+-]+@[\w.-]+$/.test(address) ? right : [...right, wrong('email')];
}

const emails: Probe[] = [
  'a@b',
  ' a@b ',
  'a',
  '@',
  'a@',
  '@b',
  'a@b@c',
  'a b@c',
  'a@b\n',
  'a\n@b',
  'a@b\r\nbcc: c@d',
  '<a@b>',
  '"a"@b',
  'a@[127.0.0.1]',
  'ä@bücher.example',
  'a@\u202eb',
  'a\u0000@b',
  'a@b,c@d',
  `${'a'.repeat(252)}@b`,
  `${'a'.repeat(253)}@b`,
  `${'漢'.repeat(126)}@b`,
  `${'🤖'.repeat(127)}@b`,
  standIns.ownEmail,
  standIns.ownEmail.toUpperCase(),
].map((value) => ({ what: `the address ${JSON.stringify(value.slice(0, 40))}`, value }));

const busy: End = { status: 503, code: 'too_busy' };

export const signUpBody = kind(
  { properties: { email: text(), password: newPassword, invitation: text() }, required: ['email', 'password'] },
  [
    { email: standIns.newEmail, password },
    { email: standIns.newEmail, password, invitation: standIns.invitation },
    { email: standIns.newEmail, password, invitation: 'pi_none' },
    { email: standIns.ownEmail, password },
  ],
  {
    probes: { email: emails },
    right: ({ email }) => emailEnds(textOf(email), [...done, busy, { status: 409, code: 'conflict', fields: ['email'] }]),
  },
);

/** Where accounts are made by invitation alone. @param ends where anybody may make one @param body as it is drafted */
export function endsByInvitation(ends: readonly End[], body: string): readonly End[] {
  if (body.includes(standIns.invitation) || !ends.some(({ status }) => status === 200)) return ends;
  return [...ends.filter(({ status }) => status === 400), { status: 403, code: 'sign_up_closed', fields: ['invitation'] }];
}

/** Who is unknown, or wrong, is told the same. */
const wrongCredentials: End = { status: 401, code: 'wrong_credentials' };

const byPassword = kind(
  { properties: { email: text(), password: text({ maxLength: 200 }) }, required: ['email', 'password'] },
  [
    { email: standIns.ownEmail, password },
    { email: standIns.newEmail, password },
  ],
  {
    probes: { email: emails },
    right: ({ email, password: given }) =>
      emailEnds(
        textOf(email),
        email === standIns.ownEmail && given === password ? [...done, busy] : [...(isOwn(email) ? done : []), wrongCredentials, busy],
      ),
  },
);

/** In whatever case it is written. */
function isOwn(email: unknown): boolean {
  return textOf(email).trim().toLowerCase() === standIns.ownEmail;
}

const byLink = kind({ properties: { link: text() }, required: ['link'] }, [{ link: standIns.link }, { link: 'pl_none' }], {
  right: ({ link }) => (link === standIns.link ? done : [wrongCredentials]),
});

export const signInBodies: readonly BodyKind[] = [
  {
    ...byPassword,
    // A link counts alone; what may stand beside it nobody said.
    endsOf: (body) =>
      isRecord(body) && Object.hasOwn(body, 'link')
        ? [...byLink.endsOf({ link: body['link'] }), ...byPassword.endsOf(body)]
        : byPassword.endsOf(body),
  },
  {
    ...byLink,
    endsOf: (body) => (isRecord(body) && !Object.hasOwn(body, 'link') ? [...byLink.endsOf(body), ...byPassword.endsOf(body)] : byLink.endsOf(body)),
  },
];

export const passwordBody = kind(
  { properties: { current: text({ maxLength: 200 }), password: newPassword }, required: ['current', 'password'] },
  [
    { current: password, password: 'another-horse-battery-91ab' },
    { current: 'wrong-horse-battery-3d', password: 'another-horse-battery-91ab' },
  ],
  { right: ({ current }) => (current === password ? [...done, busy] : [{ status: 401, code: 'wrong_credentials', fields: ['current'] }, busy]) },
);

/** What no list can show; blanks around a name are no part of it. */
function nameEnds(given: unknown, right: readonly End[]): readonly End[] {
  return /\p{Cc}/u.test(textOf(given).trim()) ? [wrong('name')] : right;
}

const wrongCodes: End = { status: 429, code: 'rate_limited' };

const byCode = kind(
  { properties: { code: text({ maxLength: 32 }), name }, required: ['code'] },
  [{ code: standIns.code }, { code: `${standIns.code.slice(0, 4)}-${standIns.code.slice(4)}`, name: 'Ada' }, { code: 'ABCD-EFGH', name: 'Ada' }],
  {
    right: ({ code, name: given }) =>
      nameEnds(given, textOf(code).includes(standIns.code) ? [...done, wrong('code'), wrongCodes] : [wrong('code'), wrongCodes]),
  },
);

const asVirtual = kind(
  { properties: { virtual: { const: true }, name }, required: ['virtual'] },
  [{ virtual: true }, { virtual: true, name: 'Ada' }],
  { right: ({ name: given }) => nameEnds(given, done) },
);

/** Of a robot that is both, either may be told. */
function eitherRobot(body: unknown): readonly End[] {
  if (!isRecord(body)) return [wrong('')];
  return [
    ...(Object.hasOwn(body, 'virtual') ? asVirtual.endsOf(body) : []),
    ...(Object.hasOwn(body, 'virtual') && !Object.hasOwn(body, 'code') ? [] : byCode.endsOf(body)),
  ];
}

export const addRobotBodies: readonly BodyKind[] = [
  { ...byCode, endsOf: eitherRobot },
  { ...asVirtual, endsOf: eitherRobot },
];

export const renameBody = kind({ properties: { name }, required: ['name'] }, [{ name: 'Ada' }, { name: '' }], {
  right: (body) => nameEnds(body['name'], done),
});

const soon = '2030-01-31T12:00:00Z';

export const addKeyBody = kind(
  {
    properties: {
      name,
      robots: { anyOf: [{ const: '*' }, { type: 'array', items: text({ maxLength: 64 }), minItems: 1, maxItems: 200 }] },
      expires_at: { type: 'string', maxLength: 64 },
    },
    required: ['name', 'robots'],
  },
  [
    { name: 'Ada', robots: '*' },
    { name: 'Ada', robots: [standIns.virtualRobot, standIns.plainRobot], expires_at: soon },
    { name: 'Ada', robots: [standIns.foreignRobot] },
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
      robots: [standIns.foreignRobot, 'r-0000000000', '__proto__', '', '*', '\u0000'].map((robot) => ({
        what: `the robot ${robot}`,
        value: [standIns.virtualRobot, robot],
      })),
    },
    right: ({ name: given, robots, expires_at: expiresAt }) => {
      const fields = [
        ...(textOf(given).trim() === '' || /\p{Cc}/u.test(textOf(given).trim()) ? ['name'] : []),
        ...(Array.isArray(robots)
          ? robots.flatMap((robot, i) => (robot === standIns.virtualRobot || robot === standIns.plainRobot ? [] : [`robots[${i}]`]))
          : []),
      ];
      const time = expiresAt === undefined ? 'right' : timeIs(textOf(expiresAt));
      if (fields.length > 0) return [wrong(...fields, ...(time === 'right' ? [] : ['expires_at']))];
      return [...(time === 'wrong' ? [] : done), ...(time === 'right' ? [] : [wrong('expires_at')])];
    },
  },
);

/** RFC 3339 is taken; what else the platform reads as a time may be. */
function timeIs(time: string): 'right' | 'wrong' | 'either' {
  const at = Date.parse(time);
  if (Number.isNaN(at) || at <= Date.now()) return 'wrong';
  return time === soon ? 'right' : 'either';
}
