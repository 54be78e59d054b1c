/** A route of the console without a generator is reported, and gets generic requests. */
import fc from 'fast-check';
import type { BodyKind } from './body-kind.js';
import { bodiesOf, endsOfBytes, type Draft, type DraftBody } from './drafts.js';
import { done, type End } from './expected-results.js';
import { eventIds, routeInputs, liveQueries, foreignIds, type RouteInputs, type Param, type Query } from './route-inputs.js';
import { changeRobotBody } from './owners-bodies.js';
import type { ConsoleRoute } from './routes.js';
import { routeName } from './routes.js';
import { placeholders } from './placeholders.js';

export interface Generator {
  /** Would be executed if the sender had access. */
  right: readonly Draft[];
  any: fc.Arbitrary<Draft>;
}

/** Headers that must have no effect. */
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

export function generatorOf(route: ConsoleRoute): Generator | null {
  if (routeName(route) === 'GET live') return liveGenerator(route);
  const inside = routeInputs[routeName(route)];
  return inside === undefined ? null : generatorFrom(route, inside);
}

export function generatorOfAny(route: ConsoleRoute): Generator {
  const params = /\{/.test(route.path)
    ? foreignIds(placeholders.foreignRobot, placeholders.virtualRobot).map(({ value }) => ({ value, ends: anyEnd }))
    : [];
  return generatorFrom(route, { params, bodies: route.method === 'GET' ? [] : [{ ...changeRobotBody, endsOf: () => anyEnd }], ends: anyEnd });
}

export const anyEnd: readonly End[] = [200, 303, 400, 401, 403, 404, 405, 409, 413, 415, 429, 501, 503].map((status) => ({ status }));

export const namedRoutes: readonly string[] = [...Object.keys(routeInputs), 'GET live'];

function generatorFrom(
  { method, path }: ConsoleRoute,
  { params = [], bodies = [], queries = [''], headers = [], ends = done }: RouteInputs,
): Generator {
  const all = queries.map((query): Partial<Query> & Pick<Query, 'value'> => (typeof query === 'string' ? { value: query } : query));
  const draft = (param: Param | null, query: (typeof all)[number], lines: readonly string[], body: DraftBody | null): Draft => ({
    what:
      [param === null ? null : `{${param.value.slice(0, 30)}}`, query.value.slice(0, 40), ...lines.map((line) => line.slice(0, 40)), body?.what]
        .filter((part) => (part ?? '') !== '')
        .join(', ') || 'as it is',
    method,
    path: `/console/${param === null ? path : withParam(path, param.value)}${query.value}`,
    headers: [...lines, ...(body?.headers ?? [])],
    body: body?.bytes ?? null,
    ends: query.ends ?? endsOf(param, body, ends),
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
    right: (rightBodies.length === 0 ? [null] : rightBodies).map((body) => draft(params[0] ?? null, all[0]!, [], body)),
    any: fc.tuple(aParam, fc.constantFrom(...all), someHeaders, aBody).map((drawn) => draft(...drawn)),
  };
}

/** @param value of the last parameter; one before is the sender's robot */
function withParam(path: string, value: string): string {
  return path.replace(/\{\w+\}(?=.*\{)/, placeholders.virtualRobot).replace(/\{\w+\}/, () => value);
}

/** A body may be rejected before the path is found not to exist. */
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
