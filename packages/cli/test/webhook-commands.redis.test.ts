import assert from 'node:assert/strict';
import type { Store } from '@perch/store';
import { PerchWithStore } from './run-perch.js';

describe('perch webhook', () => {
  let cli: PerchWithStore;
  let store: Store;
  before(async () => {
    cli = await PerchWithStore.open();
    ({ store } = cli);
  });
  after(() => cli?.store.close());

  it('lists, changes, pauses and resumes the webhooks of an account', async () => {
    const account = await cli.addAccount();
    const { id } = await store.webhooks.create(account, { url: 'https://example.com/' });
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${account}`);
    const of = `--account ${account}`;
    const { webhook } = await cli.json<{ webhook: object }>(`webhook change ${id} ${of} --url https://EXAMPLE.org --names tap,pat --robots ${robot}`);
    assert.deepEqual(
      { ...webhook, created_at: null },
      { id, url: 'https://example.org/', robots: [robot], names: ['tap', 'pat'], created_at: null, paused: false, disabled: null },
    );
    await cli.json(`webhook pause ${id} ${of}`);
    assert.match((await cli.run(`webhook list ${of}`)).out, new RegExp(`${id}.*tap,pat.*Paused by its owner`));
    await cli.json(`webhook resume ${id} ${of}`);
    await cli.json(`webhook change ${id} ${of} --names all --robots all`);
    const record = (await store.webhooks.get(account, id))!;
    assert.deepEqual([record.names, record.robots, record.disabled, record.url], [null, null, null, 'https://example.org/']);
  });

  it('lists the key that created a webhook, and removes a webhook', async () => {
    const account = await cli.addAccount();
    const { id: key } = await store.apiKeys.create({ account });
    const { id } = await store.webhooks.create(account, { url: 'https://example.com/', keyHash: (await store.apiKeys.hashOf(account, key))! });
    const { id: other } = await store.webhooks.create(account, { url: 'https://example.com/other' });
    const { webhooks } = await cli.json<{ webhooks: { id: string; key: string | null }[] }>(`webhook list --account ${account}`);
    assert.deepEqual(new Map(webhooks.map((webhook) => [webhook.id, webhook.key])).get(id), key);
    assert.match((await cli.run(`webhook list --account ${account}`)).out, new RegExp(`${id}.* ${key} +sends`));
    assert.equal((await cli.run(`webhook remove ${id} --account ${account}`)).out, `removed ${id}\n`);
    assert.equal((await cli.run(`webhook remove ${id} --account ${account}`)).code, 1);
    assert.deepEqual(await cli.json(`webhook remove ${other} --account ${account}`), { id: other, removed: true });
    assert.deepEqual(await store.webhooks.list(account), []);
  });

  it('replaces the secret of a webhook, and prints it', async () => {
    const account = await cli.addAccount();
    const { id, secret } = await store.webhooks.create(account, { url: 'https://example.com/' });
    const rolled = await cli.json<{ secret: string; former_secret_until: string }>(`webhook roll-secret ${id} --account ${account} --overlap 12h`);
    const hours = (Date.parse(rolled.former_secret_until) - store.clock.now()) / 3_600_000;
    assert.ok(hours > 11.9 && hours <= 12, `${hours} hours`);
    const record = (await store.webhooks.get(account, id))!;
    assert.deepEqual([record.secret, record.former?.secret], [rolled.secret, secret]);
    assert.equal(
      (await cli.json<{ former_secret_until: null }>(`webhook roll-secret ${id} --account ${account} --overlap 0m`)).former_secret_until,
      null,
    );
  });

  it('rejects an unknown webhook, nothing to change, wrong values and robots of other accounts', async () => {
    const account = await cli.addAccount();
    const { id } = await store.webhooks.create(account, { url: 'https://example.com/' });
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${await cli.addAccount()}`);
    const cases: [string, number, RegExp][] = [
      ['pause w-0000000000', 1, /no webhook w-0000000000/],
      ['remove w-0000000000', 1, /no webhook w-0000000000/],
      [`change ${id}`, 64, /--url, --robots or --names/],
      [`change ${id} --robots ${robot}`, 1, new RegExp(`no robot ${robot}`)],
      [`roll-secret ${id} --overlap soon`, 64, /--overlap soon/],
      [`roll-secret ${id} --overlap 8d`, 1, /overlap_s/],
      [`change ${id} --names nothing`, 1, /names/],
    ];
    for (const [command, code, message] of cases) {
      const run = await cli.run(`webhook ${command} --account ${account}`);
      assert.deepEqual([run.code, message.test(run.err)], [code, true], `${command}: ${run.err}`);
    }
  });
});
