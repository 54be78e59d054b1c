import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Bench } from '../bench.js';
import { Browser, passphrase } from './browser.js';

describe('the audit log of the web page', function () {
  this.timeout(60_000);
  const lines: string[] = [];
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ logTo: lines, people: { oidc: null, signUp: 'open' } });
  });
  after(() => bench.stop());

  it('has a line for signing up, in and out, for a wrong password, and for keys and robots that are created, revoked and removed', async () => {
    const browser = new Browser(bench);
    const email = `ada.${randomUUID()}@example.org`;
    const account: string = (await browser.signUp(email)).body.account.id;
    const key = (await browser.ask('POST', 'keys', { name: 'scripts', robots: '*' })).body;
    const robot: string = (await browser.ask('POST', 'robots', { virtual: true, name: 'Desk' })).body.robot.id;
    await browser.ask('POST', `robots/${robot}/token`);
    await browser.ask('DELETE', `robots/${robot}`);
    await browser.ask('DELETE', `keys/${key.key.id}`);
    const another = 'a brand new passphrase';
    await browser.ask('PUT', 'password', { current: passphrase, password: another });
    await browser.ask('DELETE', 'session');
    await browser.signIn(email, 'not the passphrase');
    await browser.signIn(email, another);
    await browser.ask('DELETE', 'keys/k-0000000000');
    const records = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
    assert.deepEqual(
      records.map(({ audit, outcome, account: of, robot: on, key_id: keyId }) => [audit, outcome, of, on ?? keyId ?? null]),
      [
        ['sign_up', 'ok', account, null],
        ['key_create', 'ok', account, key.key.id],
        ['robot_add', 'ok', account, robot],
        ['robot_token_renew', 'ok', account, robot],
        ['robot_remove', 'ok', account, robot],
        ['key_revoke', 'ok', account, key.key.id],
        ['password_change', 'ok', account, null],
        ['sign_out', 'ok', account, null],
        ['sign_in', 'wrong_credentials', null, null],
        ['sign_in', 'ok', account, null],
        ['key_revoke', 'not_found', account, 'k-0000000000'],
      ],
    );
    assert.ok(records.every(({ level, network, request_id: request }) => level === 'info' && network !== '' && typeof request === 'string'));
    const text = lines.join('');
    for (const secret of [email, passphrase, another, key.api_key]) assert.ok(!text.includes(secret), secret);
  });
});
