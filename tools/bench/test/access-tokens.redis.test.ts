import assert from 'node:assert/strict';
import { openStore, type Store } from '@perch/store';
import { redisUrl } from '@perch/testkit';
import { accessTokens } from '../src/variants/access-tokens.js';

describe('access tokens of the bench', () => {
  let store: Store;

  before(async () => {
    store = await openStore({ url: await redisUrl(), instance: 'bench-tokens-1' });
  });
  after(() => store.close());

  it('each token is admitted as an API key is, belongs to a grant of its own, and has a rate limit of its own', async () => {
    const { account } = await store.accounts.create({ email: 'access-tokens@example.com' });
    const { robot } = await store.robots.create({ account });
    const { apiKey } = await store.apiKeys.create({ account });
    const admitted = async (token: string) => {
      const admission = await store.apiKeys.admit({ apiKey: token, robot: { id: robot, account }, cost: 1, needs: ['act'] });
      assert.ok(admission.ok, JSON.stringify(admission));
      const { keyHash: _, ...rest } = admission;
      return rest;
    };
    const tokens = await accessTokens(store, account, 3);
    const ofKey = await admitted(apiKey);
    for (const token of tokens) assert.deepEqual(await admitted(token), ofKey);
    const listed = await store.apiKeys.list(account);
    assert.equal(listed.filter(({ client }) => client === 'this computer').length, 3);
  });
});
