import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Accounts } from '../src/accounts/accounts.js';
import { Passwords } from '../src/auth/passwords.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';

describe('passwords', () => {
  let redis: Connections;
  let accounts: Accounts;
  let passwords: Passwords;

  before(async () => {
    redis = await testConnections();
    accounts = new Accounts(redis);
    passwords = new Passwords(redis, accounts);
  });
  after(() => redis.close());

  async function person(password?: string): Promise<{ email: string; account: string }> {
    const email = `${randomUUID()}@example.org`;
    const hash = password === undefined ? {} : { password: await passwords.hash(password) };
    return { email, ...(await accounts.create({ email, ...hash })) };
  }

  it('stores passwords as argon2id with the parameters of OWASP or stronger, and with different salts', async () => {
    const [one, other] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(one, other);
  });

  it('signs in to the account of the password, ignoring the case of its address', async () => {
    const { email, account } = await person('correct horse');
    assert.equal((await passwords.check(email.toUpperCase(), 'correct horse'))?.account, account);
    for (const wrong of ['Correct horse', 'correct horse ', '']) assert.equal(await passwords.check(email, wrong), null);
  });

  it('refuses an unknown account and an account without a password', async () => {
    assert.equal(await passwords.check(`${randomUUID()}@example.org`, ''), null);
    const { email } = await person();
    assert.equal(await passwords.check(email, ''), null);
  });

  it('replaces a password only if it is unchanged: one of ten concurrent changes succeeds', async () => {
    const { account, email } = await person('the first one');
    const from = await passwords.of(account);
    const hashes = await Promise.all(Array.from({ length: 10 }, (_, i) => passwords.hash(`another ${i}`)));
    const done = await Promise.all(hashes.map((hash) => passwords.replace(account, from, hash)));
    assert.equal(done.filter(Boolean).length, 1);
    assert.equal(await passwords.of(account), hashes[done.indexOf(true)]);
    assert.equal(await passwords.check(email, 'the first one'), null);
    assert.equal(await passwords.replace('a-nothing', null, hashes[0]!), false);
  });

  it('hashes a few passwords at a time, and rejects callers beyond the queue with too_busy', async () => {
    const many = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash('correct horse')));
    const refused = many.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 60 - 36);
    for (const { reason } of refused) assert.equal((reason as { code: string }).code, 'too_busy');
    await passwords.hash('there is room again');
  });
});
