import assert from 'node:assert/strict';
import { redisUrl } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { newId } from '../src/ids.js';

const dayMs = 86_400_000;

describe('rotation of keys', () => {
  let store: Store;
  let account: string;
  let email: string;

  before(async () => {
    store = await openStore({ url: await redisUrl(), instance: 'rotation-1' });
  });
  beforeEach(async () => {
    email = `${newId('a')}@example.com`;
    account = (await store.accounts.create({ email })).account;
  });
  after(() => store.close());

  const works = async (apiKey: string): Promise<boolean> => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
  const roll = async (id: string, overlapMs = dayMs) => {
    const rolled = await store.keyRotation.roll(account, id, overlapMs);
    assert.ok(rolled !== null && rolled !== 'changed');
    return rolled;
  };

  it('keeps id, name, robots, scopes and expiry, and lists until when the previous secret works', async () => {
    const robot = newId('r');
    const expiresAt = Math.floor(store.clock.now()) + 30 * dayMs;
    const { apiKey, id } = await store.apiKeys.create({ account, name: 'lab', robots: [robot], scopes: ['read'], expiresAt });
    const [before] = await store.apiKeys.list(account);
    const { apiKey: next, formerUntil } = await roll(id);
    assert.deepEqual([await works(apiKey), await works(next)], [true, true]);
    const after = await store.apiKeys.list(account);
    assert.deepEqual(after, [{ ...before!, lastUsed: after[0]!.lastUsed, formerUntil }]);
    const robotOfKey = { id: robot, account };
    for (const secret of [apiKey, next]) {
      const admitted = await store.apiKeys.admit({ apiKey: secret, cost: 0, needs: ['read'], robot: robotOfKey });
      assert.ok(admitted.ok);
      const refused = await store.apiKeys.admit({ apiKey: secret, cost: 0, needs: ['act'], robot: robotOfKey });
      assert.equal(!refused.ok && refused.reason, 'scope_missing');
    }
  });

  it('ends the previous secret after the overlap, at once with none, and no later than the key expires', async () => {
    const { apiKey, id } = await store.apiKeys.create({ account });
    const { apiKey: second } = await roll(id, 300);
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.deepEqual([await works(apiKey), await works(second)], [false, true]);
    assert.equal((await store.apiKeys.list(account))[0]!.formerUntil, null);
    const { apiKey: third, formerUntil } = await roll(id, 0);
    assert.deepEqual([await works(second), await works(third), formerUntil], [false, true, null]);

    const expiresAt = Math.floor(store.clock.now()) + 60_000;
    const short = await store.apiKeys.create({ account, expiresAt });
    assert.equal((await roll(short.id)).formerUntil, expiresAt);
  });

  it('lets at most one previous secret work', async () => {
    const { apiKey: first, id } = await store.apiKeys.create({ account });
    const { apiKey: second } = await roll(id);
    const { apiKey: third } = await roll(id);
    assert.deepEqual([await works(first), await works(second), await works(third)], [false, true, true]);
    assert.equal(await store.keyRotation.endFormer(account, id), true);
    assert.deepEqual([await works(second), await works(third)], [false, true]);
    assert.equal(await store.keyRotation.endFormer(account, id), false);
  });

  it('revokes both secrets, also while others replace them, and leaves none that works without being listed', async () => {
    for (let round = 0; round < 10; round++) {
      const { apiKey, id } = await store.apiKeys.create({ account });
      const secrets = [apiKey, (await roll(id)).apiKey];
      const [rolled, , other] = await Promise.all([
        store.keyRotation.roll(account, id, dayMs),
        store.apiKeys.revoke(account, id),
        store.keyRotation.roll(account, id, 0),
      ]);
      for (const made of [rolled, other]) if (made !== null && made !== 'changed') secrets.push(made.apiKey);
      assert.deepEqual(
        await Promise.all(secrets.map(works)),
        secrets.map(() => false),
        `round ${round}`,
      );
      assert.deepEqual(await store.apiKeys.list(account), []);
    }
  });

  it('ends both secrets with the account', async () => {
    const { apiKey, id } = await store.apiKeys.create({ account });
    const { apiKey: next } = await roll(id);
    await store.accountRemoval.remove(email, { settledAfterMs: 0, passEveryMs: 0, passesForMs: 10_000 });
    assert.deepEqual([await works(apiKey), await works(next)], [false, false]);
  });

  it('credits webhooks to the newest secret, so that revoking the key finds them', async () => {
    const { id } = await store.apiKeys.create({ account });
    const keyHash = (await store.apiKeys.hashOf(account, id))!;
    const made = await store.webhooks.create(account, { url: 'https://example.com/', keyHash });
    await roll(id, 0);
    const removed = await store.keyRevocation.revoke(account, id, { removeWebhooks: true });
    assert.deepEqual(
      removed?.map((webhook) => webhook.id),
      [made.id],
    );
    assert.equal(await store.keyRotation.roll(account, id, 0), null);
  });
});
