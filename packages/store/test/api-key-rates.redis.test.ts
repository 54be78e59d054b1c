import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Admission } from '../src/keys/admissions.js';
import { ApiKeys, type NewKey } from '../src/keys/api-keys.js';
import { newId } from '../src/redis/ids.js';
import type { Connections } from '../src/redis/connections.js';
import { testConnections } from './checked-scripts.js';

describe('api keys', () => {
  let redis: Connections;
  let keys: ApiKeys;

  before(async () => {
    redis = await testConnections();
    keys = new ApiKeys(redis);
  });
  after(() => redis.close());

  const fresh = async (more: Pick<NewKey, 'robots' | 'scopes' | 'expiresAt'> = {}) => {
    const account = newId('a');
    return { account, ...(await keys.create({ account, name: 'toy', ...more })) };
  };

  it('admits exactly 30 of 100 concurrent calls, and 10 more per second', async () => {
    const { apiKey } = await fresh();
    const start = await timeUs(redis);
    const burst = await Promise.all(Array.from({ length: 100 }, () => keys.admit({ apiKey, cost: 1 })));
    // The bucket refills during the burst, by exactly one for each full tenth of a second.
    const took = Math.floor(((await timeUs(redis)) - start) / 100_000);
    const passed = burst.filter((one) => one.ok).length;
    assert.ok(passed >= 30 && passed <= 30 + took, `${passed} passed in ${took} tenths`);

    const end = start + 1_500_000;
    let later = passed;
    // Until a refusal after the end: a pause of the machine leaves tokens in the bucket that are still to be taken.
    for (let isEmpty = false; !isEmpty || (await timeUs(redis)) < end;) {
      isEmpty = !(await keys.admit({ apiKey, cost: 1 })).ok;
      if (!isEmpty) later += 1;
    }
    const tenths = Math.floor(((await timeUs(redis)) - start) / 100_000);
    assert.ok(later >= 30 + 14 && later <= 30 + tenths, `${later} passed in ${tenths} tenths`);
  });

  it('shares one rate limit bucket among all instances', async () => {
    const { apiKey } = await fresh();
    const other = await testConnections();
    try {
      const start = await timeUs(redis);
      const both = [keys, new ApiKeys(other)];
      const burst = await Promise.all(Array.from({ length: 80 }, (_, i) => both[i % 2]!.admit({ apiKey, cost: 1 })));
      const took = Math.floor(((await timeUs(redis)) - start) / 100_000);
      const passed = burst.filter((one) => one.ok).length;
      assert.ok(passed >= 30 && passed <= 30 + took, `${passed} passed in ${took} tenths`);
    } finally {
      await other.close();
    }
  });

  it('returns the remaining calls, the time until the bucket is full, and the time to retry', async () => {
    const { apiKey } = await fresh();
    const first = granted(await keys.admit({ apiKey, cost: 1 }));
    assert.deepEqual([first.remaining, first.resetS], [29, 1]);
    const other = await fresh();
    const all = granted(await keys.admit({ apiKey: other.apiKey, cost: 30 }));
    assert.deepEqual([all.remaining, all.resetS], [0, 3]);
    const refused = await keys.admit({ apiKey: other.apiKey, cost: 29 });
    assert.ok(!refused.ok && refused.reason === 'rate_limited');
    assert.ok(refused.retryAfterS >= 2 && refused.retryAfterS <= 3);
  });

  it('takes the whole cost of a call or nothing', async () => {
    const { apiKey } = await fresh();
    granted(await keys.admit({ apiKey, cost: 20 }));
    assert.equal((await keys.admit({ apiKey, cost: 20 })).ok, false);
    const left = granted(await keys.admit({ apiKey, cost: 0 }));
    assert.ok(left.remaining >= 10 && left.remaining < 20);
  });

  it('admits a call that costs more than the bucket holds only from a full bucket, and the next one once it is paid for', async () => {
    const { apiKey } = await fresh();
    assert.equal(granted(await keys.admit({ apiKey, cost: 40 })).remaining, 0);
    const next = await keys.admit({ apiKey, cost: 1 });
    assert.ok(!next.ok && next.reason === 'rate_limited');
    assert.deepEqual([next.remaining, next.retryAfterS], [0, 2]);
    const used = await fresh();
    granted(await keys.admit({ apiKey: used.apiKey, cost: 10 }));
    assert.equal((await keys.admit({ apiKey: used.apiKey, cost: 40 })).ok, false);
    assert.ok(granted(await keys.admit({ apiKey: used.apiKey, cost: 0 })).remaining >= 20);
  });

  it('takes nothing for a cost of 0', async () => {
    const { apiKey } = await fresh();
    for (let i = 0; i < 40; i += 1) assert.equal(granted(await keys.admit({ apiKey, cost: 0 })).remaining, 30);
  });

  it('continues with the content of the bucket, full or empty, when the clock steps back', async () => {
    for (const taken of [0, 30]) {
      const { apiKey } = await fresh();
      const { keyHash } = granted(await keys.admit({ apiKey, cost: taken }));
      // A bucket written by a clock that was an hour ahead.
      await redis.commands.hset(`perch:{${keyHash}}`, 'bucket', `${taken * 100_000} ${(await timeUs(redis)) + 3_600_000_000}`);
      const step = await keys.admit({ apiKey, cost: 1 });
      assert.equal(step.ok, taken === 0);
      await until(async () => (await keys.admit({ apiKey, cost: 1 })).ok, { what: 'the bucket to refill' });
    }
  });
});

function granted(admission: Admission) {
  assert.ok(admission.ok, JSON.stringify(admission));
  return admission;
}

async function timeUs({ commands }: Connections): Promise<number> {
  const [seconds, micros] = await commands.time();
  return Number(seconds) * 1e6 + Number(micros);
}
