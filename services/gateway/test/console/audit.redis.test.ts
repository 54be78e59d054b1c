import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { useGateway } from '../gateway-under-test.js';
import { Browser, passphrase } from './browser.js';

describe('audit lines of a gateway', () => {
  const lines: string[] = [];
  const system = useGateway({ accountSettings: { signUp: 'open', oidc: null }, logTo: lines });

  function audits(): Record<string, unknown>[] {
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit !== undefined);
  }

  it('logs one line for each sign-up, sign-in, sign-out and change of keys and robots, without secrets or e-mail addresses', async () => {
    const email = `ann.${randomUUID()}@example.org`;
    const wrongPassword = 'not the right password';
    const browser = new Browser(system);
    const ok = async (method: string, path: string, body?: unknown): Promise<any> => {
      const answer = await browser.ask(method, path, body);
      assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const account = (await browser.signUp(email)).body.account.id as string;
    await ok('DELETE', 'session');
    assert.equal((await browser.signIn(email, wrongPassword)).status, 401);
    assert.equal((await browser.signIn(email)).status, 200);
    const { key, api_key: apiKey } = await ok('POST', 'keys', { name: 'secret name', robots: '*' });
    const { api_key: rolled } = await ok('POST', `keys/${key.id}/secret`, { overlap_s: 60 });
    await ok('DELETE', `keys/${key.id}/former-secret`);
    await ok('DELETE', `keys/${key.id}`);
    assert.equal((await browser.ask('DELETE', 'keys/k-0000000000')).status, 404);
    const { robot, token } = await ok('POST', 'robots', { virtual: true });
    await ok('PATCH', `robots/${robot.id}`, { name: 'Desk' });
    const { token: renewed } = await ok('POST', `robots/${robot.id}/token`, {});
    await ok('DELETE', `robots/${robot.id}`);
    const serial = randomUUID();
    const begin = () => system.store.pairing.begin({ serial, model: 'm', firmware: '1' });
    const [first, again] = [await begin(), await begin()];
    const paired = (await ok('POST', 'robots', { code: first.userCode })).robot.id;
    assert.equal((await browser.ask('POST', 'robots', { code: again.userCode })).status, 409);
    await ok('POST', 'robots', { code: again.userCode, replace: true });
    const changed = 'quite another long passphrase';
    await ok('PUT', 'password', { current: passphrase, password: changed });
    await ok('DELETE', 'sessions');

    const seen = audits().map(({ audit, outcome, level, account: of, robot: which, key_id, replaced }) => [
      audit,
      outcome,
      level,
      of,
      which ?? key_id ?? null,
      replaced ?? null,
    ]);
    assert.deepEqual(seen, [
      ['sign_up', 'ok', 'info', account, null, null],
      ['sign_out', 'ok', 'info', account, null, null],
      ['sign_in', 'wrong_credentials', 'warn', null, null, null],
      ['sign_in', 'ok', 'info', account, null, null],
      ['key_create', 'ok', 'info', account, key.id, null],
      ['key_secret_roll', 'ok', 'info', account, key.id, null],
      ['key_overlap_end', 'ok', 'info', account, key.id, null],
      ['key_revoke', 'ok', 'info', account, key.id, null],
      ['key_revoke', 'not_found', 'warn', account, 'k-0000000000', null],
      ['robot_add', 'ok', 'info', account, robot.id, null],
      ['robot_change', 'ok', 'info', account, robot.id, null],
      ['robot_token_renew', 'ok', 'info', account, robot.id, null],
      ['robot_remove', 'ok', 'info', account, robot.id, null],
      ['pairing_approve', 'ok', 'info', account, paired, false],
      ['pairing_approve', 'conflict', 'warn', account, null, null],
      ['pairing_approve', 'ok', 'info', account, paired, true],
      ['password_change', 'ok', 'info', account, null, null],
      ['session_end', 'ok', 'info', account, null, null],
    ]);
    for (const { network, request_id: id } of audits()) assert.deepEqual([network, typeof id], ['127.0.0.1', 'string']);
    const logged = lines.join('');
    const secrets = {
      email,
      name: email.split('@')[0],
      passphrase,
      wrongPassword,
      changed,
      apiKey,
      rolled,
      token,
      renewed,
      session: browser.cookies.get('perch_session'),
    };
    for (const [what, secret] of Object.entries({ ...secrets, csrf: browser.csrf, firstCode: first.userCode, secondCode: again.userCode })) {
      assert.ok(secret, what);
      assert.equal(logged.includes(secret), false, what);
    }
  });

  it('limits the lines of refused sign-ins from one network, and still logs a sign-in that succeeds', async () => {
    const begun = lines.length;
    for (let i = 0; i < 60; i++)
      assert.equal((await system.ask('POST', '/console/session', { body: {}, headers: { 'sec-fetch-site': 'same-origin' } })).status, 400);
    const email = `ann.${randomUUID()}@example.org`;
    await new Browser(system).signUp(email);
    assert.equal((await new Browser(system).signIn(email)).status, 200);
    const since = lines.slice(begun).map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.ok(since.filter(({ audit, outcome }) => audit === 'sign_in' && outcome !== 'ok').length < 60);
    assert.equal(since.filter(({ audit, outcome }) => audit === 'sign_in' && outcome === 'ok').length, 1);
  });
});
