import assert from 'node:assert/strict';
import type { SignedIn } from '@perch/schema';
import { CallError } from '../src/api/call-error.js';
import { Caller } from '../src/api/caller.js';
import { answerJson, scriptedService, type ScriptedService } from './scripted-service.js';

const session = (csrf: string, id = 'a-1'): SignedIn => ({
  ok: true,
  signed_in: true,
  sign_up: 'open',
  oidc: null,
  passkey_host: null,
  mail: false,
  account: { id, email: 'ann@example.com', email_verified: false, has_password: true, has_passkey: false },
  csrf,
  base_url: 'http://perch.example',
  link_url: 'ws://perch.example/robot/v1/link',
});

describe('Caller', () => {
  let service: ScriptedService;
  /** Answers with the account's current session, and with a fixed response to other requests. */
  let now = session('one');
  let answer: (csrf: string | undefined) => [status: number, body: object, headers?: Record<string, string>];

  beforeEach(async () => {
    service = await scriptedService(({ path, headers }, response) => {
      if (path === '/console/session') answerJson(response, 200, now);
      else answerJson(response, ...answer(headers['x-csrf-token'] as string | undefined));
    });
    now = session('one');
    answer = () => [200, { ok: true }];
  });
  afterEach(() => service.close());

  const failed = async (work: Promise<unknown>): Promise<CallError> => {
    const error = await work.then(
      () => assert.fail('it succeeded'),
      (error: unknown) => error,
    );
    assert.ok(error instanceof CallError, String(error));
    return error;
  };

  it('sends the CSRF token with requests that change something, and not with reads', async () => {
    const caller = new Caller(service.fetch);
    await caller.post('/console/session', { link: 'x' });
    caller.use(session('one'));
    await caller.get('/console/robots');
    await caller.call('DELETE', '/console/robots/r-1');
    assert.deepEqual(
      service.requests.map(({ method, headers }) => [method, headers['x-csrf-token']]),
      [
        ['POST', undefined],
        ['GET', undefined],
        ['DELETE', 'one'],
      ],
    );
    assert.deepEqual(service.requests[0]!.body, { link: 'x' });
  });

  it('rejects with the code, message, field and retry delay of an error response', async () => {
    answer = () => [429, { ok: false, code: 'rate_limited', error: 'Too many.', field: 'email' }, { 'Retry-After': '7' }];
    const error = await failed(new Caller(service.fetch).post('/console/accounts'));
    assert.deepEqual([error.code, error.message, error.field, error.retryAfterS, error.status], ['rate_limited', 'Too many.', 'email', 7, 429]);
  });

  it('retries a request once with the new token when another tab made the token stale', async () => {
    const caller = new Caller(service.fetch);
    caller.use(session('one'));
    now = session('two');
    answer = (csrf) => (csrf === 'two' ? [200, { ok: true, done: 1 }] : [403, { ok: false, code: 'forbidden', error: 'Reload the page.' }]);
    assert.deepEqual(await caller.post('/console/keys', { name: 'x' }), { ok: true, done: 1 });
    assert.deepEqual(service.requests.at(-1)!.body, { name: 'x' });
  });

  it('does not retry a request when another account has signed in', async () => {
    const caller = new Caller(service.fetch);
    caller.use(session('one'));
    now = session('two', 'a-2');
    let reported = 0;
    caller.onSignedOut(() => reported++);
    answer = (csrf) => (csrf === 'two' ? [200, { ok: true }] : [403, { ok: false, code: 'forbidden', error: 'Reload the page.' }]);
    for (const times of [1, 2]) {
      assert.equal((await failed(caller.post('/console/keys'))).code, 'forbidden');
      assert.equal(reported, times);
    }
    assert.deepEqual(
      service.requests.filter(({ path }) => path === '/console/keys').map(({ headers }) => headers['x-csrf-token']),
      ['one', 'one'],
    );
  });

  it('rejects responses for another account until the page uses the session of that account, and reports the change', async () => {
    const caller = new Caller(service.fetch);
    const reported: string[] = [];
    caller.onSignedOut(() => reported.push('signed out'));
    caller.onOtherAccount(() => reported.push('other account'));
    await caller.session();
    answer = () => [200, { ok: true, robots: [] }, { 'Perch-Account': 'a-2' }];
    assert.equal((await failed(caller.get('/console/robots'))).code, 'signed_out');
    assert.equal((await failed(caller.raw('/console/live'))).code, 'signed_out');
    assert.deepEqual(reported, ['signed out', 'signed out']);
    now = { ...session('two'), signed_in: false } as never;
    await caller.session();
    assert.equal((await failed(caller.get('/console/robots'))).code, 'signed_out', 'the page is still the first one’s');
    now = session('two', 'a-2');
    await caller.session();
    assert.deepEqual(await caller.get('/console/robots'), { ok: true, robots: [] });
    assert.deepEqual(reported, ['signed out', 'signed out', 'signed out', 'other account']);
  });

  it('keeps data that was requested before the session if it is of the same account, and else reports the change', async () => {
    const caller = new Caller(service.fetch);
    let changes = 0;
    caller.onOtherAccount(() => changes++);
    answer = () => [200, { ok: true, robots: [] }, { 'Perch-Account': 'a-1' }];
    await caller.get('/console/robots');
    await caller.session();
    assert.equal(changes, 0);
    now = session('two', 'a-2');
    await caller.session();
    assert.equal(changes, 1);
    assert.equal((await failed(caller.get('/console/robots'))).code, 'signed_out');
  });

  it('reports the end of the session, but not a wrong password', async () => {
    const caller = new Caller(service.fetch);
    let reported = 0;
    caller.onSignedOut(() => reported++);
    caller.use(session('one'));
    answer = () => [401, { ok: false, code: 'wrong_credentials', error: 'No.', field: 'current' }];
    await failed(caller.call('PUT', '/console/password', { body: {} }));
    assert.equal(reported, 0);
    answer = () => [401, { ok: false, code: 'signed_out', error: 'Sign in.' }];
    await failed(caller.get('/console/robots'));
    assert.equal(reported, 1);
  });

  it('rejects with advice when the service is unreachable, too slow, or sends an invalid response', async () => {
    const slow = await scriptedService(() => {});
    assert.equal((await failed(new Caller(slow.fetch).get('/console/robots', { timeoutMs: 50 }))).code, 'timed_out');
    await slow.close();
    assert.equal((await failed(new Caller(slow.fetch).get('/console/robots'))).code, 'unreachable');
    const proxy = await scriptedService((_, response) => response.writeHead(502).end('<html>'));
    const error = await failed(new Caller(proxy.fetch).get('/console/robots'));
    assert.deepEqual([error.code, error.status], ['unreadable', 502]);
    await proxy.close();
  });
});
