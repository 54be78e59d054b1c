import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '@perch/store';
import { PerchWithStore } from './run-perch.js';

describe('perch account and perch invitation', () => {
  let cli: PerchWithStore;
  let store: Store;
  before(async () => {
    cli = await PerchWithStore.open();
    ({ store } = cli);
  });
  after(() => cli?.store.close());

  it('adds an account, and lists it', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await cli.json<{ account: string }>(`account add --email ${email}`);
    const { accounts } = await cli.json<{ accounts: { account: string; email: string }[] }>('account list');
    assert.equal(accounts.find((one) => one.account === account)?.email, email);
    const { out } = await cli.run('account list');
    assert.match(out, new RegExp(`${account} +${email}`));
  });

  it('adds an account with a robot and a key for it in one command', async () => {
    const made = await cli.json<Record<string, string>>(`account add --email ${randomUUID()}@example.org --with-robot --with-key`);
    assert.deepEqual(Object.keys(made), ['account', 'robot', 'robot_token', 'api_key']);
    assert.deepEqual(
      (await store.robots.list(made['account']!)).map(({ id }) => id),
      [made['robot']],
    );
    const keys = await store.apiKeys.list(made['account']!);
    assert.deepEqual(
      keys.map(({ robots }) => robots),
      ['*'],
    );
    const { out } = await cli.run(`account add --email ${randomUUID()}@example.org --with-robot --with-key`);
    assert.match(out, /^account a-\S+\nrobot {3}r-\S+\ntoken {3}\S+ {4}\(shown only now\)\nkey {5}pk_\S+ {4}\(shown only now\)\n$/);
  });

  it('rejects an address that is already used, with a message and exit code 1', async () => {
    const email = `${randomUUID()}@example.org`;
    await cli.json(`account add --email ${email}`);
    const { code, err, out } = await cli.run(`account add --email ${email}`);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^perch: email: .*\n$/);
  });

  it('creates a one-time sign-in URL at a running gateway, or at PERCH_BASE_URL', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await cli.json<{ account: string }>(`account add --email ${email}`);
    const made = await cli.json<{ account: string; url: string }>(`account link ${email.toUpperCase()}`);
    assert.equal(made.account, account);
    const { hash, pathname } = new URL(made.url);
    assert.equal(pathname, '/');
    const [, link = ''] = /^#sign-in=(.+)$/.exec(hash)!;
    assert.deepEqual([await store.signInTokens.take(link), await store.signInTokens.take(link)], [account, null]);
    assert.match((await cli.run(`account link nobody@example.org`)).err, /^perch: there is no account with the address nobody@example.org: .*\n$/);
  });

  it('sets a new password and ends the sessions of the account', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await cli.json<{ account: string }>(`account add --email ${email}`);
    const { secret } = await store.sessions.begin(account);
    const { password } = await cli.json<{ password: string }>(`account password ${email}`);
    assert.equal((await store.passwords.check(email, password))?.account, account);
    assert.equal((await store.apiKeys.admit({ apiKey: secret, cost: 0 })).ok, false);
    const again = await cli.json<{ password: string }>(`account password ${email}`);
    assert.notEqual(again.password, password);
    assert.equal(await store.passwords.check(email, password), null);
  });

  it('ends the sessions of one account, or of all accounts', async () => {
    const emails = [1, 2].map(() => `${randomUUID()}@example.org`);
    const begun = await Promise.all(
      emails.map(async (email) => store.sessions.begin((await cli.json<{ account: string }>(`account add --email ${email}`)).account)),
    );
    const alive = async () => Promise.all(begun.map(async ({ secret }) => (await store.apiKeys.admit({ apiKey: secret, cost: 0 })).ok));
    assert.deepEqual(await cli.json(`account sign-out ${emails[0]}`), { accounts: 1 });
    assert.deepEqual(await alive(), [false, true]);
    const { url: link } = await cli.json<{ url: string }>(`account link ${emails[0]}`);
    const reset = await store.passwordResets.make((await store.accounts.findByEmail(emails[0]!))!.id);
    assert.ok((await cli.json<{ accounts: number }>('account sign-out --all')).accounts >= 2);
    assert.equal(await store.passwordResets.take(reset), null);
    assert.equal(await store.signInTokens.take(link.split('#sign-in=')[1]!), null);
    assert.deepEqual(await alive(), [false, false]);
    for (const wrong of ['account sign-out', `account sign-out ${emails[0]} --all`]) assert.equal((await cli.run(wrong)).code, 64);
  });

  it('creates an invitation that expires after some days', async () => {
    const { invitation, url } = await cli.json<{ invitation: string; url: string }>('invitation create --days 2');
    assert.ok(url.endsWith(`/sign-up#invitation=${invitation}`), url);
    const days = (await store.invitations.lifeMs(invitation))! / 86_400_000;
    assert.ok(days > 1.9 && days <= 2, `${days} days`);
    for (const wrong of ['0', '366', 'x', '1.5']) assert.equal((await cli.run(`invitation create --days ${wrong}`)).code, 64, wrong);
  });

  it('revokes all invitations, only with --all', async () => {
    const { invitation } = await cli.json<{ invitation: string }>('invitation create');
    assert.equal((await cli.run('invitation revoke')).code, 64);
    assert.notEqual(await store.invitations.lifeMs(invitation), null);
    assert.ok((await cli.json<{ invitations: number }>('invitation revoke --all')).invitations >= 1);
    assert.equal(await store.invitations.lifeMs(invitation), null);
    assert.equal((await cli.run('invitation revoke --all')).out, 'revoked 0 invitations\n');
  });
});
