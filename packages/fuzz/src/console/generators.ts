/** For each route of the console what is sent to it. A route that is none of these is told, and gets what is sent to any. */
import fc from 'fast-check';
import { addKeyBody, addRobotBodies, passwordBody, renameBody, signInBodies, signUpBody, type BodyKind } from './bodies.js';
import { bodiesOf, endsOfBytes, type Draft, type DraftBody } from './drafts.js';
import { done, nowhere, type End } from './ends.js';
import type { ConsoleRoute } from './routes.js';
import { routeName } from './routes.js';
import { standIns } from './stand-ins.js';

export interface Generator {
  /** What would be done, were it let in. */
  right: readonly Draft[];
  any: fc.Arbitrary<Draft>;
}

/** What a route is asked beside its path's fixed parts. */
interface Inside {
  /** For what stands in braces: what may, and whether it leads anywhere. */
  params?: readonly Param[];
  bodies?: readonly BodyKind[];
  /** With their `?`. */
  queries?: readonly string[];
  headers?: readonly string[];
  /** Of what is right but for its body, which has ends of its own. */
  ends?: readonly End[];
}

interface Param {
  value: string;
  ends: readonly End[];
}

const noRobot: End = { status: 404, code: 'unknown_robot' };

/** Ids that are nobody's, or somebody else's, or none. */
function strangers(foreign: string, own: string): Param[] {
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
  ].map((value) => ({ value, ends: [nowhere] }));
}

const robots = (...own: Param[]): readonly Param[] => [...own, ...strangers(standIns.foreignRobot, standIns.virtualRobot)];
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
const eventIds = ['0', '1', '-1', '9007199254740993', '999999999999999', '9999999999999999', 'x', '', '1, 2', '\u00ff', '0x10', 'x'.repeat(3000)];
const liveQueries: readonly [query: string, ends: readonly End[]][] = [
  ['', done],
  ['?', done],
  ['?other=1', done],
  [`?robot=${standIns.virtualRobot}`, done],
  [`?robot=${standIns.plainRobot}`, done],
  [`?robot=${standIns.virtualRobot}&robot=${standIns.foreignRobot}`, [...done, noRobot]],
  ...[standIns.foreignRobot, standIns.foreignRobot.toUpperCase(), '', '%00', '%zz', '__proto__', '*', 'r-0000000000', 'x'.repeat(3000)].map(
    (robot): [string, readonly End[]] => [`?robot=${robot}`, [noRobot]],
  ),
];

/** By `routeName`. */
const insides: Readonly<Record<string, Inside>> = {
  'GET session': { queries: ['', '?x=1', '?__proto__[x]=1', `?${'x'.repeat(3000)}`] },
  'POST session': { bodies: signInBodies },
  'DELETE session': {},
  'POST accounts': { bodies: [signUpBody] },
  'PUT password': { bodies: [passwordBody] },
  'GET robots': { queries: ['', '?account=x', '?limit=-1'] },
  'POST robots': { bodies: addRobotBodies },
  'PATCH robots/{robot}': {
    params: robots({ value: standIns.virtualRobot, ends: done }, { value: standIns.plainRobot, ends: done }),
    bodies: [renameBody],
  },
  'DELETE robots/{robot}': { params: robots({ value: standIns.onceRobot, ends: done }) },
  'POST robots/{robot}/token': {
    params: robots({ value: standIns.virtualRobot, ends: done }, { value: standIns.plainRobot, ends: [{ status: 409, code: 'conflict' }] }),
  },
  'GET robots/{robot}/screen': { params: robots({ value: standIns.virtualRobot, ends: silent }), queries: screenQueries },
  'GET keys': {},
  'POST keys': { bodies: [addKeyBody] },
  'DELETE keys/{key}': { params: [{ value: standIns.onceKey, ends: done }, ...strangers(standIns.foreignKey, standIns.onceKey)] },
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

/** Headers that must change nothing. */
const idle = [
  'accept: text/html',
  'accept: application/problem+json',
  'x-http-method-override: DELETE',
  'x-original-url: /console/keys',
  'x-request-id: "}{',
  'if-none-match: *',
  'range: bytes=0-0',
  'referer: https://evil.example/',
  'access-control-request-method: DELETE',
  'upgrade-insecure-requests: 1',
  '__proto__: x',
  'x-forwarded-host: evil.example',
  'x-forwarded-proto: javascript',
];

/** @returns null where there is none */
export function generatorOf(route: ConsoleRoute): Generator | null {
  if (routeName(route) === 'GET live') return liveGenerator(route);
  const inside = insides[routeName(route)];
  return inside === undefined ? null : generatorFrom(route, inside);
}

/** For a route that nobody has written a line for: any body, any path, and whatever end is in form. */
export function generatorOfAny(route: ConsoleRoute): Generator {
  const params = /\{/.test(route.path) ? strangers(standIns.foreignRobot, standIns.virtualRobot).map(({ value }) => ({ value, ends: anyEnd })) : [];
  return generatorFrom(route, { params, bodies: route.method === 'GET' ? [] : [{ ...renameBody, endsOf: () => anyEnd }], ends: anyEnd });
}

export const anyEnd: readonly End[] = [200, 303, 400, 401, 403, 404, 405, 409, 413, 415, 429, 501, 503].map((status) => ({ status }));

export const namedRoutes: readonly string[] = [...Object.keys(insides), 'GET live'];

function generatorFrom({ method, path }: ConsoleRoute, { params = [], bodies = [], queries = [''], headers = [], ends = done }: Inside): Generator {
  const draft = (param: Param | null, query: string, lines: readonly string[], body: DraftBody | null): Draft => ({
    what:
      [param === null ? null : `{${param.value.slice(0, 30)}}`, query.slice(0, 40), ...lines.map((line) => line.slice(0, 40)), body?.what]
        .filter((part) => (part ?? '') !== '')
        .join(', ') || 'as it is',
    method,
    path: `/console/${param === null ? path : path.replace(/\{\w+\}/, () => param.value)}${query}`,
    headers: [...lines, ...(body?.headers ?? [])],
    body: body?.bytes ?? null,
    ends: endsOf(param, body, ends),
  });
  const rightBodies = bodies.flatMap((kind) => kind.served.examples.slice(0, 1).map((example) => rightBody(kind, example)));
  const aBody: fc.Arbitrary<DraftBody | null> = bodies.length === 0 ? fc.constant(null) : fc.oneof(...bodies.map(bodiesOf));
  const aParam: fc.Arbitrary<Param | null> = params.length === 0 ? fc.constant(null) : fc.oneof(fc.constant(params[0]!), fc.constantFrom(...params));
  const someHeaders = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...idle], { maxLength: 2 }) },
    ...(headers.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...headers).map((line) => [line]) }]),
  );
  return {
    right: (rightBodies.length === 0 ? [null] : rightBodies).map((body) => draft(params[0] ?? null, queries[0]!, [], body)),
    any: fc.tuple(aParam, fc.constantFrom(...queries), someHeaders, aBody).map((all) => draft(...all)),
  };
}

/** Of what leads nowhere the body may be told first. */
function endsOf(param: Param | null, body: DraftBody | null, ends: readonly End[]): readonly End[] {
  const own = param?.ends ?? ends;
  if (body === null) return own;
  return own === done ? body.ends : [...own, ...body.ends.filter(({ status }) => status !== 200)];
}

function rightBody(kind: BodyKind, example: Record<string, unknown>): DraftBody {
  const bytes = Buffer.from(JSON.stringify(example));
  return { what: 'as it fits', bytes, headers: ['content-type: application/json'], ends: endsOfBytes(bytes, kind) };
}

function liveGenerator({ method, path }: ConsoleRoute): Generator {
  const draft = ([query, ends]: (typeof liveQueries)[number], id: string | null): Draft => ({
    what: `${query.slice(0, 40)}${id === null ? '' : `, Last-Event-ID ${id.slice(0, 20)}`}`,
    method,
    path: `/console/${path}${query}`,
    headers: id === null ? [] : [`last-event-id: ${id}`],
    body: null,
    ends,
  });
  return {
    right: [draft(liveQueries[0]!, null)],
    any: fc.tuple(fc.constantFrom(...liveQueries), fc.option(fc.constantFrom(...eventIds))).map((all) => draft(...all)),
  };
}
