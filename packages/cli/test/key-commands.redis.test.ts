import assert from 'node:assert/strict';
import type { Store } from '@perch/store';
import { PerchWithStore } from './run-perch.js';

describe('perch key', () => {
  let cli: PerchWithStore;
  let store: Store;
  before(async () => {
    cli = await PerchWithStore.open();
    ({ store } = cli);
  });
  after(() => cli?.store.close());

  it('revokes a key, which is then rejected', async () => {
    const account = await cli.addAccount();
    const { api_key, id } = await cli.json<{ api_key: string; id: string }>(`key add --account ${account}`);
    assert.deepEqual(await cli.json(`key revoke ${id} --account ${account}`), { id, revoked: true, webhooks: [] });
    assert.deepEqual(await store.apiKeys.admit({ apiKey: api_key, cost: 0 }), { ok: false, reason: 'unauthorized' });
    assert.deepEqual(await cli.json(`key list --account ${account}`), { keys: [] });
    assert.equal((await cli.run(`key revoke ${id} --account ${account}`)).code, 1);
  });

  it('creates a key for some robots and with an expiry', async () => {
    const account = await cli.addAccount();
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${account}`);
    await cli.json(`key add --account ${account} --name lab --robots ${robot} --expires 30d`);
    const { keys } = await cli.json<{ keys: { name: string; robots: string[]; expires_at: string }[] }>(`key list --account ${account}`);
    assert.deepEqual(
      keys.map(({ name, robots }) => ({ name, robots })),
      [{ name: 'lab', robots: [robot] }],
    );
    const days = (Date.parse(keys[0]!.expires_at) - store.clock.now()) / 86_400_000;
    assert.ok(days > 29.9 && days <= 30, `${days} days`);
  });

  it('lists the webhooks that a revoked key created, and removes them with --webhooks', async () => {
    const account = await cli.addAccount();
    for (const [option, left] of [
      ['', 1],
      [' --webhooks', 0],
    ] as const) {
      const { id } = await store.apiKeys.create({ account });
      const keyHash = (await store.apiKeys.hashOf(account, id))!;
      const made = await store.webhooks.create(account, { url: 'https://example.com/', keyHash });
      const { out } = await cli.run(`key revoke ${id} --account ${account}${option}`);
      assert.match(out, new RegExp(`^revoked ${id}\n.*${made.id} https://example.com/\n$`));
      assert.equal((await store.webhooks.createdBy(account, keyHash)).length, left);
    }
  });

  it('removes the webhooks of a key that was revoked before, also of a former secret, and then finds neither', async () => {
    const account = await cli.addAccount();
    const { id } = await store.apiKeys.create({ account });
    const create = async (key: string) =>
      (await store.webhooks.create(account, { url: 'https://example.com/', keyHash: (await store.apiKeys.hashOf(account, key))! })).id;
    const first = await create(id);
    await cli.json(`key roll-secret ${id} --account ${account} --overlap 12h`);
    const second = await create(id);
    const other = await create((await store.apiKeys.create({ account })).id);
    await cli.json(`key revoke ${id} --account ${account}`);
    const { webhooks: listed } = await cli.json<{ webhooks: { id: string; key: string | null }[] }>(`webhook list --account ${account}`);
    assert.deepEqual(new Set(listed.filter(({ key }) => key === id).map((webhook) => webhook.id)), new Set([first, second]));
    assert.match(
      (await cli.run(`key revoke ${id} --account ${account}`)).out,
      /^k-\w+ was revoked before\nits webhook stays \(--webhooks removes it\)/,
    );
    const again = await cli.json<{ webhooks: { removed: boolean }[] }>(`key revoke ${id} --account ${account} --webhooks`);
    assert.deepEqual(
      again.webhooks.map(({ removed }) => removed),
      [true, true],
    );
    assert.deepEqual(
      (await store.webhooks.list(account)).map((webhook) => webhook.id),
      [other],
    );
    const { code, err } = await cli.run(`key revoke ${id} --account ${account} --webhooks`);
    assert.deepEqual([code, /has no key k-\w+, and no webhook of a revoked key/.test(err)], [1, true], err);
  });

  it('replaces the secret of a key, lists how long the one before works, and ends it early', async () => {
    const account = await cli.addAccount();
    const { api_key, id } = await cli.json<{ api_key: string; id: string }>(`key add --account ${account}`);
    const works = async (apiKey: string) => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
    const rolled = await cli.json<{ api_key: string; former_secret_until: string }>(`key roll-secret ${id} --account ${account} --overlap 12h`);
    assert.deepEqual([await works(api_key), await works(rolled.api_key)], [true, true]);
    const { keys } = await cli.json<{ keys: { id: string; former_secret_until: string }[] }>(`key list --account ${account}`);
    assert.deepEqual(
      keys.map((key) => [key.id, key.former_secret_until]),
      [[id, rolled.former_secret_until]],
    );
    const hours = (Date.parse(rolled.former_secret_until) - store.clock.now()) / 3_600_000;
    assert.ok(hours > 11.9 && hours <= 12, String(hours));
    await cli.json(`key end-overlap ${id} --account ${account}`);
    assert.deepEqual([await works(api_key), await works(rolled.api_key)], [false, true]);
    assert.equal((await cli.run(`key end-overlap ${id} --account ${account}`)).code, 1);
    const last = await cli.json<{ api_key: string }>(`key roll-secret ${id} --account ${account} --overlap 0`);
    assert.deepEqual([await works(rolled.api_key), await works(last.api_key)], [false, true]);
    for (const overlap of ['8d', 'soon', '-1h'])
      assert.equal((await cli.run(`key roll-secret ${id} --account ${account} --overlap=${overlap}`)).code, 64);
    assert.equal((await cli.run(`key roll-secret k-0000000000 --account ${account}`)).code, 1);
  });

  it('limits a key to scopes and lists them', async () => {
    const account = await cli.addAccount();
    await cli.json(`key add --account ${account} --scopes ask,read`);
    await cli.json(`key add --account ${account}`);
    const { keys } = await cli.json<{ keys: { scopes: string[] }[] }>(`key list --account ${account}`);
    assert.deepEqual(
      keys.map(({ scopes }) => scopes).toSorted((a, b) => a.length - b.length),
      [
        ['read', 'ask'],
        ['read', 'act', 'ask'],
      ],
    );
    const refused = await cli.run(`key add --account ${account} --scopes read,admin`);
    assert.equal(refused.code, 64);
    assert.match(refused.err, /--scopes read,admin: must be some of read, act, ask/);
  });

  it('rejects robots of other accounts and times in the past', async () => {
    const account = await cli.addAccount();
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${await cli.addAccount()}`);
    assert.match((await cli.run(`key add --account ${account} --robots ${robot}`)).err, new RegExp(`no robot ${robot}`));
    assert.equal((await cli.run(`key add --account ${account} --expires 2020-01-01`)).code, 64);
    assert.equal((await cli.run(`key add --account ${account} --expires soon`)).code, 64);
  });

  const find = async (secret: string) => {
    const { code, out, err } = await cli.run('key find --json', undefined, `${secret}\n`);
    assert.ok(!`${out}${err}`.includes(secret.trim()), 'the secret is not repeated');
    const { name, ...found } = JSON.parse(out) as Record<string, unknown>;
    return { code, found, name };
  };

  it('finds a key by its secret, current and former, until it is revoked', async () => {
    const account = await cli.addAccount();
    const { api_key, id } = await cli.json<{ api_key: string; id: string }>(`key add --account ${account} --name lab`);
    const current = { account, id, secret: 'current', works_until: null };
    assert.deepEqual(await find(api_key), { code: 0, found: current, name: 'lab' });
    const rolled = await cli.json<{ api_key: string; former_secret_until: string }>(`key roll-secret ${id} --account ${account}`);
    assert.deepEqual((await find(rolled.api_key)).found, current);
    const { works_until, ...former } = (await find(api_key)).found;
    assert.deepEqual(former, { account, id, secret: 'former' });
    assert.ok(Math.abs(Date.parse(String(works_until)) - Date.parse(rolled.former_secret_until)) <= 1000, String(works_until));
    assert.match((await cli.run('key find', undefined, rolled.api_key)).out, new RegExp(`^account ${account}\nkey     ${id}\nname    lab\n`));
    await cli.json(`key revoke ${id} --account ${account}`);
    for (const secret of [api_key, rolled.api_key]) {
      const { code, found } = await find(secret);
      assert.equal(code, 1);
      assert.match(String(found['error']), /^no key has this secret: it was revoked/);
    }
  });

  it('finds the connection of an MCP client by its tokens, and a robot by its token', async () => {
    const account = await cli.addAccount();
    const grant = await store.apiKeys.create({ account, grant: { client: 'c-1', client_address: 'example.org' } });
    const { found } = await find(`${grant.apiKey}.step`);
    assert.deepEqual([found['id'], found['secret']], [grant.id, 'current']);
    const { robot, token } = await store.robots.create({ account, name: 'Desk' });
    assert.deepEqual(await find(token), { code: 0, found: { account, robot }, name: 'Desk' });
    await cli.json(`robot remove ${robot}`);
    assert.equal((await find(token)).code, 1);
  });

  it('finds nothing by the secret of a session, nor by what is no secret', async () => {
    assert.equal((await find(`pk_${'x'.repeat(43)}`)).code, 1);
    for (const text of ['', 'k-0123456789', 'PERCH_API_KEY=pk_x']) assert.equal((await cli.run('key find', undefined, text)).code, 64, text);
  });

  it('does not repeat a secret that stands in place of an id', async () => {
    const secret = 'x'.repeat(43);
    for (const line of [
      `key revoke pk_${secret} --account a-0123456789`,
      `key find pk_${secret}`,
      `robot remove rt_${secret}`,
      `webhook list --account=whsec_${secret}`,
    ]) {
      const { code, out, err } = await cli.run(line);
      assert.equal(code, 64, line);
      assert.match(err, /is a secret.*k-.*r-.*perch key find/);
      assert.ok(!`${out}${err}`.includes(secret), line);
    }
  });
});
