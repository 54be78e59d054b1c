import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { until } from '@perch/testkit';
import { GatewayUnderTest, useGateway, type Owner } from './gateway-under-test.js';

const perS = 20;
const seconds = 6;

describe('the rate limit of an account', () => {
  const systems = [useGateway({ accountActionsPerS: perS }), useGateway({ accountActionsPerS: perS })] as const;

  const state = (system: GatewayUnderTest, { robot }: Owner, apiKey: string) => system.ask('GET', `/v1/robots/${robot}`, { apiKey });

  it('admits about the limit over two gateways with ten keys, answers 429 with Retry-After to the rest, and does not limit another account', async () => {
    const [first] = systems;
    const owner = await first.owner();
    const other = await first.owner();
    const keys = await Promise.all(Array.from({ length: 10 }, async () => (await first.store.apiKeys.create({ account: owner.account })).apiKey));
    let admitted = 0;
    const limited: { status: number; retryAfter: string | null; error: string }[] = [];
    const start = performance.now();
    const end = start + seconds * 1000;
    // Ten keys allow 100 a second in total; half of them are used at each gateway.
    const work = keys.map(async (apiKey, i) => {
      while (performance.now() < end) {
        const { status, headers, body } = await state(systems[i % 2]!, owner, apiKey);
        if (status === 200) admitted += 1;
        else limited.push({ status, retryAfter: headers.get('retry-after'), error: body.error });
        await setTimeoutAsync(60);
      }
    });
    await Promise.all(work);
    const tookS = (performance.now() - start) / 1000;
    // Each gateway grants a burst of a second, and it takes a second until they know each other's count.
    const most = perS * (tookS + 4);
    assert.ok(admitted <= most, `${admitted} admitted in ${tookS} s, at most ${most}`);
    assert.ok(admitted >= perS * tookS * 0.4, `${admitted} admitted in ${tookS} s`);
    const ofAccount = limited.filter(({ error }) => error.includes('all keys of this account'));
    assert.ok(ofAccount.length > 0);
    assert.ok(ofAccount.every(({ status, retryAfter }) => status === 429 && Number(retryAfter) >= 1));
    assert.equal((await state(systems[1]!, other, other.apiKey)).status, 200);
  });

  it('admits the account again after it waited', async () => {
    const [first] = systems;
    const owner = await first.owner();
    const keys = await Promise.all([1, 2].map(async () => (await first.store.apiKeys.create({ account: owner.account })).apiKey));
    await until(async () => (await Promise.all(keys.map((apiKey) => state(first, owner, apiKey)))).some(({ status }) => status === 429));
    await until(async () => (await state(first, owner, keys[0]!)).status === 200);
  });
});

describe("an account's own rate limit", () => {
  const system = useGateway();

  it("applies from the account's first action at a gateway, appears in the 429, and changes within seconds", async () => {
    const owner = await system.owner();
    const other = await system.owner();
    await system.store.accountLimits.set(owner.account, { actionsPerS: 3 });
    const keys = await Promise.all([1, 2, 3].map(async () => (await system.store.apiKeys.create({ account: owner.account })).apiKey));
    const burst = (count: number, { robot }: Owner) =>
      Promise.all(Array.from({ length: count }, (_, i) => system.ask('GET', `/v1/robots/${robot}`, { apiKey: keys[i % keys.length]! })));

    const first = await burst(20, owner);
    assert.ok(first.some(({ status }) => status === 200));
    const limited = first.filter(({ status }) => status === 429);
    // A burst of a second, and the tokens refilled meanwhile on a slow machine.
    assert.ok(limited.length >= 5, `${limited.length} of 20 were limited`);
    for (const { headers, body } of limited) {
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.match(body.error, /all keys of this account together: the limit is 3 a second/);
    }
    const ofOther = await Promise.all(Array.from({ length: 20 }, () => system.ask('GET', `/v1/robots/${other.robot}`, { apiKey: other.apiKey })));
    assert.ok(ofOther.every(({ status }) => status === 200));

    await system.store.accountLimits.set(owner.account, { actionsPerS: 'none' });
    await until(async () => (await burst(20, owner)).every(({ status }) => status === 200), { everyMs: 1500 });
    await system.store.accountLimits.set(owner.account, { actionsPerS: 2 });
    await until(async () => (await burst(6, owner)).some(({ status }) => status === 429), { everyMs: 1500 });
  });

  it('does not grant the account the burst of the default limit first', async () => {
    const limited = await GatewayUnderTest.start({ url: system.url, accountActionsPerS: 100 });
    try {
      const owner = await limited.owner();
      await limited.store.accountLimits.set(owner.account, { actionsPerS: 3 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => limited.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey })));
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length >= 5, `${refused.length} of 20 were refused`);
    } finally {
      await limited.stop();
    }
  });
});
