import assert from 'node:assert/strict';
import fc from 'fast-check';
import { idempotencyShapes } from '../src/http/idempotency-shapes.js';
import type { Answer } from '../src/answer-problems.js';

const names = { robot: 'r-0000000001', foreignRobot: 'r-0000000002' };
const shapes = fc.sample(idempotencyShapes(names), { seed: 1, numRuns: 1500 });

function answer(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return { status, headers, text: JSON.stringify(body), tookMs: 1 };
}
function shapeLike(pattern: RegExp) {
  const found = shapes.find(({ what }) => pattern.test(what));
  assert.ok(found?.check !== undefined, String(pattern));
  return found.check;
}

describe('requests with an Idempotency-Key', () => {
  it('covers every kind of invalid key, and keys at the length limit', () => {
    const sent = shapes.map(({ parts }) => parts[0]!.toString('latin1'));
    for (const part of [
      'Idempotency-Key: \r\n',
      'Idempotency-Key: a b\r\n',
      `: ${'k'.repeat(256)}\r\n`,
      `: ${'k'.repeat(255)}\r\n`,
      ': \u00e9\r\n',
    ]) {
      assert.ok(
        sent.some((bytes) => bytes.includes(part)),
        part.slice(0, 30),
      );
    }
  });

  it('requires an error that names the header for an invalid key', () => {
    const check = shapeLike(/^Idempotency-Key "a b"/);
    assert.equal(check(answer(400, { field: 'Idempotency-Key' }), 0, []), null);
    assert.match(String(check(answer(400, { field: 'color' }), 0, [])), /does not name/);
  });

  it('requires the same answer as the first, marked as replayed', () => {
    const check = shapeLike(/times the same call/);
    const first = answer(200, { ok: true });
    const replayed = { 'idempotent-replayed': 'true' };
    assert.equal(check(first, 0, [first]), null);
    assert.equal(check(answer(200, { ok: true }, replayed), 1, [first]), null);
    assert.match(String(check(answer(200, { ok: true }), 1, [first])), /does not say so/);
    assert.match(String(check(answer(200, { ok: true, more: 1 }, replayed), 1, [first])), /another answer/);
    assert.equal(check(first, 1, [answer(503, {})]), null, 'what was not done may be done');
  });

  it('requires that of two calls with one key exactly one is refused, whichever began first', () => {
    const check = shapeLike(/for two calls/);
    const done = answer(200, { ok: true });
    const refused = answer(400, { field: 'Idempotency-Key' });
    assert.equal(check(refused, 1, [done, refused]), null);
    assert.equal(check(refused, 0, [refused, done]), null);
    assert.equal(check(done, 1, [answer(503, {}), done]), null, 'a call that was not done leaves the key to the other');
    assert.match(String(check(done, 1, [done, done])), /both 200/);
    assert.match(String(check(refused, 1, [refused, refused])), /both 400/);
    assert.match(String(check(answer(400, { field: 'color' }), 1, [done, answer(400, { field: 'color' })])), /does not name/);
  });
});
