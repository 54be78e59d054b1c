import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expectationProblem } from '../src/mcp/expected.js';
import { headerShapes } from '../src/mcp/header-shapes.js';
import { messageShapes } from '../src/mcp/message-shapes.js';
import { callHeaders, messageIn, toolCall } from '../src/mcp/rpc.js';
import { rpcProblem, toolProblem } from '../src/mcp/rpc-problems.js';
import { verdictOfTool, type ToolVerdict } from '../src/mcp/served-tools.js';
import type { Answer } from '../src/answer-problems.js';
import { action, tool, tools } from './actions.js';

const secret = 'of-another-account';
const json = { 'content-type': 'application/json' };
const robots = new Set(['r-0000000001']);

function answer(body: unknown, more: Partial<Answer> = {}): Answer {
  return { status: 200, headers: json, text: typeof body === 'string' ? body : JSON.stringify(body), tookMs: 1, ...more };
}
function result(value: unknown): unknown {
  return { jsonrpc: '2.0', id: 1, result: value };
}
function done(value: object): unknown {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
function failed(value: object): unknown {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError: true };
}

describe('the expected result of tool arguments', () => {
  const verdict = (name: string, args: unknown): ToolVerdict => verdictOfTool(tool(name), JSON.stringify(args), new Map(), robots);

  it("equals that of the action's arguments once the robot is named", () => {
    assert.equal(tools.length, 17);
    assert.equal(verdict('say', { text: 'x', robot: 'r-0000000001' }).kind, 'taken');
    assert.deepEqual(verdict('say', { text: 7, robot: 'r-0000000001' }), {
      kind: 'refused',
      codes: ['bad_argument', 'bad_picture'],
      fields: ['text'],
    });
    assert.equal(tool('scene').steps, action('scene').steps);
  });

  it('is not_found for a wait that does not exist, and needs no robot', () => {
    assert.deepEqual(verdict('answer', { wait: 'x', seconds: 1 }), { kind: 'refused', codes: ['not_found'], fields: [''] });
    assert.deepEqual(verdict('answer', { wait: 7 }), { kind: 'refused', codes: ['bad_argument', 'bad_picture'], fields: ['wait'] });
  });

  it('rejects a robot of another account before any other error, and a missing robot together with other errors', () => {
    assert.deepEqual(verdict('say', { text: 7, robot: 'r-0000000002' }), { kind: 'refused', codes: ['unknown_robot'], fields: ['', 'robot'] });
    const missing = verdict('say', { text: 7 });
    assert.ok(missing.kind === 'refused' && missing.fields.includes('robot') && missing.fields.includes('text'));
    assert.equal(verdict('list', {}).kind, 'taken');
    assert.equal(verdict('say', []).kind, 'no call');
  });
});

describe('the check of /mcp answers', () => {
  const taken: ToolVerdict = { kind: 'taken', pictures: [], heldMs: 0 };
  const refused: ToolVerdict = { kind: 'refused', codes: ['bad_argument'], fields: ['text'] };
  const failure = { ok: false, error: 'text: is missing', code: 'bad_argument', request_id: 'gw-1', field: 'text', next: 'Correct it.' };
  const judged = (verdict: ToolVerdict, given: Answer, era: 'legacy' | 'modern' = 'legacy') =>
    toolProblem(tool('say'), verdict, { id: 1, era }, given, secret);

  it('accepts correct answers as JSON and as a stream', () => {
    assert.equal(judged(taken, answer(result(done({ ok: true })))), null);
    assert.equal(judged(refused, answer(result(failed(failure)))), null);
    const stream = `: waiting\n\nevent: message\ndata: ${JSON.stringify(result(done({ ok: true })))}\n\n`;
    assert.equal(judged(taken, answer(stream, { headers: { 'content-type': 'text/event-stream' } })), null);
    assert.equal(judged({ kind: 'no call' }, answer({ jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'No.' } })), null);
    assert.equal(rpcProblem(answer('', { status: 202 }), secret), null);
    assert.equal(rpcProblem(answer({ ok: false, error: 'No key.', code: 'unauthorized', request_id: 'x' }, { status: 401 }), secret), null);
  });

  it('reports incorrect answers', () => {
    for (const [verdict, given, wrong] of [
      [taken, answer({ jsonrpc: '2.0', id: 2, result: {} }), /an answer to 2/],
      [taken, answer(result(failed({ ...failure, code: 'internal' }))), /code internal|an error of the service/],
      [taken, answer(result(failed(failure))), /although it fits/],
      [refused, answer(result(done({ ok: true }))), /taken, although text is wrong/],
      [refused, answer(result(failed({ ...failure, field: 'seconds' }))), /blames seconds/],
      [refused, answer(result(failed({ ...failure, error: 'Something is wrong.' }))), /does not name text/],
      [refused, answer(result(failed({ ...failure, next: '' }))), /what to do next/],
      [taken, answer(result({ ...(done({ ok: true }) as object), structuredContent: { ok: true, more: 1 } })), /other than the text/],
      [taken, answer(result({ content: [] })), /without text/],
      [taken, answer({ jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'No.' } }), /a protocol error/],
      [{ kind: 'no call' }, answer(result(done({ ok: true }))), /there are no arguments/],
    ] as const) {
      assert.match(String(judged(verdict, given)), wrong);
    }
    assert.match(String(judged(taken, answer(result(done({ ok: true }))), 'modern')), /does not say what it is/);
  });

  it('reports an invalid message, and a status that contradicts the error', () => {
    for (const [given, wrong] of [
      [answer({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'x' } }, { status: 500 }), /an error of the service/],
      [answer({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'x' } }), /an error of the service/],
      [answer({ jsonrpc: '2.0', id: 1, result: {} }, { status: 400 }), /a result with status 400/],
      [answer({ jsonrpc: '2.0', id: 1 }), /neither/],
      [answer({ jsonrpc: '2.0', result: {} }), /without id/],
      [answer({ jsonrpc: '1.0', id: 1, result: {} }), /jsonrpc/],
      [answer({ jsonrpc: '2.0', id: 1, error: { code: 'x', message: 'x' } }, { status: 400 }), /code "x"/],
      [answer('<html>'), /no message/],
      [answer('x', { status: 202 }), /words/],
      [answer(result(done({ ok: true, model: secret }))), /another account/],
    ] as const) {
      assert.match(String(rpcProblem(given, secret)), wrong);
    }
  });

  it('compares an answer with its expectation', () => {
    const error = answer({ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'x' } });
    assert.equal(expectationProblem(error, { statuses: [404], codes: [-32_601] }), null);
    assert.match(String(expectationProblem(error, { statuses: [404], codes: [-32_602] })), /code -32601, not -32602/);
    assert.match(String(expectationProblem(error, { statuses: [200] })), /an error: -32601/);
    assert.match(String(expectationProblem(answer(result({})), { statuses: [200], codes: [-32_602] })), /a result/);
  });
});

describe('messages to /mcp', () => {
  it("messages to /mcp carry the revision's metadata in the newest revision, and none in older ones", () => {
    const modern = JSON.parse(toolCall('modern', 1, 'robot_say', '{"text":"x"}')) as { params: { _meta: object; arguments: object } };
    assert.deepEqual(modern.params.arguments, { text: 'x' });
    assert.equal(Object.keys(modern.params._meta).length, 3);
    assert.equal(callHeaders('modern', 'robot_say')['mcp-name'], 'robot_say');
    assert.equal(toolCall('legacy', 1, 'robot_say', '{}').includes('_meta'), false);
    assert.deepEqual(messageIn({ headers: json, text: 'x' }), null);
  });

  it('messages to /mcp vary widely, and each has an expectation', () => {
    const shapes = fc.sample(fc.oneof(messageShapes(), headerShapes()), { seed: 1, numRuns: 2000 });
    assert.ok(new Set(shapes.map(({ what }) => what)).size > 200);
    assert.ok(shapes.every(({ answers, parts }) => answers.length === 1 && answers[0]!.length > 0 && parts[0]!.length > 0));
  });
});
