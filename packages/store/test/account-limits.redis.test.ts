/** Limits that the operator sets for one account. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { StoreError, type Store } from '../src/index.js';
import { closeStores, testStore } from './fixtures.js';

describe('limits of an account', () => {
  let store: Store;
  let account: string;
  before(async () => {
    store = await testStore();
  });
  after(closeStores);
  beforeEach(async () => {
    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
  });

  const limited = (what: RegExp) => (error: unknown) => error instanceof StoreError && error.kind === 'full' && what.test(error.message);
  const fulfilled = (results: PromiseSettledResult<unknown>[]) => results.filter(({ status }) => status === 'fulfilled').length;

  it('are the default until they are set, and the default again once they are unset', async () => {
    assert.deepEqual(await store.accountLimits.get(account), { robots: 'default', keys: 'default', actionsPerS: 'default' });
    assert.equal(await store.accountLimits.set(account, { robots: 3, keys: 'none', actionsPerS: 5 }), true);
    assert.deepEqual(await store.accountLimits.get(account), { robots: 3, keys: 'none', actionsPerS: 5 });
    await store.accountLimits.set(account, { robots: 'default', actionsPerS: 'default' });
    assert.deepEqual(await store.accountLimits.get(account), { robots: 'default', keys: 'none', actionsPerS: 'default' });
  });

  it('are not set for an account that does not exist, of which nothing is written then', async () => {
    assert.equal(await store.accountLimits.set('a-nothing', { robots: 3, actionsPerS: 5 }), false);
    assert.deepEqual(await store.accountLimits.get('a-nothing'), { robots: 'default', keys: 'default', actionsPerS: 'default' });
  });

  it('admit exactly so many robots however many are made at the same time, and the refusal names the limit', async () => {
    await store.accountLimits.set(account, { robots: 3 });
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => store.robots.create({ account, max: 100 })));
    assert.equal(fulfilled(made), 3);
    await assert.rejects(store.robots.create({ account }), limited(/This account is limited to 3 robots\./));
    assert.equal(await store.robots.count(account), 3);
  });

  it('admit exactly so many keys however many are made at the same time, and the refusal names the limit', async () => {
    await store.accountLimits.set(account, { keys: 2 });
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => store.apiKeys.create({ account, max: 100 })));
    assert.equal(fulfilled(made), 2);
    await assert.rejects(store.apiKeys.create({ account }), limited(/This account is limited to 2 keys\./));
  });

  it('hold for a robot that is paired, whose code stays valid until there is room', async () => {
    await store.accountLimits.set(account, { robots: 1 });
    const { robot } = await store.robots.create({ account });
    const begun = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' });
    await assert.rejects(store.pairing.approve(account, begun.userCode, 100), limited(/limited to 1 robots/));
    await store.robots.remove(account, robot);
    assert.notEqual(await store.pairing.approve(account, begun.userCode, 100), null);
  });

  it('remove nothing when they are lowered, and refuse new ones until there is room', async () => {
    await Promise.all([1, 2, 3].map(() => store.robots.create({ account })));
    await store.accountLimits.set(account, { robots: 1 });
    assert.equal(await store.robots.count(account), 3);
    await assert.rejects(store.robots.create({ account }), limited(/limited to 1 robots/));
  });

  it('replace the maximum of the caller, upwards too', async () => {
    await store.accountLimits.set(account, { robots: 2, keys: 'none' });
    await store.robots.create({ account, max: 1 });
    await store.robots.create({ account, max: 1 });
    await store.apiKeys.create({ account, max: 1 });
    await store.apiKeys.create({ account, max: 1 });
    await store.accountLimits.set(account, { robots: 'default', keys: 'default' });
    await assert.rejects(store.robots.create({ account, max: 1 }), limited(/An account holds at most 1 robots\./));
    await assert.rejects(store.apiKeys.create({ account, max: 1 }), limited(/An account holds at most 1 keys\./));
  });
});
