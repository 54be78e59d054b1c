import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { redisAt, redisUrl } from '@perch/testkit';
import { openStore, type IssuedTokens, type NewGrant, type Store } from '../src/index.js';
import { newId, newSecret, sha256Short } from '../src/redis/ids.js';
import { accountKeys, apiKeyRecord } from '../src/redis/keys.js';
import { hashesOf } from '../src/keys/api-keys.js';

const client = 'c-0000000000';
const redirectUri = 'http://127.0.0.1:33418/callback';
const resource = 'http://127.0.0.1:8080/mcp';

describe('grants of OAuth clients', () => {
  let store: Store;
  let account: string;
  let verifier: string;

  before(async () => {
    store = await openStore({ ...redisAt(await redisUrl()), instance: 'grants-1' });
  });
  beforeEach(async () => {
    account = (await store.accounts.create({ email: `${newId('a')}@example.com` })).account;
    verifier = newSecret('');
  });
  after(() => store.close());

  const begin = (more: Partial<NewGrant> = {}) =>
    store.grants.begin({
      account,
      name: 'Agent',
      robots: '*',
      scopes: ['read', 'act', 'ask'],
      max: 100,
      client,
      address: 'this computer',
      redirectUri,
      challenge: sha256Short(verifier),
      resource,
      ...more,
    });
  const exchange = (code: string, more: object = {}) => store.grants.exchangeCode(code, { client, redirectUri, verifier, resource, ...more });
  const works = async (apiKey: string): Promise<boolean> => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
  const listed = async () => (await store.apiKeys.list(account)).map(({ id }) => id);

  async function granted(more: Partial<NewGrant> = {}): Promise<IssuedTokens> {
    const issued = await exchange((await begin(more)).code);
    assert.ok(!('refused' in issued), JSON.stringify(issued));
    return issued;
  }

  async function refreshed(token: string, more: object = {}): Promise<IssuedTokens> {
    const issued = await store.grants.refresh(token, { client, resource, ...more });
    assert.ok(!('refused' in issued), JSON.stringify(issued));
    return issued;
  }

  it('a code becomes an access token that is admitted as the key in the list: its account, robots and scopes', async () => {
    const robot = newId('r');
    const { code, id } = await begin({ robots: [robot], scopes: ['read'] });
    const issued = await exchange(code);
    assert.ok(!('refused' in issued));
    assert.deepEqual([issued.id, issued.account, issued.scopes, issued.expiresInS], [id, account, ['read'], 3600]);
    const robotOfKey = { id: robot, account };
    const admitted = await store.apiKeys.admit({ apiKey: issued.access, cost: 1, needs: ['read'], robot: robotOfKey });
    assert.deepEqual([admitted.ok, admitted.ok && admitted.account], [true, account]);
    for (const [wanted, reason] of [
      [{ robot: robotOfKey, needs: ['act'] as const }, 'scope_missing'],
      [{ robot: { id: newId('r'), account }, needs: ['read'] as const }, 'foreign_robot'],
    ] as const) {
      const refused = await store.apiKeys.admit({ apiKey: issued.access, cost: 0, ...wanted });
      assert.equal(!refused.ok && refused.reason, reason);
    }
    const [key] = await store.apiKeys.list(account);
    assert.deepEqual([key!.name, key!.robots, key!.scopes, key!.client], ['Agent', [robot], ['read'], 'this computer']);
    assert.ok(key!.expiresAt! > store.clock.now() + 89 * 86_400_000 && key!.lastUsed !== null);
  });

  it('the access token ends after an hour and the time of a question, the grant after 90 days without use, a code and its key after a minute', async () => {
    const { commands } = store.connections;
    const { code, id } = await begin();
    const [grant] = await store.apiKeys.hashesOf(account, id);
    const codeMs = await commands.pttl(apiKeyRecord(grant!));
    assert.ok(codeMs > 55_000 && codeMs <= 60_000, `${codeMs}`);
    const issued = await exchange(code);
    assert.ok(!('refused' in issued));
    const accessMs = await commands.pttl(apiKeyRecord(sha256Short(issued.access)));
    assert.ok(accessMs > 3_740_000 && accessMs <= 3_750_000, `${accessMs}`);
    const grantMs = await commands.pttl(apiKeyRecord(grant!));
    assert.ok(grantMs > 89 * 86_400_000 && grantMs <= 90 * 86_400_000, `${grantMs}`);
  });

  it('neither the code nor a refresh token is admitted as a key', async () => {
    const { code } = await begin();
    const issued = await exchange(code);
    assert.ok(!('refused' in issued));
    // The gateway does not ask for a text of another shape than a key's; its records hold no key that would be one.
    for (const secret of [code, issued.refresh]) {
      assert.equal(await works(secret), false);
      assert.doesNotMatch(secret.split('.')[0]!, /^pk_/);
    }
  });

  it('a refresh issues new tokens, and the access token before works to its own end, as long as it is the latest but one', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    assert.deepEqual([await works(first.access), await works(second.access)], [true, true]);
    const leftMs = await store.connections.commands.pttl(apiKeyRecord(sha256Short(first.access)));
    assert.ok(leftMs > 3_740_000, `${leftMs}`);
    const third = await refreshed(second.refresh);
    assert.deepEqual([await works(first.access), await works(second.access), await works(third.access)], [false, true, true]);
    const entry = await store.connections.commands.hget(accountKeys.apiKeys(account), first.id);
    assert.deepEqual(hashesOf(entry!).slice(1), [sha256Short(third.access), sha256Short(second.access)]);
  });

  /** Lets `ms` pass for the tokens that the grant keeps for the refresh token before. */
  async function later(id: string, ms: number, access: string): Promise<void> {
    const { commands } = store.connections;
    const [grant] = await store.apiKeys.hashesOf(account, id);
    const [until, sealed] = (await commands.hget(apiKeyRecord(grant!), 'kept'))!.split(' ');
    await commands.hset(apiKeyRecord(grant!), 'kept', `${Number(until) - ms} ${sealed}`);
    const left = await commands.pttl(apiKeyRecord(sha256Short(access)));
    await commands.pexpire(apiKeyRecord(sha256Short(access)), Math.max(1, left - ms));
  }

  it('a refresh whose answer was lost gets the same tokens again, as long as the next one is not used', async () => {
    const first = await granted();
    const lost = await refreshed(first.refresh);
    const again = await refreshed(first.refresh);
    assert.deepEqual(again, { ...lost, expiresInS: again.expiresInS });
    const next = await refreshed(again.refresh);
    assert.deepEqual([await works(next.access), await works(lost.access)], [true, true]);
  });

  it('a second process that refreshes with the same token ten minutes later gets the same tokens, with the time that they have left', async () => {
    const first = await granted();
    const one = await refreshed(first.refresh);
    await later(first.id, 600_000, one.access);
    const two = await refreshed(first.refresh);
    assert.deepEqual([two.access, two.refresh], [one.access, one.refresh]);
    assert.ok(two.expiresInS <= 3000 && two.expiresInS > 2900, `${two.expiresInS}`);
  });

  it('a second process that comes after the access token of the first has ended gets a new one and the same refresh token; so do two that come at once', async () => {
    const first = await granted();
    const one = await refreshed(first.refresh);
    await later(first.id, 3_700_000, one.access);
    const late = await Promise.all(Array.from({ length: 4 }, () => refreshed(first.refresh)));
    assert.equal(new Set(late.map(({ access }) => access)).size, 1);
    assert.notEqual(late[0]!.access, one.access);
    for (const { access, refresh } of late) assert.deepEqual([refresh, await works(access)], [one.refresh, true]);
    const next = await refreshed(one.refresh);
    assert.deepEqual([await works(late[0]!.access), await works(next.access)], [true, true]);
  });

  it('two processes that refresh at once get the same tokens, which both work, as do those of a process that was just refreshing', async () => {
    let shared = await granted();
    for (let round = 0; round < 10; round++) {
      const all = await Promise.all(Array.from({ length: 3 }, () => refreshed(shared.refresh)));
      for (const each of all) assert.deepEqual([each.access, each.refresh], [all[0]!.access, all[0]!.refresh]);
      assert.deepEqual([await works(all[0]!.access), await works(shared.access)], [true, true]);
      shared = all[0]!;
    }
    assert.deepEqual(await listed(), [shared.id]);
  });

  it('tokens that are kept for the refresh token before cannot be read without it, and end with the grant', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    const [grant] = await store.apiKeys.hashesOf(account, first.id);
    const record = JSON.stringify(await store.connections.commands.hgetall(apiKeyRecord(grant!)));
    for (const secret of [second.access, second.refresh, second.refresh.split('.')[1]!]) assert.ok(!record.includes(secret));
    assert.equal(await store.apiKeys.revoke(account, first.id), true);
    assert.deepEqual(await store.grants.refresh(first.refresh, { client, resource }), { refused: 'invalid' });
    assert.equal(await works(second.access), false);
  });

  it('a grant that is revoked while a refresh stores its access token again leaves no token that works', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    const { commands } = store.connections;
    const record = apiKeyRecord(sha256Short(second.access));
    await commands.unlink(record);
    const exists = commands.exists.bind(commands);
    // The refresh finds no record, and the whole revocation comes before it writes one.
    let revoked: boolean | null = null;
    const asked = mock.method(commands, 'exists', async (name: string) => {
      const found = await exists(name);
      revoked ??= await store.apiKeys.revoke(account, first.id);
      return found;
    });
    try {
      assert.deepEqual(await store.grants.refresh(first.refresh, { client, resource }), { refused: 'invalid' });
    } finally {
      asked.mock.restore();
    }
    assert.deepEqual([revoked, await works(second.access), await exists(record), await listed()], [true, false, 0, []]);
  });

  it('a release before 0.11 refreshes too: the token before it is then an old one, and ends the grant', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    const [grant] = await store.apiKeys.hashesOf(account, first.id);
    // As 0.10.1 writes it when `second.refresh` is used there.
    await store.connections.commands.hset(apiKeyRecord(grant!), 'step', `refresh ${sha256Short(newSecret(''))}`);
    const stolen = await store.grants.refresh(second.refresh, { client, resource });
    assert.deepEqual(['refused' in stolen && stolen.refused, await listed()], ['reused', []]);
  });

  it('a refresh may narrow the scopes of its access token; a wider one is refused and uses up nothing', async () => {
    const first = await granted({ scopes: ['read', 'act'] });
    const narrow = await refreshed(first.refresh, { scopes: ['read'] });
    assert.deepEqual([narrow.scopes, (await store.apiKeys.admit({ apiKey: narrow.access, cost: 0, needs: ['act'] })).ok], [['read'], false]);
    assert.deepEqual(await store.grants.refresh(narrow.refresh, { client, resource, scopes: ['read', 'ask'] }), { refused: 'more_scopes' });
    const again = await refreshed(first.refresh);
    assert.deepEqual(
      [again.refresh, again.scopes],
      [narrow.refresh, ['read', 'act']],
      'with other scopes the token before gets another access token',
    );
    assert.deepEqual([await works(narrow.access), (await store.apiKeys.admit({ apiKey: again.access, cost: 0, needs: ['act'] })).ok], [true, true]);
    assert.deepEqual((await refreshed(narrow.refresh)).scopes, ['read', 'act']);
  });

  it('a refresh takes over the bucket of the token before, so that it gains no actions', async () => {
    const first = await granted();
    for (let used = 0; used < 30; used += 10) await store.apiKeys.admit({ apiKey: first.access, cost: 10 });
    const second = await refreshed(first.refresh);
    const refused = await store.apiKeys.admit({ apiKey: second.access, cost: 30 });
    assert.equal(!refused.ok && refused.reason, 'rate_limited');
  });

  it('revoking the key ends every token of it', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    assert.equal(await store.apiKeys.revoke(account, first.id), true);
    assert.deepEqual([await works(first.access), await works(second.access), await listed()], [false, false, []]);
    assert.deepEqual(await store.grants.refresh(second.refresh, { client, resource }), { refused: 'invalid' });
  });

  for (const [what, reuse] of [
    ['a code', (code: string) => exchange(code)],
    ['a code, as a refresh token', (code: string) => store.grants.refresh(code, { client, resource })],
  ] as const)
    it(`${what} that is used again ends the grant, with all its tokens`, async () => {
      const { code } = await begin();
      const issued = await exchange(code);
      assert.ok(!('refused' in issued));
      const again = await reuse(code);
      assert.equal('refused' in again && again.refused, 'reused');
      assert.deepEqual([await works(issued.access), await listed()], [false, []]);
    });

  it('a refresh token older than the one before ends the grant, whoever sends it', async () => {
    const first = await granted();
    const second = await refreshed(first.refresh);
    const third = await refreshed(second.refresh);
    const stolen = await store.grants.refresh(first.refresh, { client, resource });
    assert.equal('refused' in stolen && stolen.refused, 'reused');
    assert.deepEqual([await works(first.access), await works(second.access), await works(third.access), await listed()], [false, false, false, []]);
    assert.deepEqual(await store.grants.refresh(third.refresh, { client, resource }), { refused: 'invalid' });
  });

  it('of concurrent exchanges of one code, one succeeds at most, and the grant ends', async () => {
    const { code } = await begin();
    const results = await Promise.all(Array.from({ length: 5 }, () => exchange(code)));
    assert.ok(results.filter((result) => !('refused' in result)).length <= 1);
    assert.ok(results.some((result) => 'refused' in result && result.refused === 'reused'));
    for (const result of results) if (!('refused' in result)) assert.equal(await works(result.access), false);
    assert.deepEqual(await listed(), []);
  });

  it('a wrong verifier, redirect URI, resource or client gets nothing, and uses up neither code nor token', async () => {
    const { code } = await begin();
    for (const [wrong, refused] of [
      [{ verifier: newSecret('') }, 'invalid'],
      [{ redirectUri: 'http://127.0.0.1:33419/callback' }, 'invalid'],
      [{ client: 'c-1111111111' }, 'invalid'],
      [{ resource: 'https://other.example/mcp' }, 'other_resource'],
    ] as const)
      assert.deepEqual(await exchange(code, wrong), { refused });
    assert.deepEqual(await store.grants.refresh(code, { client, resource }), { refused: 'invalid' }, 'a code is no refresh token');
    const issued = await exchange(code);
    assert.ok(!('refused' in issued));
    assert.deepEqual(await store.grants.refresh(issued.refresh, { client: 'c-1111111111', resource }), { refused: 'invalid' });
    assert.deepEqual(await store.grants.refresh(issued.refresh, { client, resource: 'https://other.example/mcp' }), { refused: 'other_resource' });
    await refreshed(issued.refresh);
  });

  it('a client may leave out resource and redirect URI', async () => {
    const issued = await exchange((await begin()).code, { resource: undefined, redirectUri: undefined });
    assert.ok(!('refused' in issued));
    assert.ok(!('refused' in (await store.grants.refresh(issued.refresh, { client, resource: undefined }))));
  });

  it('a client ends its grant with its access token or a refresh token, also an old one, and nothing with an API key', async () => {
    for (const tokenOf of [({ access }: IssuedTokens) => access, ({ refresh }: IssuedTokens) => refresh]) {
      const first = await granted();
      const second = await refreshed(first.refresh);
      assert.equal(await store.grants.revoke(tokenOf(first), 'c-1111111111'), null, 'of another client');
      assert.deepEqual(await store.grants.revoke(tokenOf(first), client), { account, id: first.id });
      assert.deepEqual([await works(first.access), await works(second.access), await listed()], [false, false, []]);
    }
    const { apiKey } = await store.apiKeys.create({ account });
    for (const token of [apiKey, 'pk_', '', 'pf_x.y', newSecret('pk_')]) assert.equal(await store.grants.revoke(token, client), null);
    assert.equal(await works(apiKey), true);
  });

  it('counts as a key of the account, and has no secret to replace', async () => {
    await store.apiKeys.create({ account });
    await assert.rejects(begin({ max: 1 }), /at most 1/);
    const { id } = await granted({ max: 2 });
    assert.equal(await store.keyRotation.roll(account, id, 0), 'client');
    assert.equal(await store.keyRotation.endFormer(account, id), false);
  });

  it('the list names when the access token was last used, and when an agent first connected with one', async () => {
    const first = await granted();
    await store.apiKeys.noteAgent(sha256Short(first.access));
    const { agentAt } = (await store.apiKeys.list(account))[0]!;
    assert.ok(agentAt !== null);
    const second = await refreshed(first.refresh);
    await refreshed(second.refresh);
    assert.equal((await store.apiKeys.list(account))[0]!.agentAt, agentAt);
  });

  it('a grant is refreshed 60 times an hour at most', async () => {
    let tokens = await granted();
    for (let i = 0; i < 60; i++) tokens = await refreshed(tokens.refresh);
    const refused = await store.grants.refresh(tokens.refresh, { client, resource });
    assert.ok('refused' in refused && refused.refused === 'too_many' && refused.retryAfterS > 3000, JSON.stringify(refused));
    assert.equal(await works(tokens.access), true);
  });

  it('a registered client is forgotten after a day, and after a year once it was allowed something', async () => {
    const registered = { name: 'Agent', redirectUris: [redirectUri, 'https://agent.example/callback'] };
    const id = await store.oauthClients.register(registered);
    assert.deepEqual(await store.oauthClients.find(id), registered);
    const lifeMs = () => store.connections.commands.pttl(`perch:{oauth-client:${id}}`);
    assert.ok((await lifeMs()) <= 86_400_000 && (await lifeMs()) > 86_300_000);
    await begin({ client: id });
    assert.ok((await lifeMs()) > 364 * 86_400_000);
    for (const unknown of ['c-0000000000', '', '*', 'c-000000000}']) assert.equal(await store.oauthClients.find(unknown), null);
  });
});
