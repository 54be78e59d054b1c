import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Accounts, emailHash, probeAccount } from '../src/accounts/accounts.js';
import { isAccountId, newId } from '../src/redis/ids.js';
import { sharedKeys } from '../src/redis/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';
import { keysOf } from './fixtures.js';

describe('accounts', () => {
  let redis: Connections;
  let accounts: Accounts;

  before(async () => {
    redis = await testConnections();
    accounts = new Accounts(redis);
  });
  after(() => redis.close());

  const email = () => `Ann.${randomUUID()}@Example.org`;

  it('finds an account by id and by e-mail address, ignoring case', async () => {
    const address = email();
    const { account } = await accounts.create({ email: ` ${address} ` });
    const found = await accounts.get(account);
    assert.equal(found?.email, address);
    assert.deepEqual(await accounts.findByEmail(address.toUpperCase()), found);
    assert.ok((await accounts.list()).some(({ id }) => id === account));
  });

  it('creates one account when ten are created concurrently with the same address, and leaves nothing of the others', async () => {
    const address = email();
    const tries = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => accounts.create({ email: i % 2 ? address : address.toUpperCase() })));
    const made = tries.filter((one) => one.status === 'fulfilled');
    assert.equal(made.length, 1);
    for (const one of tries) if (one.status === 'rejected') assert.equal((one.reason as { code: string }).code, 'bad_argument');
    assert.equal((await accounts.findByEmail(address))?.id, made[0]!.value.account);
    assert.equal((await accounts.list()).filter((one) => one.email.toLowerCase() === address.toLowerCase()).length, 1);
    for (const id of await redis.commands.smembers('perch:{accounts}')) {
      const kept = await redis.commands.hget(`perch:{${id}}`, 'email');
      assert.ok(id === made[0]!.value.account || kept?.toLowerCase() !== address.toLowerCase());
    }
  });

  it('does not find an account before its address is registered', async () => {
    const account = newId('a');
    await redis.commands.hset(`perch:{${account}}`, { email: email(), created_at: 1 });
    await redis.commands.sadd('perch:{accounts}', account);
    assert.equal(await accounts.get(account), null);
    assert.ok(!(await accounts.list()).some(({ id }) => id === account));
  });

  it('refuses an invalid e-mail address', async () => {
    for (const address of ['', 'ann', '@', 'a b@c', `${'x'.repeat(250)}@y.org`])
      await assert.rejects(accounts.create({ email: address }), { code: 'bad_argument' });
  });

  it('creates the account of the probes once, also concurrently, under an id that no account gets at random', async () => {
    const { id, email: address } = probeAccount;
    try {
      const made = await Promise.all([accounts.ensureProbes(), accounts.ensureProbes(), accounts.ensureProbes()]);
      assert.ok(made.includes(true));
      assert.equal(await accounts.ensureProbes(), false);
      assert.equal((await accounts.get(id))?.email, address);
      assert.equal((await accounts.list()).filter((one) => one.id === id).length, 1);
      assert.ok(isAccountId(id));
      assert.match(id, /o/);
      assert.doesNotMatch(Array.from({ length: 1000 }, () => newId('a')).join(), /o/);
      await redis.commands.hset(`perch:{${id}}`, 'removing', '1');
      await assert.rejects(accounts.ensureProbes(), { kind: 'full' });
    } finally {
      // On a Cluster they are on two nodes.
      for (const key of [`perch:{${id}}`, sharedKeys.email(emailHash(address))]) await redis.commands.unlink(key);
      await redis.commands.srem('perch:{accounts}', id);
    }
  });

  it('does not take the address of the probes from an account that has it since before', async () => {
    const key = sharedKeys.email(emailHash(probeAccount.email));
    await redis.commands.set(key, 'a-0123456789');
    try {
      await assert.rejects(accounts.ensureProbes(), { kind: 'full', message: /belongs to account a-0123456789/ });
      assert.equal(await redis.commands.exists(`perch:{${probeAccount.id}}`), 0);
    } finally {
      await redis.commands.unlink(key);
    }
  });

  it('keeps when an address was verified first, and marks no account that does not exist or is being removed', async () => {
    const { account } = await accounts.create({ email: email() });
    assert.equal(await accounts.verifiedAt(account), null);
    assert.equal(await accounts.verify(account), true);
    const at = await accounts.verifiedAt(account);
    assert.ok(at !== null && Math.abs(at - Date.now()) < 60_000, String(at));
    assert.equal(await accounts.verify(account), true);
    assert.equal(await accounts.verifiedAt(account), at);
    assert.equal(await accounts.verify('a-nothing'), false);
    assert.equal(await redis.commands.exists('perch:{a-nothing}'), 0);
    const { account: leaving } = await accounts.create({ email: email() });
    await redis.commands.hset(`perch:{${leaving}}`, 'removing', 1);
    assert.equal(await accounts.verify(leaving), false);
    assert.equal(await accounts.verifiedAt(leaving), null);
  });

  it('counts the address of a new account as verified only if a provider vouches for it', async () => {
    const identity = { issuer: 'https://provider.example', subject: randomUUID() };
    const { account } = await accounts.create({ email: email(), identity, verified: true });
    assert.notEqual(await accounts.verifiedAt(account), null);
    assert.equal(await accounts.verifiedAt((await accounts.create({ email: email() })).account), null);
  });

  it('finds no account for an unknown id or address', async () => {
    assert.equal(await accounts.get('a-nothing'), null);
    assert.equal(await accounts.findByEmail(email()), null);
  });

  describe('accounts with an OpenID Connect identity', () => {
    const identity = () => ({ issuer: 'https://provider.example', subject: randomUUID() });

    it('finds an account only by both issuer and subject', async () => {
      const [who, address] = [identity(), email()];
      const { account } = await accounts.create({ email: address, identity: who });
      assert.equal((await accounts.findByIdentity(who, address))?.id, account);
      assert.equal((await accounts.findByIdentity(who, null))?.id, account);
      assert.equal(await accounts.findByIdentity({ ...who, issuer: 'https://other.example' }, address), null);
    });

    it('never returns the account of another identity with the same address', async () => {
      const address = email();
      await accounts.create({ email: address });
      assert.equal(await accounts.findByIdentity(identity(), address), null);
      await assert.rejects(accounts.create({ email: address, identity: identity() }), { code: 'bad_argument' });
    });

    it('finds an account by its address if its creation was interrupted before the identity was registered', async () => {
      const [who, address] = [identity(), email()];
      const { account } = await accounts.create({ email: address, identity: who });
      const [key] = await keysThatName(account);
      await redis.commands.unlink(key!);
      assert.equal((await accounts.findByIdentity(who, address))?.id, account);
      assert.equal((await accounts.findByIdentity(who, null))?.id, account);
    });

    async function keysThatName(account: string): Promise<string[]> {
      const keys = await keysOf(redis, 'perch:{identity:*');
      const named = await Promise.all(keys.map(async (key) => (await redis.commands.get(key)) === account));
      return keys.filter((_, i) => named[i]);
    }
  });
});
