/** Limits of an account hold for parallel requests to two gateways; the operator's CLI is not limited. */
import assert from 'node:assert/strict';
import { useGateway, type Answer } from '../gateway-under-test.js';
import { SessionClient } from './session-client.js';

const count = (answers: readonly Answer[], status: number): number => answers.filter((answer) => answer.status === status).length;

describe('limits of an account on two gateways', () => {
  const systems = [useGateway(), useGateway({ accountBounds: { keys: 100, robots: 200 } })] as const;

  /** Sends the requests at once, half to each gateway, from enough sessions to stay below the rate limit. */
  const atOnce = async (account: string, many: number, path: string, body: (n: number) => unknown): Promise<Answer[]> => {
    const pages = await Promise.all(Array.from({ length: 20 }, (_, n) => SessionClient.signIn(systems[n % 2]!, account)));
    return Promise.all(Array.from({ length: many }, (_, n) => pages[n % 20]!.ask('POST', path, body(n))));
  };

  it('creates exactly 100 keys out of 150 parallel requests and answers 409 to the rest', async () => {
    const { store } = systems[0]!;
    const { account } = await store.accounts.create({ email: `keys-${Date.now()}@example.org` });
    const answers = await atOnce(account, 150, 'keys', (n) => ({ name: `key ${n}`, robots: '*' }));
    assert.deepEqual([count(answers, 200), count(answers, 409)], [100, 50]);
    assert.match(answers.find(({ status }) => status === 409)!.body.error, /at most 100 keys/);
    assert.equal((await store.apiKeys.list(account)).length, 100);
    await store.apiKeys.create({ account, name: 'by the operator' });
    assert.equal((await store.apiKeys.list(account)).length, 101);
  });

  it('creates a key after another was revoked at the limit', async () => {
    const { store } = systems[0]!;
    const { account } = await store.accounts.create({ email: `freed-${Date.now()}@example.org` });
    const made = await Promise.all(Array.from({ length: 100 }, () => store.apiKeys.create({ account })));
    const page = await SessionClient.signIn(systems[1]!, account);
    assert.equal((await page.ask('POST', 'keys', { name: 'refused', robots: '*' })).status, 409);
    await store.apiKeys.revoke(account, made[0]!.id);
    assert.equal((await page.ask('POST', 'keys', { name: 'taken', robots: '*' })).status, 200);
  });

  it('adds exactly 200 robots when virtual robots are created and codes are approved at the same time, and leaves no record of the rest', async () => {
    const { store } = systems[0]!;
    const { account } = await store.accounts.create({ email: `robots-${Date.now()}@example.org` });
    await Promise.all(Array.from({ length: 190 }, () => store.robots.create({ account, virtual: true, max: 200 })));
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, n) => store.pairing.begin({ serial: `${account}-${n}`, model: 'm', firmware: '1' })),
    );
    const answers = await atOnce(account, 20, 'robots', (n) =>
      n % 4 < 2 ? { virtual: true, name: `v${n}` } : { code: begun[Math.floor(n / 2)]!.userCode },
    );
    assert.deepEqual([count(answers, 200), count(answers, 409)], [10, 10], JSON.stringify(answers.map(({ status, body }) => [status, body.error])));
    assert.equal(await store.robots.count(account), 200);
    assert.equal((await store.robots.list(account)).length, 200);
    await store.robots.create({ account, name: 'by the operator' });
    assert.equal(await store.robots.count(account), 201);
  });

  it('pairs a robot that the account owns already although the account is at its limit', async () => {
    const { store } = systems[0]!;
    const { account } = await store.accounts.create({ email: `again-${Date.now()}@example.org` });
    const { robot } = await store.robots.create({ account, serial: 'SN1' });
    await Promise.all(Array.from({ length: 199 }, () => store.robots.create({ account, virtual: true, max: 200 })));
    const begun = await store.pairing.begin({ serial: 'SN1', model: 'm', firmware: '1' });
    assert.deepEqual(await store.pairing.approve(account, begun.userCode, 200), { robot, replaced: true });
    const other = await store.pairing.begin({ serial: 'SN2', model: 'm', firmware: '1' });
    await assert.rejects(store.pairing.approve(account, other.userCode, 200), { kind: 'full' });
    assert.deepEqual(
      Object.keys((await store.pairing.approve(account, other.userCode, 201)) ?? {}),
      ['robot', 'replaced'],
      'a refused code stays valid',
    );
  });
});
