import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { openStore, type LinkLoad, type Store } from '../src/index.js';
import { sharedKeys } from '../src/redis/keys.js';

describe('the loads of robot-links', () => {
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore({ ...redisAt(await redisUrl()), instance: `link-${randomBytes(3).toString('hex')}` });
    stores.push(store);
    return store;
  };
  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

  function share(store: Store, sessions: number): () => Map<string, LinkLoad> {
    let known = new Map<string, LinkLoad>();
    store.linkLoads.share(
      () => ({ sessions, accepted: sessions, accepting: true }),
      (loads) => (known = new Map(loads.map((load) => [load.instance, load]))),
    );
    return () => known;
  }

  it('shows a load to every robot-link within two heartbeats, and removes it on withdrawal', async () => {
    const [one, two] = [await open(), await open()];
    const known = share(one, 3);
    share(two, 5);
    await until(() => known().get(two.instance)?.sessions === 5 && known().get(one.instance)?.sessions === 3);
    await two.linkLoads.withdraw();
    await until(() => !known().has(two.instance));
  });

  it('ignores and removes loads that were not updated for 3 s, and invalid entries', async () => {
    const one = await open();
    const { commands } = one.connections;
    const key = sharedKeys.linkLoads();
    const at = Math.floor(one.clock.now());
    const load = { sessions: 1, accepted: 1, accepting: true };
    await commands.hset(
      key,
      'link-late',
      JSON.stringify({ at: at - 4000, ...load }),
      'link-odd',
      'no JSON',
      'link-odder',
      JSON.stringify({ at, sessions: -1 }),
    );
    const known = share(one, 3);
    await until(() => known().has(one.instance));
    assert.deepEqual(
      [...known().keys()].filter((instance) => ['link-late', 'link-odd', 'link-odder'].includes(instance)),
      [],
    );
    await until(async () => (await commands.hmget(key, 'link-late', 'link-odd', 'link-odder')).every((entry) => entry === null));
    assert.ok((await commands.pttl(key)) > 0);
  });

  it('sends no commands if no load is published', async () => {
    const one = await open();
    const two = await open();
    const known = share(two, 1);
    await until(() => known().has(two.instance));
    assert.ok(!known().has(one.instance));
  });
});
