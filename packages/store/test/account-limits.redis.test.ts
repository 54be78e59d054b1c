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

  it('returns the default limits until they are set and after they are unset', async () => {
    assert.deepEqual(await store.accountLimits.get(account), { robots: 'default', keys: 'default', actionsPerS: 'default' });
    assert.equal(await store.accountLimits.set(account, { robots: 3, keys: 'none', actionsPerS: 5 }), true);
    assert.deepEqual(await store.accountLimits.get(account), { robots: 3, keys: 'none', actionsPerS: 5 });
    await store.accountLimits.set(account, { robots: 'default', actionsPerS: 'default' });
    assert.deepEqual(await store.accountLimits.get(account), { robots: 'default', keys: 'none', actionsPerS: 'default' });
  });

  it('writes nothing when limits are set for an account that does not exist', async () => {
    assert.equal(await store.accountLimits.set('a-nothing', { robots: 3, actionsPerS: 5 }), false);
    assert.deepEqual(await store.accountLimits.get('a-nothing'), { robots: 'default', keys: 'default', actionsPerS: 'default' });
  });

  it('admits exactly the limit of robots when more are created concurrently, and names the limit in the error', async () => {
    await store.accountLimits.set(account, { robots: 3 });
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => store.robots.create({ account, max: 100 })));
    assert.equal(fulfilled(made), 3);
    await assert.rejects(store.robots.create({ account }), limited(/This account is limited to 3 robots\./));
    assert.equal(await store.robots.count(account), 3);
  });

  it('admits exactly the limit of keys when more are created concurrently, and names the limit in the error', async () => {
    await store.accountLimits.set(account, { keys: 2 });
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => store.apiKeys.create({ account, max: 100 })));
    assert.equal(fulfilled(made), 2);
    await assert.rejects(store.apiKeys.create({ account }), limited(/This account is limited to 2 keys\./));
  });

  it('refuses to pair a robot beyond the limit, and keeps its code valid for a later attempt', async () => {
    await store.accountLimits.set(account, { robots: 1 });
    const { robot } = await store.robots.create({ account });
    const begun = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' });
    await assert.rejects(store.pairing.approve(account, begun.userCode, 100), limited(/limited to 1 robots/));
    await store.robots.remove(account, robot);
    assert.notEqual(await store.pairing.approve(account, begun.userCode, 100), null);
  });

  it('removes nothing when a limit is lowered, and refuses new robots until their number is below it', async () => {
    await Promise.all([1, 2, 3].map(() => store.robots.create({ account })));
    await store.accountLimits.set(account, { robots: 1 });
    assert.equal(await store.robots.count(account), 3);
    await assert.rejects(store.robots.create({ account }), limited(/limited to 1 robots/));
  });

  it('overrides the maximum of the caller, also with a higher limit', async () => {
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
