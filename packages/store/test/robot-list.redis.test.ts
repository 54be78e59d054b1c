import assert from 'node:assert/strict';
import { newId, sha256 } from '../src/ids.js';
import { accountKeys } from '../src/keys.js';
import type { Store } from '../src/index.js';
import { closeStores, held, testStore } from './fixtures.js';

describe("the list of an account's robots", () => {
  let store: Store;
  let account: string;
  before(async () => {
    store = await testStore();
    await store.instances.announce();
  });
  beforeEach(() => {
    account = newId('a');
  });
  after(closeStores);

  const showing = { card: null, question: null, emotion: 'neutral', view: 'face' };

  it('has what their owner knows them by, oldest first, and whether they are here', async () => {
    const { robot, token } = await store.robots.create({ account, name: 'Pip', virtual: true });
    assert.deepEqual(await store.robotList.read(account, 10), {
      robots: [
        {
          id: robot,
          name: 'Pip',
          model: null,
          firmware: null,
          virtual: true,
          createdAt: (await store.robots.get(robot))!.createdAt,
          online: false,
          lastSeenAt: null,
          batteryPct: null,
        },
      ],
      total: 1,
    });
    const { session } = await held(store, robot, { tokenHash: sha256(token) });
    const online = await store.robotList.one(account, robot);
    assert.deepEqual([online?.online, online?.model, online?.firmware], [true, 'm', '1']);
    const readingsAt = Math.floor(store.clock.now()) + 5000;
    await store.leases.release(robot, session, 'away', { readings: { battery_pct: 81 }, readingsAt, showing });
    const away = await store.robotList.one(account, robot);
    assert.deepEqual([away?.online, away?.batteryPct, away?.lastSeenAt], [false, 81, readingsAt]);
  });

  it("has no robot of another account, and none whose record is gone, in no account's list", async () => {
    const { robot } = await store.robots.create({ account });
    const { robot: foreign } = await store.robots.create({ account: newId('a') });
    await store.connections.commands.sadd(accountKeys.robots(account), foreign, 'r-gone');
    const { robots, total } = await store.robotList.read(account, 10);
    assert.deepEqual([robots.map(({ id }) => id), total], [[robot], 1]);
    for (const id of [foreign, '}', account, 'hooked-accounts']) assert.equal(await store.robotList.one(account, id), null, id);
  });

  it('is as long as it may be, the same ones each time, and says how many there are', async () => {
    await Promise.all(Array.from({ length: 8 }, () => store.robots.create({ account })));
    const first = await store.robotList.read(account, 5);
    assert.deepEqual([first.robots.length, first.total], [5, 8]);
    assert.deepEqual(await store.robotList.read(account, 5), first);
  });
});

describe('addresses that instances offer', () => {
  after(closeStores);

  it('are found while their instance lives and offers them', async () => {
    const [one, other] = [await testStore(), await testStore()];
    const address = (store: Store): string => `ws://${store.instance}.example`;
    await one.instances.offer('link', address(one));
    await other.instances.offer('link', address(other));
    const ours = async (): Promise<string[]> =>
      (await other.instances.offered('link')).filter((found) => [address(one), address(other)].includes(found));
    assert.deepEqual((await ours()).toSorted(), [address(one), address(other)].toSorted());
    assert.deepEqual((await one.instances.offered('page')).includes(address(one)), false);
    await one.instances.withdraw();
    assert.deepEqual(await ours(), [address(other)]);
  });

  it('go with an instance that fell silent', async () => {
    const [one, other] = [await testStore(), await testStore()];
    await one.instances.offer('link', 'ws://silent.example');
    const key = 'perch:{addresses:link}';
    await one.connections.commands.zadd(key, Math.floor(one.clock.now()) - 7000, 'ws://gone.example');
    assert.equal((await other.instances.offered('link')).includes('ws://gone.example'), false);
    assert.equal((await other.instances.offered('link')).includes('ws://silent.example'), true);
    assert.ok((await one.connections.commands.pttl(key)) > 0);
  });
});
