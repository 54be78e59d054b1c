import assert from 'node:assert/strict';
import { consoleProblem, type Sent } from '../src/console/console-problems.js';
import { done, endProblem, forbidden, wrong } from '../src/console/requests/expected-results.js';
import { password } from '../src/console/auth/console-users.js';
import type { Answer } from '../src/answer-problems.js';

describe('the check of console calls', () => {
  const others = { secret: 'of-another-account', ids: ['r-another00'] };
  const session = `ps_${'a'.repeat(43)}`;
  const cookie = `perch_session=${session}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`;
  const sent = (name: string, more: Partial<Sent> = {}): Sent => ({
    method: name.split(' ')[0]!,
    route: name,
    ends: done,
    others,
    secure: false,
    secrets: [password],
    ...more,
  });
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    text: JSON.stringify(body),
    tookMs: 5,
  });
  const failure = (status: number, code: string, field?: string, headers: Record<string, string> = {}): Answer =>
    answer(status, { ok: false, error: 'A sentence.', code, request_id: 'gw-1', ...(field === undefined ? {} : { field }) }, headers);

  it('accepts correct answers', () => {
    assert.equal(consoleProblem(answer(200, { ok: true }), sent('GET robots')), null);
    assert.equal(consoleProblem(answer(200, { ok: true }, { 'set-cookie': cookie }), sent('POST session')), null);
    assert.equal(consoleProblem(answer(200, { ok: true, api_key: `pk_${'b'.repeat(43)}` }), sent('POST keys')), null);
    assert.equal(consoleProblem(failure(403, 'forbidden'), sent('POST keys', { ends: [forbidden] })), null);
    assert.equal(consoleProblem(failure(400, 'bad_argument', 'name'), sent('POST keys', { ends: [wrong('name')] })), null);
    const refused = answer(200, { ok: true, activity: [{ action: 'robot_change', robot: 'r-another00', outcome: 'unknown_robot' }] });
    assert.equal(consoleProblem(refused, sent('GET account/export')), null);
    const leads = { status: 303, headers: { location: '/sign-in#error=oidc_failed', 'cache-control': 'no-store' }, text: '', tookMs: 5 };
    assert.equal(consoleProblem(leads, sent('GET oidc/callback', { ends: [{ status: 303 }] })), null);
  });

  const bad: Record<string, [given: Answer, of: Sent, wrong: RegExp]> = {
    'a 500': [failure(500, 'internal'), sent('GET robots'), /an error of the service/],
    'what was done though nobody might': [
      answer(200, { ok: true }),
      sent('POST keys', { ends: [forbidden] }),
      /ended with 200, not with 403 forbidden/,
    ],
    'an argument that is not named': [failure(400, 'bad_argument'), sent('POST keys', { ends: [wrong('name')] }), /not with 400 bad_argument name/],
    'another argument that is blamed': [failure(400, 'bad_argument', 'robots'), sent('POST keys', { ends: [wrong('name')] }), /for robots/],
    'what is of another account': [answer(200, { ok: true, name: others.secret }), sent('GET keys'), /another account's/],
    'the id of what is of another account in an export': [
      answer(200, { ok: true, activity: [], shared_robots: [{ id: 'r-another00' }] }),
      sent('GET account/export'),
      /r-another00, of another account/,
    ],
    'the id of what is of another account': [answer(200, { ok: true, id: 'r-another00' }), sent('GET robots'), /r-another00, of another account/],
    'a field without a name': [failure(400, 'bad_argument', ''), sent('POST keys', { ends: [wrong('')] }), /a field of 0 characters/],
    'a field that is a whole body': [
      failure(400, 'bad_argument', 'x'.repeat(5000)),
      sent('POST keys', { ends: [wrong('x'.repeat(5000))] }),
      /a field of 5000/,
    ],
    'a password that is said again': [failure(400, 'bad_argument', password), sent('POST accounts'), /a secret that was sent/],
    'a session in a body': [answer(200, { ok: true, session }), sent('GET session'), /a secret like/],
    'an API key where none is made': [answer(200, { ok: true, key: `pk_${'b'.repeat(43)}` }), sent('GET keys'), /a secret like/],
    'a robot token where none is made': [answer(200, { ok: true, token: `rt_${'b'.repeat(43)}` }), sent('GET robots'), /a secret like/],
    'a cookie where nobody comes in': [answer(200, { ok: true }, { 'set-cookie': cookie }), sent('GET robots'), /sets the cookie perch_session/],
    'a cookie with a refusal': [
      failure(401, 'wrong_credentials', undefined, { 'set-cookie': cookie }),
      sent('POST session', { ends: [{ status: 401 }] }),
      /sets the cookie/,
    ],
    'a cookie that scripts can read': [
      answer(200, { ok: true }, { 'set-cookie': cookie.replace('; HttpOnly', '') }),
      sent('POST session'),
      /not HttpOnly/,
    ],
    'a cookie for other sites': [answer(200, { ok: true }, { 'set-cookie': cookie.replace('Lax', 'None') }), sent('POST session'), /not SameSite/],
    'a cookie for other hosts': [
      answer(200, { ok: true }, { 'set-cookie': `${cookie}; Domain=example.org` }),
      sent('POST session'),
      /this host's alone/,
    ],
    'a cookie over https that http may read': [
      answer(200, { ok: true }, { 'set-cookie': cookie.replace('perch_session', '__Host-perch') }),
      sent('POST session', { secure: true }),
      /not Secure/,
    ],
    'a session that was there before': [
      answer(200, { ok: true }, { 'set-cookie': cookie }),
      sent('POST session', { secrets: [session] }),
      /was there before/,
    ],
    'a door for other origins': [
      answer(200, { ok: true }, { 'access-control-allow-origin': '*' }),
      sent('GET robots'),
      /access-control-allow-origin/,
    ],
    'an answer that may be kept': [answer(200, { ok: true }, { 'cache-control': 'public' }), sent('GET robots'), /kept by a cache/],
    'an address that leads away': [
      { ...answer(303, {}, { location: 'https://evil.example/' }), text: '' },
      sent('GET oidc/callback'),
      /leads to https:\/\/evil/,
    ],
    'no time to wait': [failure(503, 'too_busy'), sent('POST session', { ends: [{ status: 503 }] }), /without Retry-After/],
    'a code of another status': [failure(400, 'signed_out'), sent('GET robots', { ends: [{ status: 400 }] }), /code signed_out with status 400/],
    'what comes late': [{ ...answer(200, { ok: true }), tookMs: 20_000 }, sent('GET robots'), /after 20000 ms/],
  };
  for (const [what, [given, of, problem]] of Object.entries(bad))
    it(`reports ${what}`, () => assert.match(String(consoleProblem(given, of)), problem));

  it('names the answers that were expected', () => {
    assert.equal(endProblem([wrong('robots[1]')], 400, { code: 'bad_argument', field: 'robots[1]' }), null);
    assert.match(String(endProblem([wrong('')], 400, { code: 'bad_argument', field: 'x' })), /for x, not with 400 bad_argument/);
  });
});
