import fc from 'fast-check';
import { hostileSegments } from './hostile-segments.js';
import { queryShapes } from './query-shapes.js';
import { headOf, requestOf, type Shape } from './shape.js';

export interface Names {
  key: string;
  robot: string;
  revoked: readonly string[];
  foreignKey: string;
  foreignRobot: string;
}

const json = ['content-type: application/json'];

export function requestShapes(names: Names): fc.Arbitrary<Shape> {
  return fc.oneof(paths(names), methods(names), contentTypes(names), headers(names), keys(names), queryShapes(names), expectations(names));
}

const segments = [
  ...hostileSegments,
  'v1',
  'v2',
  'V1',
  'robots',
  'actions',
  'openapi.json',
  'show',
  'events',
  'state',
  'Show',
  'scene',
  'webhooks',
  'deliveries',
  'replay',
  'activity',
  'waits',
  'export',
  'usage',
  'metrics',
  'health',
  'robot',
  'screen',
  'preview',
];

const openPath = /^\/(?:robots|webhooks|openapi\.json|robots\/r-[0-9a-z]{10})?\/?$/;

function paths({ key, robot, foreignRobot }: Names): fc.Arbitrary<Shape> {
  const segment = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...segments, robot, foreignRobot, 'r-0000000000') },
    { weight: 1, arbitrary: fc.webSegment() },
  );
  return fc
    .record({ parts: fc.array(segment, { maxLength: 6 }), under: fc.boolean(), known: fc.boolean(), method: fc.constantFrom('GET', 'POST') })
    .map(({ parts, under, known, method }) => {
      const path = `${under ? '/v1' : ''}/${parts.join('/')}`;
      // Node rejects a path with non-ASCII bytes before the service sees it.
      const foreign = /[^!-~]/.test(path) ? [400, 401, 404] : [401, 404];
      // Public paths: the console's, and the descriptions.
      const open = openPath.test(path) ? (method === 'GET' ? [200] : [405]) : [];
      const own = path.split('/').includes(foreignRobot) ? foreign : [200, 400, 401, 404, 405];
      const bytes =
        method === 'POST'
          ? requestOf({ path, key: known ? key : null }, '{"seconds":0}')
          : Buffer.from(headOf({ method, path, key: known ? key : null }), 'latin1');
      return {
        what: `path, ${known ? 'with' : 'without'} a key`,
        parts: [bytes],
        answers: [[...(known ? own : [401, 404, 400]), ...open]],
        // A robot of another account is answered 404 wherever it appears in the path.
        check: ({ status, text }) => (status === 200 && text.includes(foreignRobot) ? 'the robot of another account' : null),
      };
    });
}

const httpMethods = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'LINK', 'PURGE', 'M-SEARCH', 'TRACE', 'QUERY'];

function methods({ key, robot }: Names): fc.Arbitrary<Shape> {
  const places = [
    `/v1/robots/${robot}/show`,
    `/v1/robots/${robot}/ask`,
    '/v1/groups/all/show',
    `/v1/robots/${robot}`,
    '/v1/robots',
    '/v1/actions',
    '/v1/openapi.json',
    '/v1/nothing',
    '/',
  ];
  return fc.tuple(fc.constantFrom(...httpMethods), fc.constantFrom(...places), fc.boolean()).map(([method, path, body]) => {
    const bytes = body ? requestOf({ method, path, key }, '{}') : Buffer.from(headOf({ method, path, key }), 'latin1');
    const reads = method === 'GET' || method === 'HEAD';
    const shape: Shape = { what: `${method} ${path.replace(robot, '{robot}')}`, parts: [bytes], answers: [reads ? [200, 404, 405] : [404, 405]] };
    return method === 'HEAD' ? { ...shape, bodiless: () => true } : shape;
  });
}

const types: [type: string, statuses: number[]][] = [
  ['application/json', [200]],
  ['Application/JSON; charset=UTF-8', [200]],
  ['application/json;charset="utf-8"', [200]],
  ...[
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json, text/plain',
    'json',
    '*/*',
    '',
    'application/json\u00ff',
    '; application/json',
    'application/json; charset=utf-16',
  ].map((type): [string, number[]] => [type, [415]]),
];

function contentTypes({ key, robot }: Names): fc.Arbitrary<Shape> {
  const path = `/v1/robots/${robot}/state`;
  const ofTypes = fc.constantFrom(...types).map(([type, statuses]): Shape => {
    const head = headOf({ path, key, headers: [`content-type: ${type}`, 'content-length: 2'] });
    return { what: `content type ${JSON.stringify(type)}`, parts: [Buffer.from(`${head}{}`, 'latin1')], answers: [statuses] };
  });
  const encodings = fc.constantFrom('gzip', 'br', 'deflate', 'x', 'gzip, identity', 'aes128gcm').map((encoding): Shape => {
    return {
      what: `content-encoding ${encoding}`,
      parts: [requestOf({ path, key, headers: [`content-encoding: ${encoding}`] }, '{}')],
      answers: [[415]],
    };
  });
  return fc.oneof(ofTypes, encodings);
}

const hostileHeaders = [
  'x-request-id: ',
  'x-request-id: a b',
  'x-request-id: "}{',
  `x-request-id: ${'x'.repeat(65)}`,
  'x-request-id: \u00ff',
  'x-request-id: ../../x',
  'accept: application/problem+json',
  'accept: text/html, image/*;q=0.1',
  `accept: ${'a/b,'.repeat(2000)}`,
  'host: <script>',
  'host: a, b',
  'x-forwarded-proto: javascript',
  'x-forwarded-for: 127.0.0.1',
  'forwarded: for=_evil',
  'x-http-method-override: DELETE',
  'x-original-url: /admin',
  'range: bytes=0-0,0-0',
  'if-none-match: *',
  'cookie: a=b; __proto__=c',
  'origin: null',
  'te: trailers',
  'via: 1.1 x',
  'content-range: bytes 0-1/2',
  'prefer: respond-async',
  '__proto__: x',
  'constructor: x',
  'authorization : x',
];

function headers({ key, robot }: Names): fc.Arbitrary<Shape> {
  const paths = [`/v1/robots/${robot}/state`, `/v1/robots/${robot}/show`];
  return fc.tuple(fc.subarray(hostileHeaders, { minLength: 1, maxLength: 4 }), fc.constantFrom(...paths)).map(([lines, path]): Shape => {
    // The request already has a Host header; a second one is rejected.
    const broken = lines.some((line) => line.includes(' :') || line.startsWith('host:'));
    return {
      what: `headers ${JSON.stringify(lines).slice(0, 200)}`,
      parts: [requestOf({ path, key, headers: lines }, '{}')],
      answers: [broken ? [400] : path.endsWith('state') ? [200] : [400]],
    };
  });
}

function keys({ key, robot, revoked, foreignKey, foreignRobot }: Names): fc.Arbitrary<Shape> {
  const shapes: [what: string, lines: string[], of: string, statuses: number[]][] = [
    ['no key', [], robot, [401]],
    ['two keys', [`authorization: Bearer ${key}`, `authorization: Bearer ${foreignKey}`], robot, [200]],
    ["another account's key", [`authorization: Bearer ${foreignKey}`], robot, [404]],
    ["another account's robot", [`authorization: Bearer ${key}`], foreignRobot, [404]],
    ['a robot that nobody has', [`authorization: Bearer ${key}`], 'r-0000000000', [404]],
    ...revoked.map((old): [string, string[], string, number[]] => ['a revoked key', [`authorization: Bearer ${old}`], robot, [401]]),
    ...['Basic', 'bearer:', 'Token', 'Bearer,', ''].map((scheme): [string, string[], string, number[]] => [
      `the scheme ${scheme}`,
      [`authorization: ${scheme} ${key}`],
      robot,
      [401],
    ]),
    ...[
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      `pk_${'A'.repeat(43)}`,
      'pk_',
      `"${key}"`,
      `${key}\u00ff`,
      `${key},${key}`,
      `${key} ${key}`,
      '__proto__',
      'x'.repeat(8000),
      '*',
      '{account}',
    ].map((wrong): [string, string[], string, number[]] => [
      `a key like ${JSON.stringify(wrong.slice(0, 8))}`,
      [`authorization: Bearer ${wrong}`],
      robot,
      [401],
    ]),
  ];
  return fc
    .tuple(fc.constantFrom(...shapes), fc.constantFrom('state', 'show', 'ask', 'events', 'nothing'))
    .map(([[what, lines, of, statuses], action]): Shape => {
      // Access is checked before anything else.
      const afterwards = statuses.includes(200) ? [200, 400, 404] : statuses;
      return { what: `${what}, ${action}`, parts: [requestOf({ path: `/v1/robots/${of}/${action}`, headers: lines }, '{}')], answers: [afterwards] };
    });
}

function expectations({ key, robot }: Names): fc.Arbitrary<Shape> {
  const path = `/v1/robots/${robot}/state`;
  return fc.constantFrom<Shape>(
    {
      what: 'a body asked for',
      parts: [Buffer.from(headOf({ path, key, headers: [...json, 'expect: 100-continue', 'content-length: 2'] })), Buffer.from('{}')],
      answers: [[200]],
    },
    { what: 'no body', parts: [Buffer.from(headOf({ path, key, headers: json }))], answers: [[400]] },
    { what: 'an empty body', parts: [requestOf({ path, key }, '')], answers: [[400]] },
    {
      what: 'an empty body in chunks',
      parts: [Buffer.from(`${headOf({ path, key, headers: [...json, 'transfer-encoding: chunked'] })}0\r\n\r\n`)],
      answers: [[400]],
    },
    { what: 'a body of 2 MB', parts: [requestOf({ path, key }, `{${' '.repeat(2_097_150)}}`)], answers: [[200]] },
    { what: 'a body of 2 MB and a byte', parts: [requestOf({ path, key }, `{${' '.repeat(2_097_151)}}`)], answers: [[413, 'closed']] },
  );
}
