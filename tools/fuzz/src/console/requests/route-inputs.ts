import type { BodyKind } from './body-kind.js';
import { done, notFound, wrong, type End } from './expected-results.js';
import {
  addKeyBody,
  addRobotBodies,
  authorizationQueryBody,
  changeRobotBody,
  consentBody,
  pairingBody,
  permissionBody,
  rollKeyBody,
  shareTokenBody,
} from './owners-bodies.js';
import {
  findResetBody,
  passwordBody,
  removalBody,
  requestResetBody,
  resetPasswordBody,
  signInBodies,
  signUpBody,
  verifyEmailBody,
} from '../auth/auth-bodies.js';
import { addPasskeyBody, passkeyNameBody, passkeyOptionsBody, removePasskeyBody, wrongHost } from '../auth/passkey-bodies.js';
import { placeholders } from './placeholders.js';

export interface RouteInputs {
  /** Values of the parameter in braces, the last if there are two. The first is then the sender's virtual robot. */
  params?: readonly Param[];
  bodies?: readonly BodyKind[];
  queries?: readonly (string | Query)[];
  headers?: readonly string[];
  /** If they differ from `done` and the body has none. */
  ends?: readonly End[];
}

export interface Query {
  value: string;
  ends: readonly End[];
}

export interface Param {
  value: string;
  ends: readonly End[];
}

const noRobot: End = { status: 404, code: 'unknown_robot' };

const otherKeys = [`email%3A${placeholders.ownEmailHash}`, `email%3A${'0'.repeat(64)}`, 'hooked-accounts', 'accounts', 'ledger', '%7D', '%7B%7D'];

export function foreignIds(foreign: string, own: string): Param[] {
  return [
    foreign,
    foreign.toUpperCase(),
    `${foreign}%00`,
    `${own}%00`,
    `%20${own}`,
    `${own}%2fscreen`,
    `${own};x=1`,
    own.toUpperCase(),
    'r-0000000000',
    'k-0000000000',
    ...otherKeys,
    'session',
    '%00',
    '%ff',
    '%zz',
    '%',
    '..',
    '.',
    '',
    '%2e%2e',
    '%2e%2e%2fkeys',
    '*',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '%F0%9F%92%A5',
    '%0d%0aFLUSHALL',
    'x'.repeat(5000),
  ].map((value) => ({ value, ends: [notFound] }));
}

const robots = (...own: Param[]): readonly Param[] => [...own, ...foreignIds(placeholders.foreignRobot, placeholders.virtualRobot)];
const passkeys: readonly Param[] = [{ value: placeholders.passkey, ends: done }, ...foreignIds(placeholders.foreignPasskey, placeholders.passkey)];
const silent: readonly End[] = [
  { status: 404, code: 'not_found' },
  { status: 503, code: 'robot_offline' },
];
const screenQueries = [
  '',
  '?id=',
  '?id=w1',
  '?id=w9999999999999999',
  '?id=w99999999999999999',
  '?id=__proto__',
  '?id=%00',
  '?id=%zz',
  '?id=a&id=b',
  `?id=${'0'.repeat(64)}`,
  `?id=c-${'a'.repeat(43)}`,
  `?id=${'x'.repeat(3000)}`,
  '?ID=w1',
  '?id[]=w1',
];
export const eventIds = [
  '0',
  '1',
  '-1',
  '9007199254740993',
  '999999999999999',
  '9999999999999999',
  'x',
  '',
  '1, 2',
  '\u00ff',
  '0x10',
  'x'.repeat(3000),
];
export const liveQueries: readonly [query: string, ends: readonly End[]][] = [
  ['', done],
  ['?', done],
  ['?other=1', done],
  [`?robot=${placeholders.virtualRobot}`, done],
  [`?robot=${placeholders.plainRobot}`, done],
  [`?robot=${placeholders.virtualRobot}&robot=${placeholders.foreignRobot}`, [...done, noRobot]],
  ...[
    placeholders.foreignRobot,
    placeholders.foreignRobot.toUpperCase(),
    '',
    '%00',
    '%zz',
    '__proto__',
    '*',
    'r-0000000000',
    ...otherKeys,
    'x'.repeat(3000),
  ].map((robot): [string, readonly End[]] => [`?robot=${robot}`, [noRobot]]),
];

const listProblems = [
  ['?limit=-1', 'limit'],
  ['?limit=0', 'limit'],
  ['?limit=1001', 'limit'],
  ['?limit=1.5', 'limit'],
  ['?limit=', 'limit'],
  ['?limit=x', 'limit'],
  ['?online=yes', 'online'],
  ['?online=', 'online'],
  ['?label=', 'label'],
  ['?label=room', 'label'],
  ['?label=room=a%00', 'label'],
  [`?${'label=a=1&'.repeat(17)}`, 'label'],
  ['?after=', 'after'],
  ['?after=__proto__', 'after'],
  ['?after=%00', 'after'],
  [`?search=${'x'.repeat(65)}`, 'search'],
  [`?search=${'x'.repeat(3000)}`, 'search'],
] as const;

/** Keys are `routeName`s. */
export const routeInputs: Readonly<Record<string, RouteInputs>> = {
  'GET session': { queries: ['', '?x=1', '?__proto__[x]=1', `?${'x'.repeat(3000)}`] },
  'POST session': { bodies: signInBodies },
  'POST session/options': { ends: [...done, wrongHost] },
  'DELETE session': {},
  'GET sessions': {},
  'DELETE sessions': {},
  'DELETE sessions/{session}': {
    params: [{ value: placeholders.onceSession, ends: done }, ...foreignIds(placeholders.foreignSession, placeholders.onceSession)],
  },
  'POST accounts': { bodies: [signUpBody] },
  'PUT password': { bodies: [passwordBody] },
  'POST password-resets': { bodies: [requestResetBody] },
  'POST password-resets/find': { bodies: [findResetBody] },
  'PUT password-resets': { bodies: [resetPasswordBody] },
  'POST verifications': { ends: [{ status: 503, code: 'mail_failed' }] },
  'PUT verifications': { bodies: [verifyEmailBody] },
  'GET account/export': { ends: [...done, { status: 429, code: 'too_many_attempts' }] },
  'POST account/removal': { bodies: [removalBody] },
  'GET passkeys': {},
  'POST passkeys/options': { bodies: [passkeyOptionsBody] },
  'POST passkeys': { bodies: [addPasskeyBody] },
  'PATCH passkeys/{passkey}': { params: passkeys, bodies: [passkeyNameBody] },
  'POST passkeys/{passkey}/removal': { params: passkeys, bodies: [removePasskeyBody] },
  'GET robots': {
    queries: [
      '',
      '?account=x',
      '?limit=1',
      '?limit=1000&online=true&firmware=1.0.0&search=desk',
      `?after=${placeholders.foreignRobot}`,
      '?firmware=__proto__&search=%00',
      '?label=room=r7&label=__proto__=1&search=desk',
      `?search=${'x'.repeat(64)}`,
      ...listProblems.map(([value, field]) => ({ value, ends: [wrong(field)] })),
    ],
  },
  'GET shown': {
    queries: [
      `?robot=${placeholders.virtualRobot}`,
      `?robot=${placeholders.foreignRobot}&robot=${placeholders.plainRobot}`,
      '?robot=r-0000000000',
      '?robot=',
      '?robot=%00&robot=__proto__&robot=%7D',
      `?robot=${'x'.repeat(3000)}`,
      { value: '', ends: [wrong('robot')] },
      { value: '?robots=x', ends: [wrong('robot')] },
      { value: `?${'robot=x&'.repeat(51)}`, ends: [wrong('robot')] },
    ],
  },
  'GET robots/{robot}': { params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: done }) },
  'POST robots': { bodies: addRobotBodies },
  'POST pairings': { bodies: [pairingBody] },
  'GET robot-program': {},
  'GET robots/{robot}/log': { params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: done }) },
  'PATCH robots/{robot}': {
    params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: done }),
    bodies: [changeRobotBody],
  },
  'DELETE robots/{robot}': { params: robots({ value: placeholders.onceRobot, ends: done }) },
  'POST robots/{robot}/token': {
    params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: [{ status: 409, code: 'conflict' }] }),
  },
  'POST robots/{robot}/update': {
    params: robots(
      { value: placeholders.virtualRobot, ends: [{ status: 409, code: 'conflict' }] },
      { value: placeholders.plainRobot, ends: [{ status: 409, code: 'conflict' }] },
    ),
  },
  'GET robots/{robot}/screens': {
    params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: done }),
  },
  // The name of the screen stays a placeholder, which names none.
  'GET robots/{robot}/screens/{screen}': { params: robots({ value: placeholders.virtualRobot, ends: [notFound] }) },
  'GET robots/{robot}/screen': { params: robots({ value: placeholders.virtualRobot, ends: silent }), queries: screenQueries },
  'GET robots/{robot}/people': { params: robots({ value: placeholders.virtualRobot, ends: done }, { value: placeholders.plainRobot, ends: done }) },
  'PATCH robots/{robot}/people/{person}': { params: foreignIds('a-0000000000', placeholders.virtualRobot), bodies: [permissionBody] },
  'DELETE robots/{robot}/people/{person}': { params: foreignIds('a-0000000000', placeholders.virtualRobot) },
  'POST robots/{robot}/share-links': { params: robots({ value: placeholders.virtualRobot, ends: done }), bodies: [permissionBody] },
  'DELETE robots/{robot}/share-links/{link}': { params: foreignIds('0'.repeat(43), placeholders.virtualRobot) },
  'POST shares/find': { bodies: [shareTokenBody] },
  'POST shares': { bodies: [shareTokenBody] },
  'DELETE shares/{robot}': { params: foreignIds(placeholders.foreignRobot, placeholders.virtualRobot) },
  'POST authorizations/find': { bodies: [authorizationQueryBody] },
  'POST authorizations': { bodies: [consentBody] },
  'GET keys': {},
  'POST keys': { bodies: [addKeyBody] },
  'DELETE keys/{key}': { params: [{ value: placeholders.onceKey, ends: done }, ...foreignIds(placeholders.foreignKey, placeholders.onceKey)] },
  'POST keys/{key}/secret': {
    params: [{ value: placeholders.onceKey, ends: done }, ...foreignIds(placeholders.foreignKey, placeholders.onceKey)],
    bodies: [rollKeyBody],
  },
  'DELETE keys/{key}/former-secret': {
    params: [{ value: placeholders.onceKey, ends: [notFound] }, ...foreignIds(placeholders.foreignKey, placeholders.onceKey)],
  },
  'GET oidc/start': { ends: [{ status: 303 }], queries: ['', '?redirect_uri=https://evil.example', '?x'] },
  'GET oidc/callback': {
    ends: [{ status: 303 }],
    queries: [
      '',
      '?code=x',
      '?state=x',
      '?code=x&state=y',
      '?error=access_denied',
      '?error=%3Cscript%3E',
      '?code=a&code=b',
      '?%00',
      '?iss=https://evil.example&code=x',
      `?code=${'x'.repeat(3000)}`,
    ],
    headers: [
      'cookie: perch_oidc=po_none',
      `cookie: perch_oidc=po_${'A'.repeat(43)}`,
      'cookie: perch_oidc=',
      'cookie: perch_oidc=a; perch_oidc=b',
      'cookie: perch_oidc=__proto__',
    ],
  },
};
