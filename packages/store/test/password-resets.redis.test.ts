import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../src/index.js';
import { sha256Short } from '../src/redis/ids.js';
import { sharedKeys } from '../src/redis/keys.js';
import { closeStores, testStore } from './fixtures.js';

describe('password resets', () => {
  let store: Store;
  before(async () => {
    store = await testStore();
  });
  after(closeStores);

  async function newAccount(password?: string): Promise<{ account: string; email: string }> {
    const email = `${randomUUID()}@example.org`;
    return { ...(await store.accounts.create({ email, ...(password === undefined ? {} : { password }) })), email };
  }

  it('a token names the account, its address and its password, can be looked at, and is consumed once', async () => {
    const { account, email } = await newAccount('hash of one');
    const token = await store.passwordResets.make(account);
    const expected = { account, email, password: 'hash of one' };
    assert.match(token, /^pr_[\w-]{43}$/);
    assert.deepEqual(await store.passwordResets.find(token), expected);
    const taken = await Promise.all(Array.from({ length: 10 }, () => store.passwordResets.take(token)));
    assert.deepEqual(
      taken.filter((each) => each !== null),
      [expected],
    );
    assert.equal(await store.passwordResets.find(token), null);
  });

  it('a token lives for an hour, and neither its text nor the hash of the password is stored', async () => {
    const { account } = await newAccount('hash of one');
    const token = await store.passwordResets.make(account);
    const { commands } = store.connections;
    const key = sharedKeys.once('reset', sha256Short(token));
    const ttl = await commands.pttl(key);
    assert.ok(ttl > 3_590_000 && ttl <= 3_600_000, String(ttl));
    const value = (await commands.get(key))!;
    assert.match(value, new RegExp(`^${account} [\\w-]{43}$`));
    await commands.pexpire(key, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual([await store.passwordResets.find(token), await store.passwordResets.take(token)], [null, null]);
  });

  it('a change of the password ends all tokens of the account, and none of other accounts', async () => {
    const [ann, bob] = [await newAccount('hash of one'), await newAccount('hash of one')];
    await store.accounts.verify(ann.account);
    const tokens = [await store.passwordResets.make(ann.account), await store.passwordResets.make(ann.account)];
    const other = await store.passwordResets.make(bob.account);
    assert.equal(await store.passwords.replace(ann.account, 'hash of one', 'hash of another'), true);
    for (const token of tokens) assert.deepEqual([await store.passwordResets.find(token), await store.passwordResets.take(token)], [null, null]);
    assert.equal((await store.passwordResets.take(other))?.account, bob.account);
  });

  it('an account without a password has resets, too, which end with its first password', async () => {
    const { account, email } = await newAccount();
    await store.accounts.verify(account);
    const [first, second] = [await store.passwordResets.make(account), await store.passwordResets.make(account)];
    assert.deepEqual(await store.passwordResets.take(first), { account, email, password: null });
    assert.equal(await store.passwords.replace(account, null, 'hash'), true);
    assert.equal(await store.passwordResets.take(second), null);
  });

  it('a change of the password ends no token while the address is unverified, so that who signed up with it cannot keep its owner out', async () => {
    const { account, email } = await newAccount('hash of one');
    const token = await store.passwordResets.make(account);
    assert.equal(await store.passwords.replace(account, 'hash of one', 'hash of another'), true);
    assert.deepEqual(await store.passwordResets.take(token), { account, email, password: 'hash of another' });
    assert.equal(await store.passwordResets.take(token), null);
  });

  it('tokens of a removed account reset nothing', async () => {
    const { account, email } = await newAccount('hash');
    const token = await store.passwordResets.make(account);
    await store.accountRemoval.remove(email, { settledAfterMs: 0, passEveryMs: 0 });
    assert.deepEqual([await store.passwordResets.find(token), await store.passwordResets.take(token)], [null, null]);
  });

  it('all unused tokens are revoked together', async () => {
    const { account } = await newAccount('hash');
    const token = await store.passwordResets.make(account);
    assert.ok((await store.passwordResets.endAll()) >= 1);
    assert.equal(await store.passwordResets.take(token), null);
  });
});
