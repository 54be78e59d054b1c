import fc from 'fast-check';
import { jsonText } from '../generate/json.js';
import { hostileValues } from '../generate/hostile-values.js';
import type { Shape } from '../http/shape.js';
import { anything, expectationProblem, list, messageShape, modernList, served, type Expected } from './expected.js';
import { initializations, notifications } from './lifecycle-shapes.js';
import { messageIn } from './rpc.js';

const noMessage: Expected = { statuses: [400], codes: [-32_700, -32_600] };
const wrongParams: Expected = { statuses: [200, 400], codes: [-32_602] };
const noMethod: Expected = { statuses: [200, 400, 404], codes: [-32_601] };
const noParams: Expected = { statuses: [200], codes: [-32_602] };

const call = (params: unknown): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const harmless = { name: 'robot_list', arguments: {} };

export function messageShapes(): fc.Arbitrary<Shape> {
  return fc.oneof(bodies(), envelopes(), ids(), params(), initializations(), notifications());
}

function bodies(): fc.Arbitrary<Shape> {
  const none = [
    '',
    'null',
    '7',
    '"x"',
    'true',
    '{',
    '[',
    'nul',
    '{}',
    '[]',
    '[[]]',
    '[null]',
    '\ufeff{}',
    '['.repeat(30_000),
    '{"a":'.repeat(30_000),
  ];
  const batches = [[list], [list, list], [{}], [null], Array.from({ length: 200 }, () => list), [call(harmless), list], [[list]], [modernList]];
  return fc.oneof(
    fc.constantFrom(...none).map((text) => messageShape(`no message: ${JSON.stringify(text.slice(0, 20))}`, text, noMessage)),
    fc.constantFrom(...batches).map((batch) => messageShape(`a batch of ${batch.length}`, JSON.stringify(batch), noMessage)),
    fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }).map((value) => messageShape('any JSON', JSON.stringify(value), noMessage)),
    fc.nat(3).map((power) => messageShape('a large one', jsonText({ ...list, params: { pad: 'x'.repeat(2000 * 10 ** power) } }), served)),
  );
}

function envelopes(): fc.Arbitrary<Shape> {
  const hostileValue = fc.constantFrom(...hostileValues);
  const without = fc.constantFrom('jsonrpc', 'method').map((name) => {
    const rest = Object.fromEntries(Object.entries(list).filter(([member]) => member !== name));
    return messageShape(`no ${name}`, JSON.stringify(rest), noMessage);
  });
  const version = fc
    .constantFrom<unknown>('1.0', '2', 2, 2.0, '2.0 ', '２.0', null, ['2.0'], {}, '')
    .map((value) => messageShape(`jsonrpc ${JSON.stringify(value)}`, JSON.stringify({ ...list, jsonrpc: value }), noMessage));
  const method = fc.oneof(
    hostileValue
      .filter(({ value }) => typeof value !== 'string')
      .map(({ what, value }) => messageShape(`the method is ${what}`, jsonText({ ...list, method: value }), noMessage)),
    fc
      .constantFrom(
        '',
        'tools',
        'tools/',
        'TOOLS/LIST',
        'tools/list\u0000',
        '__proto__',
        'constructor',
        'toString',
        'x'.repeat(100_000),
        'robots/fly',
        'sampling/createMessage',
        'tasks/get',
        'logging/setLevel',
        'rpc.discover',
        '\ud800',
      )
      .map((value) => messageShape(`the method ${JSON.stringify(value.slice(0, 20))}`, JSON.stringify({ ...list, method: value }), noMethod)),
    fc
      .constantFrom('prompts/get', 'resources/read')
      .map((value) => messageShape(`${value} without parameters`, JSON.stringify({ ...list, method: value }), noParams)),
  );
  const more = fc
    .constantFrom(
      '"no_such":1',
      '"__proto__":{"method":"x"}',
      '"constructor":1',
      '"result":{}',
      '"error":{}',
      '"params":{},"params":{}',
      '"id":2',
      '"method":"tools/list"',
    )
    .map((member) => messageShape(`with ${member}`, `${JSON.stringify(list).slice(0, -1)},${member}}`, anything));
  const answers = fc
    .constantFrom('"result":{}', '"result":null', '"error":{"code":1,"message":"x"}', '"error":7')
    .map((member) => messageShape(`an answer, ${member}`, `{"jsonrpc":"2.0","id":1,${member}}`, anything));
  return fc.oneof(without, version, method, more, answers);
}

function ids(): fc.Arbitrary<Shape> {
  const good = fc.oneof(
    fc.constantFrom<string | number>(
      0,
      -1,
      7,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      '',
      'x',
      '\u0000',
      '\ud800',
      '💥',
      '__proto__',
      'x'.repeat(100_000),
    ),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.maxSafeInteger(),
  );
  const methods = fc.constantFrom<object>(list, call(harmless), { ...list, method: 'ping' });
  const echoed = fc.tuple(good, methods).map(([id, message]): Shape => {
    const shape = messageShape(`id ${JSON.stringify(id).slice(0, 30)}`, JSON.stringify({ ...message, id }), served);
    return {
      ...shape,
      check: (answer) => {
        const told = messageIn(answer)?.['id'];
        // JSON replaces texts that are not valid Unicode.
        return told === JSON.parse(JSON.stringify(id)) ? expectationProblem(answer, served) : `the id ${JSON.stringify(told)?.slice(0, 60)}`;
      },
    };
  });
  const bad = fc
    .constantFrom(...hostileValues)
    .map(({ what, value }) => messageShape(`the id is ${what}`, jsonText({ ...list, id: value }), anything));
  return fc.oneof(echoed, bad);
}

/** Parameters of tools/call and tools/list; the arguments of tools are tested by mcp-calls. */
function params(): fc.Arbitrary<Shape> {
  const names: unknown[] = [
    7,
    null,
    [],
    {},
    true,
    '',
    'show',
    'robot_fly',
    'robot_show\u0000',
    'ROBOT_SHOW',
    '__proto__',
    'constructor',
    'x'.repeat(100_000),
    'hasOwnProperty',
    '\ud800',
  ];
  const tokens: unknown[] = [0, 'x', -1, 1.5, 1e300, null, true, [], {}, '\u0000', 'x'.repeat(100_000)];
  const metas: unknown[] = [null, 7, [], 'x', {}, { constructor: 1 }, { traceparent: 'x' }, { 'io.modelcontextprotocol/clientInfo': 7 }];
  const hostileValue = fc.constantFrom(...hostileValues.filter(({ value }) => !jsonText(value).startsWith('{')));
  return fc.oneof(
    fc
      .constantFrom(...names)
      .map((name) => messageShape(`the tool ${JSON.stringify(name).slice(0, 20)}`, JSON.stringify(call({ name, arguments: {} })), wrongParams)),
    hostileValue.map(({ what: told, value }) =>
      messageShape(`params: ${told}`, jsonText({ ...list, method: 'tools/call', params: value }), {
        statuses: [200, 400],
        codes: [-32_600, -32_602, -32_603, -32_700],
      }),
    ),
    hostileValue.map(({ what: told, value }) =>
      // Null is no arguments.
      messageShape(`arguments: ${told}`, jsonText(call({ name: 'robot_list', arguments: value })), value === null ? served : wrongParams),
    ),
    fc.constantFrom(...tokens).map((progressToken) =>
      messageShape('a progress token', JSON.stringify(call({ ...harmless, _meta: { progressToken } })), {
        statuses: [200, 400],
        codes: [-32_602, -32_603, -32_600, -32_700],
        orResult: true,
      }),
    ),
    fc.constantFrom(...metas).map((_meta) =>
      messageShape(`_meta ${JSON.stringify(_meta)}`, JSON.stringify(call({ ...harmless, _meta })), {
        statuses: [200, 400],
        codes: [-32_602, -32_603, -32_600, -32_700],
        orResult: true,
      }),
    ),
    fc.constantFrom<unknown>('', 'x', 7, null, {}).map((cursor) =>
      messageShape(`the cursor ${JSON.stringify(cursor)}`, JSON.stringify({ ...list, params: { cursor } }), {
        statuses: [200, 400],
        codes: [-32_602, -32_603, -32_700],
        orResult: true,
      }),
    ),
    fc.constantFrom<unknown>(undefined, {}).map((given) => messageShape('a call of nothing', JSON.stringify(call(given)), wrongParams)),
  );
}
