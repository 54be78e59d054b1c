import assert from 'node:assert/strict';
import fc from 'fast-check';
import { pageProblem } from '../src/console/page/page-problems.js';
import { pageShapes } from '../src/console/page/page-shapes.js';
import type { Answer } from '../src/answer-problems.js';

const policy = "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; connect-src 'self' ws://127.0.0.1:1";
const headers = {
  'content-type': 'text/html; charset=utf-8',
  etag: '"x"',
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};
const page: Answer = { status: 200, headers, text: '<!doctype html>', tookMs: 5 };
const judged = (answer: Answer, method = 'GET'): string | null => pageProblem(method, answer, 'of-another-account', (text) => text === page.text);

describe('the check of console files', () => {
  it('accepts a file of the console, and a well-formed failure', () => {
    const error = JSON.stringify({ ok: false, error: 'There is nothing here.', code: 'not_found', request_id: 'gw-1' });
    assert.equal(judged(page), null);
    assert.equal(judged({ ...page, status: 304, text: '' }), null);
    assert.equal(judged({ status: 404, headers: { 'content-type': 'application/json' }, text: error, tookMs: 5 }), null);
  });

  it('reports a file that is not of the console, and one without its policy', () => {
    assert.match(String(judged({ ...page, text: '{"name":"@perch/console"}' })), /none of the page/);
    for (const [name, value, wrong] of [
      ['content-security-policy', "default-src 'self'", /default-src 'none'/],
      ['content-security-policy', `${policy}; img-src https://evil.example`, /lets somebody else in/],
      ['x-content-type-options', '', /nosniff/],
      ['cache-control', 'public, max-age=60', /is kept/],
      ['set-cookie', 'a=b', /sets a cookie/],
    ] as const) {
      assert.match(String(judged({ ...page, headers: { ...headers, [name]: value } })), wrong);
    }
    assert.match(String(judged({ ...page, status: 500 })), /status 500/);
    assert.match(String(judged({ status: 404, headers: { 'content-type': 'text/html' }, text: '<html>', tookMs: 5 })), /content type/);
  });
});

describe('requests for files', () => {
  it('requests for files leave the folder in many ways, and also name existing files', () => {
    const paths = fc.sample(pageShapes(['assets/a-1.js']), { numRuns: 2000, seed: 1 }).map(({ path }) => path);
    for (const wanted of [/^\/$/, /\/\.\.\/.*package\.json/, /%2e%2e.*etc\/passwd/i, /\\/, /assets\/a-1\.js$/, /^http:\/\/evil/])
      assert.ok(
        paths.some((path) => wanted.test(path)),
        String(wanted),
      );
  });
});
