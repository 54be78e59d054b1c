import assert from 'node:assert/strict';
import type { FleetAnswer } from '../src/robots/fleet-command.js';
import { PerchWithStore } from './run-perch.js';

interface Added {
  account: string;
  robot: string;
  robot_token: string;
  api_key: string;
  key_id: string;
}

describe('perch probe', () => {
  let perch: PerchWithStore;
  before(async () => {
    perch = await PerchWithStore.open();
    await perch.store.instances.announce();
  });
  afterEach(() => perch.store.accountRemoval.remove('probe@perch.invalid', { settledAfterMs: 0, passEveryMs: 1 }));
  after(() => perch?.store.close());

  it('adds the account once, and for each probe a robot, and a key that reaches this robot alone and may only read and ask', async () => {
    const first = await perch.json<Added>('probe add --name Paris');
    const second = await perch.json<Added>('probe add');
    assert.equal(first.account, 'a-perchprobe');
    assert.equal(second.account, first.account);
    const { store } = perch;
    const keys = (await store.apiKeys.list(first.account)).map(({ id, name, robots, scopes }) => ({ id, name, robots, scopes }));
    assert.deepEqual(keys, [
      { id: first.key_id, name: 'Paris', robots: [first.robot], scopes: ['read', 'ask'] },
      { id: second.key_id, name: 'probe', robots: [second.robot], scopes: ['read', 'ask'] },
    ]);
    assert.equal((await store.robots.byToken(first.robot_token))?.account, first.account);
    assert.deepEqual(await store.accountLimits.get(first.account), { robots: 'default', keys: 'default', actionsPerS: 10 });
    assert.equal((await store.accounts.list()).filter(({ id }) => id === first.account).length, 1);
  });

  it('prints the settings of the probe, which a shell and an environment file read', async () => {
    const { out } = await perch.run('probe add');
    assert.match(
      out,
      /^# Robot r-\w{10} and key k-\w{10} of account a-perchprobe; [^\n]+\nPERCH_PROBE_API_KEY=pk_[\w-]{43}\nPERCH_PROBE_ROBOT_TOKEN=rt_[\w-]{43}\n$/,
    );
  });

  it('keeps the limits that an operator set', async () => {
    await perch.run('probe add');
    await perch.run('account limits probe@perch.invalid --actions-per-second 20');
    const { account } = await perch.json<Added>('probe add');
    assert.equal((await perch.store.accountLimits.get(account)).actionsPerS, 20);
  });

  it('shows what it would remove, removes all probes with --yes, and can then add one again', async () => {
    const { robot } = await perch.json<Added>('probe add');
    assert.match((await perch.run('probe remove')).err, /would remove account a-perchprobe with 1 robot, 1 key, 0 webhooks: add --yes/);
    const removed = await perch.json<Record<string, unknown>>('probe remove --yes');
    assert.deepEqual(removed, { account: 'a-perchprobe', robots: 1, keys: 1, webhooks: 0, removed: true });
    assert.equal(await perch.store.robots.get(robot), null);
    assert.match((await perch.run('probe remove --yes')).err, /there is no account of probes/);
    assert.equal((await perch.json<Added>('probe add')).account, 'a-perchprobe');
  });

  it('is left out of perch fleet, unless its account is named', async () => {
    const before = await perch.json<FleetAnswer>('fleet');
    const { account, robot } = await perch.json<Added>('probe add');
    const { accounts, robots, list } = await perch.json<FleetAnswer>('fleet');
    assert.deepEqual([accounts, robots], [before.accounts, before.robots]);
    assert.ok(!list.some((one) => one.robot === robot));
    assert.equal((await perch.json<FleetAnswer>(`fleet --account ${account}`)).robots, 1);
  });

  it('lets nobody take its address, whether the account exists or not, and gives it no password', async () => {
    const taken = /there is an account with this address/;
    assert.match((await perch.run('account add --email Probe@Perch.INVALID')).err, taken);
    const { account } = await perch.json<Added>('probe add');
    assert.match((await perch.run('account add --email probe@perch.invalid')).err, taken);
    assert.equal(await perch.store.passwords.of(account), null);
  });
});
