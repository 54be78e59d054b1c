import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { passkeysMax, StoreError, type NewPasskey, type Store } from '../src/index.js';
import { sha256Short } from '../src/redis/ids.js';
import { accountKeys, sharedKeys } from '../src/redis/keys.js';
import { closeStores, testStore } from './fixtures.js';

describe('passkeys', () => {
  let store: Store;
  before(async () => {
    store = await testStore();
  });
  after(closeStores);

  const account = async () => (await store.accounts.create({ email: `${randomUUID()}@example.org` })).account;
  const passkey = (more: Partial<NewPasskey> = {}): NewPasskey => ({
    name: 'phone',
    host: 'perch.example',
    credential: randomBytes(16).toString('base64url'),
    publicKey: randomBytes(77).toString('base64url'),
    counter: 0,
    transports: ['internal', 'hybrid'],
    synced: true,
    ...more,
  });

  it('finds the account of a credential, and lists the passkeys of an account, oldest first', async () => {
    const [ann, bob] = [await account(), await account()];
    const [first, second, other] = [passkey(), passkey({ synced: false, transports: [] }), passkey()];
    const ids = [await store.passkeys.add(ann, first)];
    const { createdAt: at } = (await store.passkeys.get(ann, ids[0]!))!;
    // Those of one millisecond are in no order.
    await until(() => store.clock.now() > at + 1);
    ids.push(await store.passkeys.add(ann, second));
    await store.passkeys.add(bob, other);
    assert.match(ids[0]!, /^p-[0-9a-z]{10}$/);
    const listed = await store.passkeys.list(ann);
    assert.deepEqual(
      listed.map(({ createdAt: _created, ...each }) => each),
      [first, second].map((each, i) => ({ ...each, id: ids[i], lastUsed: null })),
    );
    for (const { createdAt } of listed) assert.ok(Math.abs(createdAt - store.clock.now()) < 10_000);
    assert.equal((await store.passkeys.find(other.credential))?.account, bob);
    assert.deepEqual(await store.passkeys.find(first.credential), { account: ann, passkey: listed[0] });
    for (const unknown of ['', 'x', first.credential.toUpperCase(), randomBytes(16).toString('base64url')])
      assert.equal(await store.passkeys.find(unknown), null, unknown);
    assert.deepEqual([await store.passkeys.has(ann), await store.passkeys.has(await account())], [true, false]);
  });

  it('refuses a credential that any account has, and leaves that account its passkey', async () => {
    const [ann, bob] = [await account(), await account()];
    const own = passkey();
    const id = await store.passkeys.add(ann, own);
    for (const other of [ann, bob]) assert.equal(await store.passkeys.add(other, passkey({ credential: own.credential })), null);
    assert.equal((await store.passkeys.find(own.credential))?.passkey.id, id);
    assert.deepEqual(await store.passkeys.list(bob), []);
    assert.equal((await store.passkeys.list(ann)).length, 1);
  });

  it('never adds more than the maximum to an account, also with concurrent requests', async () => {
    const ann = await account();
    const outcomes = await Promise.allSettled(Array.from({ length: passkeysMax + 5 }, () => store.passkeys.add(ann, passkey())));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    assert.equal(refused.length, 5);
    for (const error of refused) assert.ok(error instanceof StoreError && error.kind === 'full');
    assert.equal((await store.passkeys.list(ann)).length, passkeysMax);
  });

  it('records a use only with a higher counter than before, and with any number of zeros from an authenticator that does not count', async () => {
    const ann = await account();
    const counting = (await store.passkeys.add(ann, passkey({ counter: 5 })))!;
    const outcomes = [];
    for (const counter of [5, 4, 0, 6, 6, 9]) outcomes.push(await store.passkeys.use(ann, counting, counter));
    assert.deepEqual(outcomes, ['went_back', 'went_back', 'went_back', 'used', 'went_back', 'used']);
    const { counter, lastUsed } = (await store.passkeys.get(ann, counting))!;
    assert.equal(counter, 9);
    assert.ok(Math.abs(lastUsed! - store.clock.now()) < 10_000);
    const at = await Promise.all(Array.from({ length: 5 }, () => store.passkeys.use(ann, counting, 10)));
    assert.equal(at.filter((outcome) => outcome === 'used').length, 1);
    const still = (await store.passkeys.add(ann, passkey()))!;
    for (let i = 0; i < 3; i++) assert.equal(await store.passkeys.use(ann, still, 0), 'used');
  });

  it('removes a passkey of its account only, and neither a use nor a new name creates it again', async () => {
    const [ann, bob] = [await account(), await account()];
    const own = passkey();
    const id = (await store.passkeys.add(ann, own))!;
    assert.equal(await store.passkeys.rename(ann, id, 'security key'), true);
    assert.equal((await store.passkeys.get(ann, id))?.name, 'security key');
    for (const unknown of [id, 'p-0000000000', '', `${id}:x`, '*']) {
      assert.equal(await store.passkeys.remove(bob, unknown), false, unknown);
      assert.equal(await store.passkeys.rename(bob, unknown, 'x'), false, unknown);
    }
    assert.equal(await store.passkeys.remove(ann, id), true);
    assert.deepEqual(
      [await store.passkeys.use(ann, id, 1), await store.passkeys.rename(ann, id, 'x'), await store.passkeys.remove(ann, id)],
      ['removed', false, false],
    );
    const { commands } = store.connections;
    assert.equal(await store.passkeys.find(own.credential), null);
    for (const key of [sharedKeys.passkey(sha256Short(own.credential)), accountKeys.passkey(ann, id), accountKeys.passkeys(ann)])
      assert.equal(await commands.exists(key), 0, key);
    assert.notEqual(await store.passkeys.add(bob, own), null, 'the credential can be added again');
  });

  it('finds no passkey by a key that names another one, and none once the removal of its account has begun', async () => {
    const ann = await account();
    const [one, other] = [passkey(), passkey()];
    await store.passkeys.add(ann, one);
    const id = await store.passkeys.add(ann, other);
    await store.connections.commands.set(sharedKeys.passkey(sha256Short(one.credential)), `${ann} ${id}`);
    assert.equal(await store.passkeys.find(one.credential), null);
    await store.connections.commands.hset(accountKeys.record(ann), 'removing', '1');
    assert.equal(await store.passkeys.find(other.credential), null);
    await assert.rejects(store.passkeys.add(ann, passkey()), /being removed/);
  });
});
