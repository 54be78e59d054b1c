import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { privateRedis, type LocalRedis } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { sharedKeys } from '../src/redis/keys.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

describe('OAuth clients that registered', () => {
  let redis: LocalRedis;
  let [here, there]: Store[] = [];

  before(async () => {
    redis = await privateRedis();
    [here, there] = await Promise.all(['gw-1', 'gw-2'].map((instance) => openStore({ url: redis.url, instance })));
  });
  afterEach(() => here!.connections.commands.flushdb());
  after(async () => {
    await Promise.all([here!.close(), there!.close()]);
    await redis.stop();
  });

  const register = (site: string, store = here!): Promise<string> =>
    store.oauthClients.register({ name: 'Agent', redirectUris: ['http://127.0.0.1/callback'] }, site);
  const isKnown = async (id: string): Promise<boolean> => (await there!.oauthClients.find(id)) !== null;
  const known = async (ids: string[]): Promise<number> => (await Promise.all(ids.map(isKnown))).filter(Boolean).length;
  const unused = (): Promise<string[]> => here!.connections.commands.zrange(sharedKeys.unusedOAuthClients(), '0', '-1');
  /** Alternates between two gateways. @returns the ids, and the seconds to wait of those that were refused */
  async function registerMany(count: number, siteOf: (i: number) => string): Promise<{ ids: string[]; waits: number[] }> {
    const ids: string[] = [];
    const waits: number[] = [];
    const one = async (i: number): Promise<void> => {
      try {
        ids.push(await register(siteOf(i), i % 2 ? here! : there!));
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 'rate_limited', String(error));
        waits.push(error.retryAfterS!);
      }
    };
    for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: Math.min(10, count - i) }, (_, j) => one(i + j)));
    return { ids, waits };
  }
  /** Moves the registration of a client into the past. */
  async function age(id: string, ms: number): Promise<void> {
    const { commands } = here!.connections;
    const entry = (await unused()).find((each) => each.endsWith(id))!;
    const [site, at] = entry.split(' ') as [string, string];
    const before = `${site} ${Number(at) - ms} ${id}`;
    for (const [key, score] of [
      [sharedKeys.unusedOAuthClients(), Number(at) - ms],
      [sharedKeys.unusedOAuthClientsBySite(), 0],
    ] as const) {
      await commands.zrem(key, entry);
      await commands.zadd(key, score, before);
    }
    await commands.hset(sharedKeys.oauthClient(id), 'entry', before);
  }
  const isUnused = async (id: string): Promise<boolean> => (await unused()).some((each) => each.endsWith(id));

  it('are 200 of one site at once, whatever is registered at two gateways, and others register meanwhile', async () => {
    const { ids, waits } = await registerMany(1000, () => '2001:db8::/48');
    assert.deepEqual([ids.length, waits.length], [200, 800]);
    assert.ok(
      waits.every((waitS) => waitS > 500 && waitS <= 600),
      `${Math.min(...waits)} to ${Math.max(...waits)} s`,
    );
    assert.equal(await known(ids), 200);
    assert.equal(await isKnown(await register('192.0.2.0/24')), true);
  });

  it('make room for one of their own site that registers, once they are unused for ten minutes', async () => {
    const { ids } = await registerMany(200, () => 'site');
    for (const [i, minutes] of [
      [7, 9],
      [11, 30],
      [13, 20],
    ] as const)
      await age(ids[i]!, minutes * minuteMs);
    await register('site');
    await register('site');
    assert.deepEqual(await Promise.all([ids[7]!, ids[11]!, ids[13]!].map(isKnown)), [true, false, false]);
    await assert.rejects(register('site'), ({ code, retryAfterS }: ApiError) => code === 'rate_limited' && retryAfterS! > 30 && retryAfterS! <= 60);
  });

  it('are 1,000 in all: each further one takes the place of the oldest of the site that has most, and nobody is refused', async () => {
    const first = await registerMany(3, () => 'victim');
    const { ids, waits } = await registerMany(997, (i) => `attacker-${i % 10}`);
    assert.deepEqual([ids.length, waits.length], [997, 0]);
    const later = await registerMany(300, (i) => `attacker-${10 + (i % 20)}`);
    assert.deepEqual([later.ids.length, (await unused()).length], [300, 1000]);
    assert.equal(await known(first.ids), 3);
    assert.equal(await known([...ids, ...later.ids]), 997);
    assert.equal(await isKnown(await register('another')), true);
  });

  it('are not forgotten for others within ten minutes, as long as there are older ones, of whatever site', async () => {
    const older = (await registerMany(2, (i) => `small-${i}`)).ids;
    const { ids } = await registerMany(998, (i) => `large-${i % 5}`);
    await age(older[0]!, 11 * minuteMs);
    await age(older[1]!, 60 * minuteMs);
    for (const left of [1, 0]) {
      await register('another');
      assert.deepEqual([await known(older), await known(ids)], [left, 998]);
    }
    await register('another');
    assert.equal(await known(ids), 997);
  });

  it('are never forgotten for others once a user allowed them something, on an instance of 0.10.0 too', async () => {
    const [kept, keptBefore] = (await registerMany(2, () => 'site')).ids as [string, string];
    await there!.oauthClients.keep(kept);
    assert.equal(await isUnused(kept), false);
    // 0.10.0 does not know of those that are unused.
    await there!.connections.commands.pexpire(sharedKeys.oauthClient(keptBefore), 365 * dayMs);
    await registerMany(199, () => 'site');
    await age(keptBefore, 20 * minuteMs);
    await register('site');
    assert.deepEqual([await isKnown(kept), await isKnown(keptBefore), await isUnused(keptBefore)], [true, true, false]);
  });

  it('leave nothing behind after a day', async () => {
    const { ids } = await registerMany(200, () => 'site');
    for (const id of ids) await age(id, dayMs);
    // Each registration takes out a hundred of those that are over.
    const last = [await register('another'), await register('another')];
    assert.deepEqual((await unused()).map((entry) => entry.split(' ')[2]).toSorted(), last.toSorted());
    const { commands } = here!.connections;
    assert.deepEqual(await commands.zrange(sharedKeys.oauthClientSites(), '0', '-1', 'WITHSCORES'), [(await unused())[0]!.split(' ')[0], '2']);
    for (const key of await commands.keys('perch:*oauth-client*')) {
      const lifeMs = await commands.pttl(key);
      assert.ok(lifeMs > 0 && lifeMs <= dayMs, key);
    }
  });

  it('are counted by a hash of their site', async () => {
    await register('192.0.2.0/24');
    assert.match((await unused())[0]!, /^[\w-]{20,} \d{13} c-[0-9a-z]{10}$/);
  });
});
