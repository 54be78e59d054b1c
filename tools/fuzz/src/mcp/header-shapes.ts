import fc from 'fast-check';
import { anyKey, headOf, requestOf, type Shape } from '../http/shape.js';
import { accept, anything, expectationProblem, host, list, messageShape, modernList, served, type Expected } from './expected.js';
import { claim, newest } from './rpc.js';

const forbidden: Expected = { statuses: [403], codes: [-32_000] };
const modernHeaders = [`mcp-protocol-version: ${newest}`, 'mcp-method: tools/list'];

export function headerShapes(): fc.Arbitrary<Shape> {
  return fc.oneof(modern(), arounds());
}

/** Headers repeat parts of the message. */
function modern(): fc.Arbitrary<Shape> {
  const text = JSON.stringify(modernList);
  const mismatch: Expected = { statuses: [400], codes: [-32_020] };
  const [version, method] = modernHeaders as [string, string];
  const headers: [lines: string[], expected: Expected][] = [
    [[version, method], served],
    [[version], mismatch],
    [[method], mismatch],
    [[], mismatch],
    [[version, 'mcp-method: tools/call'], mismatch],
    [[version, 'mcp-method: TOOLS/LIST'], mismatch],
    [[version, 'mcp-method: '], mismatch],
    [['mcp-protocol-version: 2025-11-25', method], mismatch],
    [['mcp-protocol-version: x', method], mismatch],
    [[version, method, 'mcp-name: robot_show'], anything],
    [[version, method, method], anything],
    [[version, version, method], anything],
    [[version, `${method}\u00e9`], mismatch],
    [[version, method, `mcp-name: =?base64?${'A'.repeat(5000)}?=`], anything],
    [[version, method, 'mcp-param-x: =?base64?!!!?='], anything],
    [[version, method, ...Array.from({ length: 50 }, (_, i) => `mcp-x${i}: y`)], served],
  ];
  const claims: unknown[] = Object.keys(claim).flatMap((name) => [undefined, null, 7, '', [], {}].map((value) => ({ ...claim, [name]: value })));
  const versions = [
    '1999-01-01',
    '2025-06-18',
    '2025-11-25',
    '2026-07-29',
    '2099-01-01',
    '',
    'x',
    'x'.repeat(5000),
    '2025-06-18, 2025-06-18',
    '\u00ff',
    '__proto__',
  ];
  return fc.oneof(
    fc
      .constantFrom(...headers)
      .map(([lines, expected]) =>
        messageShape(`the newest revision under ${JSON.stringify(lines).slice(0, 100)}`, text, expected, [accept, ...lines]),
      ),
    fc
      .constantFrom(...claims)
      .map((_meta) =>
        messageShape(
          `the claim ${JSON.stringify(_meta)}`,
          JSON.stringify({ ...list, params: { _meta } }),
          { statuses: [200, 400], codes: [-32_602, -32_020, -32_022, -32_700], orResult: true },
          [accept, ...modernHeaders],
        ),
      ),
    fc
      .constantFrom(...versions)
      .map((value) =>
        messageShape(
          `revision ${JSON.stringify(value.slice(0, 30))}`,
          JSON.stringify(list),
          { statuses: [200, 400], codes: [-32_000, -32_602, -32_022], orResult: value.startsWith('2025') || value === '' },
          [accept, `mcp-protocol-version: ${value}`],
        ),
      ),
    fc
      .constantFrom('server/discover', 'ping', 'subscriptions/listen', 'initialize', 'no/such', 'tools/call')
      .map((name) =>
        messageShape(`${name} of the newest revision`, JSON.stringify({ ...modernList, method: name }), anything, [
          accept,
          version,
          `mcp-method: ${name}`,
        ]),
      ),
  );
}

function arounds(): fc.Arbitrary<Shape> {
  const text = JSON.stringify(list);
  const accepts = ['', '*/*', 'application/json', 'text/event-stream', 'text/html', 'application/json;q=0', 'a/b,'.repeat(2000), '\u00ff'];
  const types: [type: string, expected: Expected][] = [
    ['application/json; charset=utf-8', served],
    ...['text/plain', '', 'application/xml', 'application/json; charset=latin1', 'json', 'multipart/form-data; boundary=x'].map(
      (type): [string, Expected] => [type, { statuses: [415], codes: [-32_000] }],
    ),
  ];
  const own = ['http://localhost', 'http://localhost:6274', 'https://127.0.0.1:1', 'http://[::1]'];
  const strange = [
    'null',
    'http://evil.example',
    'http://localhost.evil.example',
    'http://203.0.113.9',
    'x',
    'http://',
    'file://',
    '\u00ff',
    'http://localhost@evil.example',
    'https://evil.example\\@localhost',
    'http://localhost, http://evil.example',
    'x'.repeat(5000),
  ];
  const hosts: [name: string | null, expected: Expected][] = [
    ...['localhost:1', 'LOCALHOST', 'a.localhost', '127.0.0.2', '[::1]:9', '203.0.113.9', '0x7f000001'].map((name): [string, Expected] => [
      name,
      served,
    ]),
    ...[
      'evil.example',
      'localhost.evil.example',
      '',
      'localhost@evil.example',
      'a b',
      'null',
      '..',
      'x'.repeat(5000),
      '[::1',
      'localhost:99999',
      '\u00ff.example',
    ].map((name): [string, Expected] => [name, forbidden]),
    [null, forbidden],
  ];
  const atHost = (name: string | null, line: string): Buffer =>
    Buffer.from(
      headOf({
        path: '/mcp',
        key: anyKey,
        host: name,
        headers: [accept, 'content-type: application/json', `content-length: ${text.length}`, ...(line === '' ? [] : [line])],
      }) + text,
      'latin1',
    );
  const at = (told: string, name: string | null, line: string, expected: Expected): Shape => ({
    what: told,
    parts: [atHost(name, line)],
    answers: [expected.statuses],
    check: (answer) => expectationProblem(answer, expected),
  });
  const refused: Expected = { statuses: [401] };
  return fc.oneof(
    fc
      .constantFrom(...accepts)
      .map((value) =>
        messageShape(`accept ${JSON.stringify(value.slice(0, 30))}`, text, { statuses: [200, 406], codes: [-32_000], orResult: true }, [
          `accept: ${value}`,
        ]),
      ),
    fc.constant(messageShape('no accept', text, served, [])),
    fc.constantFrom(...types).map(([type, expected]): Shape => ({
      what: `content type ${JSON.stringify(type)}`,
      parts: [
        Buffer.from(
          headOf({ path: '/mcp', key: anyKey, host, headers: [accept, `content-type: ${type}`, `content-length: ${text.length}`] }) + text,
          'latin1',
        ),
      ],
      answers: [expected.statuses],
      check: (answer) => expectationProblem(answer, expected),
    })),
    fc.constantFrom(...own).map((origin) => at(`origin ${origin}`, host, `origin: ${origin}`, served)),
    fc.constantFrom(...strange).map((origin) => at(`origin ${JSON.stringify(origin.slice(0, 40))}`, host, `origin: ${origin}`, served)),
    fc.constantFrom(...hosts).map(([name, expected]) => at(`host ${JSON.stringify(name?.slice(0, 40))}`, name, '', expected)),
    fc.constantFrom('GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS').map((method): Shape => ({
      what: method,
      parts: [Buffer.from(headOf({ method, path: '/mcp', key: anyKey, host, headers: [accept] }), 'latin1')],
      answers: [[405]],
    })),
    fc.constantFrom<string | null>(null, `pk_${'A'.repeat(43)}`, 'x', '').map((key): Shape => ({
      what: 'a key that is none',
      parts: [requestOf({ path: '/mcp', key, host, headers: [accept] }, text)],
      answers: [refused.statuses],
    })),
    fc.constant(messageShape('a session of another server', text, served, [accept, 'mcp-session-id: x', 'last-event-id: 9'])),
    fc.constant<Shape>({ what: 'below /mcp', parts: [requestOf({ path: '/mcp/tools', key: anyKey, host }, text)], answers: [[404]] }),
    fc.constant<Shape>({
      what: 'a body of 2 MB and a byte',
      parts: [requestOf({ path: '/mcp', key: anyKey, host, headers: [accept] }, `${text}${' '.repeat(2_097_153 - text.length)}`)],
      answers: [[413, 'closed']],
    }),
  );
}
