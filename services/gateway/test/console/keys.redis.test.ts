import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { failure, SessionClient } from './session-client.js';

describe('API keys of an account in the console', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;
  let otherAccount: SessionClient;
  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
    otherAccount = await SessionClient.signIn(system, (await system.owner()).account);
  });

  it('creates a key, returns it once, lists it without its secret, and revokes it', async () => {
    const made = (await page.ask('POST', 'keys', { name: 'laptop', robots: [owner.robot], expires_at: '2099-01-01T00:00:00Z' })).body;
    assert.match(made.api_key, /^pk_/);
    const other = (await system.store.robots.create({ account: owner.account })).robot;
    assert.deepEqual(
      (await system.ask('GET', '/v1/robots', { apiKey: made.api_key })).body.robots.map(({ id }: { id: string }) => id),
      [owner.robot],
    );
    assert.equal((await system.ask('GET', `/v1/robots/${other}`, { apiKey: made.api_key })).status, 404);
    const { keys } = (await page.ask('GET', 'keys')).body;
    const listed = keys.find(({ id }: { id: string }) => id === made.key.id);
    assert.deepEqual(
      [listed.name, listed.robots, listed.expires_at, typeof listed.last_used],
      ['laptop', [owner.robot], '2099-01-01T00:00:00.000Z', 'string'],
    );
    assert.ok(!JSON.stringify(keys).includes('pk_') && !JSON.stringify(keys).includes('ps_'));
    assert.deepEqual((await page.ask('DELETE', `keys/${made.key.id}`)).body, { ok: true, webhooks: [] });
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey: made.api_key })).status, 401);
    assert.equal((await page.ask('DELETE', `keys/${made.key.id}`)).status, 404);
  });

  it('names the key that created a webhook, and removes its webhooks on revocation only on request', async () => {
    const ofPage = (await page.ask('POST', 'v1/webhooks', { url: 'https://example.com/page' })).body.webhook;
    assert.equal(ofPage.created_by, null);
    const webhooks = async () => (await page.ask('GET', 'v1/webhooks')).body.webhooks as { id: string; created_by: unknown }[];
    for (const [choice, removed] of [
      ['', false],
      ['?webhooks=remove', true],
    ] as const) {
      const { key, api_key } = (await page.ask('POST', 'keys', { name: 'sender', robots: '*' })).body;
      const made = (await system.ask('POST', '/v1/webhooks', { apiKey: api_key, body: { url: 'https://example.com/hook' } })).body.webhook;
      assert.deepEqual(made.created_by, { id: key.id, name: 'sender' });
      assert.deepEqual((await webhooks()).find(({ id }) => id === made.id)?.created_by, made.created_by);
      assert.ok(!JSON.stringify(await webhooks()).includes(hash('sha256', api_key, 'base64url').slice(0, 12)), 'the hash of the key is shown');
      assert.deepEqual(failure(await page.ask('DELETE', `keys/${key.id}?webhooks=yes`)), [400, false, 'bad_argument', 'webhooks']);
      const answer = (await page.ask('DELETE', `keys/${key.id}${choice}`)).body;
      assert.deepEqual(answer, { ok: true, webhooks: [{ id: made.id, url: 'https://example.com/hook', removed }] });
      const left = (await webhooks()).find(({ id }) => id === made.id);
      assert.deepEqual(left?.created_by, removed ? undefined : null);
    }
    assert.ok((await webhooks()).some(({ id }) => id === ofPage.id));
  });

  it('lists until when the previous secret works', async () => {
    const { key } = (await page.ask('POST', 'keys', { name: 'rolled', robots: '*' })).body;
    const until = async (): Promise<unknown> =>
      (await page.ask('GET', 'keys')).body.keys.find(({ id }: { id: string }) => id === key.id).former_secret_until;
    assert.deepEqual([key.former_secret_until, await until()], [undefined, undefined]);
    const rolled = await system.store.keyRotation.roll(owner.account, key.id, 60_000);
    assert.ok(rolled !== null && typeof rolled !== 'string');
    assert.equal(await until(), new Date(rolled.formerUntil!).toISOString());
    await system.store.keyRotation.endFormer(owner.account, key.id);
    assert.equal(await until(), undefined);
    await page.ask('DELETE', `keys/${key.id}`);
  });

  it('replaces the secret of a key, returns it once, and ends the old one after the overlap or on request', async () => {
    const { key, api_key: first } = (await page.ask('POST', 'keys', { name: 'rolled', robots: [owner.robot], scopes: ['read'] })).body;
    const statusOf = async (apiKey: string): Promise<number> => (await system.ask('GET', '/v1/robots', { apiKey })).status;
    const roll = (overlap_s: unknown, as = page) => as.ask('POST', `keys/${key.id}/secret`, { overlap_s });
    const { headers, body } = await roll(3600);
    assert.equal(headers.get('cache-control'), 'no-store');
    const { api_key: second, key: rolled } = body;
    assert.match(second, /^pk_/);
    assert.equal(rolled.id, key.id);
    const lifeMs = Date.parse(rolled.former_secret_until) - system.store.clock.now();
    assert.ok(lifeMs > 3_500_000 && lifeMs <= 3_600_000, String(lifeMs));
    assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
    const listed = (await page.ask('GET', 'keys')).body.keys.find(({ id }: { id: string }) => id === key.id);
    assert.deepEqual([listed.name, listed.robots, listed.scopes], ['rolled', [owner.robot], ['read']]);
    assert.equal(listed.former_secret_until, rolled.former_secret_until);

    assert.equal((await otherAccount.ask('DELETE', `keys/${key.id}/former-secret`)).status, 404);
    assert.equal((await roll(0, otherAccount)).status, 404);
    assert.deepEqual((await page.ask('DELETE', `keys/${key.id}/former-secret`)).body, { ok: true });
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);
    assert.equal((await page.ask('DELETE', `keys/${key.id}/former-secret`)).status, 404);
    const { api_key: third, key: last } = (await roll(0)).body;
    assert.equal(last.former_secret_until, null);
    assert.deepEqual([await statusOf(second), await statusOf(third)], [401, 200]);

    for (const overlap of [-1, 604_801, 0.5, '60', undefined])
      assert.deepEqual(failure(await roll(overlap)), [400, false, 'bad_argument', 'overlap_s'], String(overlap));
    for (const id of ['k-0000000000', 'session', owner.robot])
      assert.equal((await page.ask('POST', `keys/${id}/secret`, { overlap_s: 0 })).status, 404, id);
    assert.equal((await system.ask('POST', `/console/keys/${key.id}/secret`, { apiKey: third, body: { overlap_s: 0 } })).status, 401);
    assert.equal(await statusOf(third), 200);
    await page.ask('DELETE', `keys/${key.id}`);
  });

  it('omits sessions from the list of keys, and does not revoke a session as a key', async () => {
    const { keys } = (await page.ask('GET', 'keys')).body;
    assert.deepEqual(
      keys.map(({ id }: { id: string }) => id),
      [owner.keyId],
    );
    assert.equal((await page.ask('DELETE', 'keys/session')).status, 404);
    assert.equal((await page.ask('GET', 'robots')).status, 200);
  });

  it('refuses to add a key to an account with 100 keys', async () => {
    await Promise.all(Array.from({ length: 99 }, () => system.store.apiKeys.create({ account: owner.account })));
    assert.deepEqual(failure(await page.ask('POST', 'keys', { name: 'one more', robots: '*' })), [409, false, 'conflict', undefined]);
  });
});
