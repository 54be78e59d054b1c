/** The bound on the actions of all keys of an account together, over two gateways. */
import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { until } from '@perch/testkit';
import { Bench, type Owner } from './bench.js';

const perS = 20;
const seconds = 6;

describe('actions a second of an account', function () {
  this.timeout(60_000);
  let benches: Bench[];
  before(async () => {
    const first = await Bench.start({ accountActionsPerS: perS });
    benches = [first, await Bench.start({ url: first.url, accountActionsPerS: perS })];
  });
  after(() => Promise.all(benches?.map((bench) => bench.stop()) ?? []));

  const state = (bench: Bench, { robot }: Owner, apiKey: string) => bench.ask('GET', `/v1/robots/${robot}`, { apiKey });

  it('admits about the bound over two gateways with ten keys, answers 429 with Retry-After to the rest, and bounds no other account', async () => {
    const [first] = benches as [Bench, Bench];
    const owner = await first.owner();
    const other = await first.owner();
    const keys = await Promise.all(Array.from({ length: 10 }, async () => (await first.store.apiKeys.create({ account: owner.account })).apiKey));
    let admitted = 0;
    const limited: { status: number; retryAfter: string | null; error: string }[] = [];
    const start = performance.now();
    const end = start + seconds * 1000;
    // Ten keys may do 100 a second in all; half of them on each gateway.
    const work = keys.map(async (apiKey, i) => {
      while (performance.now() < end) {
        const { status, headers, body } = await state(benches[i % 2]!, owner, apiKey);
        if (status === 200) admitted += 1;
        else limited.push({ status, retryAfter: headers.get('retry-after'), error: body.error });
        await setTimeoutAsync(60);
      }
    });
    await Promise.all(work);
    const tookS = (performance.now() - start) / 1000;
    // A burst of a second on each gateway, and a second until they know of each other.
    const most = perS * (tookS + 4);
    assert.ok(admitted <= most, `${admitted} admitted in ${tookS} s, at most ${most}`);
    assert.ok(admitted >= perS * tookS * 0.4, `${admitted} admitted in ${tookS} s`);
    const ofAccount = limited.filter(({ error }) => error.includes('all keys of this account'));
    assert.ok(ofAccount.length > 0);
    assert.ok(ofAccount.every(({ status, retryAfter }) => status === 429 && Number(retryAfter) >= 1));
    assert.equal((await state(benches[1]!, other, other.apiKey)).status, 200);
  });

  it('admits the account again once it waited', async () => {
    const [first] = benches as [Bench, Bench];
    const owner = await first.owner();
    const keys = await Promise.all([1, 2].map(async () => (await first.store.apiKeys.create({ account: owner.account })).apiKey));
    await until(async () => (await Promise.all(keys.map((apiKey) => state(first, owner, apiKey)))).some(({ status }) => status === 429), {
      timeoutMs: 15_000,
    });
    await until(async () => (await state(first, owner, keys[0]!)).status === 200, { timeoutMs: 15_000 });
  });
});

describe("an account's own limit of actions a second", function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench?.stop());

  it('holds from the first action of the account at a gateway, names itself in the 429, and changes within seconds', async () => {
    const owner = await bench.owner();
    const other = await bench.owner();
    await bench.store.accountLimits.set(owner.account, { actionsPerS: 3 });
    const keys = await Promise.all([1, 2, 3].map(async () => (await bench.store.apiKeys.create({ account: owner.account })).apiKey));
    const burst = (count: number, { robot }: Owner) =>
      Promise.all(Array.from({ length: count }, (_, i) => bench.ask('GET', `/v1/robots/${robot}`, { apiKey: keys[i % keys.length]! })));

    const first = await burst(20, owner);
    assert.ok(first.some(({ status }) => status === 200));
    const limited = first.filter(({ status }) => status === 429);
    // A burst of a second, and what a slow machine is given back meanwhile.
    assert.ok(limited.length >= 5, `${limited.length} of 20 were limited`);
    for (const { headers, body } of limited) {
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.match(body.error, /all keys of this account together: its limit is 3 a second/);
    }
    const ofOther = await Promise.all(Array.from({ length: 20 }, () => bench.ask('GET', `/v1/robots/${other.robot}`, { apiKey: other.apiKey })));
    assert.ok(ofOther.every(({ status }) => status === 200));

    await bench.store.accountLimits.set(owner.account, { actionsPerS: 'none' });
    await until(async () => (await burst(20, owner)).every(({ status }) => status === 200), { timeoutMs: 20_000, everyMs: 1500 });
    await bench.store.accountLimits.set(owner.account, { actionsPerS: 2 });
    await until(async () => (await burst(6, owner)).some(({ status }) => status === 429), { timeoutMs: 20_000, everyMs: 1500 });
  });

  it('gives the account no burst of the limit of other accounts first', async () => {
    const limited = await Bench.start({ url: bench.url, accountActionsPerS: 100 });
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
