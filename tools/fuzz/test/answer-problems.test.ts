import assert from 'node:assert/strict';
import { actionProblem, envelopeProblem, type Answer } from '../src/answer-problems.js';
import { answersIn } from '../src/http/responses.js';
import type { Verdict } from '../src/verdicts.js';
import { action } from './actions.js';

const secret = 'of-another-account';

function answer(status: number, body: unknown, more: Partial<Answer> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, text: JSON.stringify(body), tookMs: 5, ...more };
}
function failure(status: number, code: string, field?: string): Answer {
  return answer(status, { ok: false, error: 'A sentence.', code, request_id: 'gw-1', ...(field === undefined ? {} : { field }) });
}

describe('the check of an answer', () => {
  const refused: Verdict = { kind: 'refused', codes: ['bad_argument'], fields: ['text'] };
  const taken: Verdict = { kind: 'taken', pictures: [], heldMs: 0 };
  const judged = (verdict: Verdict, given: Answer) => actionProblem(action('say'), verdict, given, secret);

  it('accepts correct answers', () => {
    assert.equal(judged(taken, answer(200, { ok: true })), null);
    assert.equal(judged(refused, failure(400, 'bad_argument', 'text')), null);
    assert.equal(judged(taken, failure(503, 'robot_busy')), null);
  });

  it('reports an internal error, whatever was sent', () => {
    for (const verdict of [refused, taken]) assert.match(String(judged(verdict, failure(500, 'internal'))), /an error of the service/);
  });

  it('reports an error without a field, with another field, or with another code', () => {
    assert.match(String(judged(refused, failure(400, 'bad_argument'))), /without field/);
    assert.match(String(judged(refused, failure(400, 'bad_argument', 'seconds'))), /blames seconds/);
    assert.match(String(judged(refused, failure(400, 'malformed_json'))), /refused with malformed_json/);
  });

  it('reports an accepted invalid request, and a rejected valid one', () => {
    assert.match(String(judged(refused, answer(200, { ok: true }))), /taken, although text is wrong/);
    assert.match(String(judged(taken, failure(400, 'bad_argument', 'seconds'))), /refused with bad_argument for seconds/);
    assert.match(String(judged(taken, failure(429, 'rate_limited'))), /Retry-After/);
  });

  it('accepts bad_picture for a broken picture, and reports it for a good one', () => {
    const picture = (verdict: 'good' | 'unknown'): Verdict => ({ kind: 'taken', pictures: [{ field: 'image', verdict }], heldMs: 0 });
    assert.equal(judged(picture('unknown'), failure(400, 'bad_picture', 'image')), null);
    assert.match(String(judged(picture('good'), failure(400, 'bad_picture', 'image'))), /although it fits/);
  });

  it('reports an answer that violates its schema, comes late, or is not JSON', () => {
    assert.match(String(actionProblem(action('move'), taken, answer(200, { ok: true }), secret)), /does not fit its schema/);
    assert.match(String(judged(taken, answer(200, { ok: true }, { tookMs: 20_000 }))), /after 20000 ms/);
    assert.match(String(judged(taken, answer(200, null, { text: '<html>' }))), /not a JSON object/);
    assert.match(String(judged(taken, answer(200, { ok: true }, { headers: { 'content-type': 'text/html' } }))), /content type/);
  });

  it('reports an incomplete error object, and content of another account', () => {
    for (const [given, wrong] of [
      [answer(400, { ok: false, code: 'bad_argument', request_id: 'x' }), /no sentence/],
      [answer(400, { ok: false, error: 'e', code: 'unauthorized', request_id: 'x' }), /code unauthorized with status 400/],
      [answer(400, { ok: false, error: 'e', code: 'bad_argument' }), /no request_id/],
      [answer(404, { error: 'e' }), /without ok: false/],
      [answer(200, { robots: [] }), /without ok: true/],
      [answer(200, { ok: true, model: secret }), /another account/],
    ] as const) {
      assert.match(String(envelopeProblem(given, secret)), wrong);
    }
  });
});

describe('answersIn', () => {
  it('counts the answers of a connection, and reports what is not HTTP', () => {
    const one = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    const { answers, rest } = answersIn(`HTTP/1.1 100 Continue\r\n\r\n${one}${one}HTTP/1.1 400 Bad`, () => false, 1);
    assert.deepEqual(
      answers.map(({ status, text }) => [status, text]),
      [
        [200, '{}'],
        [200, '{}'],
      ],
    );
    assert.equal(rest, 'HTTP/1.1 400 Bad');
    assert.equal(answersIn('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', () => true, 1).rest, '', 'the answer to HEAD has no body');
  });

  it('decodes complete chunked answers, and leaves incomplete ones and event streams', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n';
    const { answers, rest } = answersIn(`${head}3\r\na,b\r\nA\r\n0123456789\r\n0\r\n\r\n`, () => false, 1);
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['a,b0123456789'],
    );
    assert.equal(rest, '');
    for (const bytes of [`${head}3\r\na,b\r\n`, `${head}3\r\na,bc\r\n0\r\n\r\n`, `${head.replace('csv', 'event-stream')}0\r\n\r\n`])
      assert.deepEqual(
        answersIn(bytes, () => false, 1),
        { answers: [], rest: bytes },
      );
  });
});
