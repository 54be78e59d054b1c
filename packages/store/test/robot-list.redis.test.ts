import assert from 'node:assert/strict';
import { newId, sha256 } from '../src/redis/ids.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import type { ListRange, Store } from '../src/index.js';
import { closeStores, held, testStore } from './fixtures.js';

describe("lists of an account's robots", () => {
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

  async function listed<T>(slices: AsyncIterable<readonly T[]>): Promise<T[]> {
    const all: T[] = [];
    for await (const slice of slices) all.push(...slice);
    return all;
  }

  /** Creates robots with a record and an entry in the set of the account, but no token. */
  async function makeRobots(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId('r'));
    const { commands } = store.connections;
    await Promise.all(ids.map((id) => commands.hset(robotKeys.record(id), { account, created_at: 1 })));
    await commands.sadd(accountKeys.robots(account), ...ids);
    return ids.toSorted();
  }

  async function mostInFlight(work: () => Promise<unknown>): Promise<number> {
    const { commands } = store.connections;
    const original = commands.hmget.bind(commands) as (...args: unknown[]) => Promise<unknown>;
    let inFlight = 0;
    let most = 0;
    Object.assign(commands, {
      hmget: async (...args: unknown[]) => {
        most = Math.max(most, (inFlight += 1));
        try {
          return await original(...args);
        } finally {
          inFlight -= 1;
        }
      },
    });
    try {
      await work();
    } finally {
      delete (commands as { hmget?: unknown }).hmget;
    }
    return most;
  }

  it('contains for the owner the name, online state, last seen time, battery and screen of each robot', async () => {
    const { robot, token } = await store.robots.create({ account, name: 'Pip', virtual: true });
    assert.deepEqual(await listed(store.robotList.forOwner(account)), [
      {
        id: robot,
        name: 'Pip',
        model: null,
        firmware: null,
        serial: null,
        virtual: true,
        settings: { timeZone: 'UTC', volumeMax: null, quietHours: null },
        createdAt: (await store.robots.get(robot))!.createdAt,
        online: false,
        lastSeenAt: null,
        batteryPct: null,
        showing: null,
        update: null,
        labels: {},
      },
    ]);
    const { session } = await held(store, robot, { tokenHash: sha256(token) });
    const online = await store.robotList.one(account, robot);
    assert.deepEqual([online?.online, online?.model, online?.firmware], [true, 'm', '1']);
    const readingsAt = Math.floor(store.clock.now()) + 5000;
    await store.leases.release(robot, session, 'away', { readings: { battery_pct: 81 }, readingsAt, showing });
    const away = await store.robotList.one(account, robot);
    assert.deepEqual([away?.online, away?.batteryPct, away?.lastSeenAt, away?.showing], [false, 81, readingsAt, showing]);
  });

  it('contains for programs the data of the last hello of each robot', async () => {
    const [never, once] = await Promise.all([store.robots.create({ account }), store.robots.create({ account, name: 'Pip' })]);
    await held(store, once.robot, { tokenHash: sha256(once.token), hello: { features: ['leds'] } });
    const byId = new Map((await listed(store.robotList.forProgram(account))).map((robot) => [robot.id, robot]));
    assert.deepEqual(byId.get(never.robot), { id: never.robot, name: '', model: null, firmware: null, online: false, labels: {}, hello: null });
    assert.deepEqual(byId.get(once.robot), {
      id: once.robot,
      name: 'Pip',
      model: 'm',
      firmware: '1',
      online: true,
      labels: {},
      hello: '{"features":["leds"]}',
    });
  });

  it('omits robots of other accounts and ids without a record, also from a selection', async () => {
    const { robot } = await store.robots.create({ account });
    const { robot: foreign } = await store.robots.create({ account: newId('a') });
    await store.connections.commands.sadd(accountKeys.robots(account), foreign, 'r-gone');
    const ids = async (range: ListRange): Promise<string[]> => (await listed(store.robotList.forOwner(account, range))).map(({ id }) => id);
    assert.deepEqual(await ids({}), [robot]);
    assert.deepEqual(await ids({ among: [foreign, robot, 'r-gone', '}', robot] }), [robot]);
    for (const id of [foreign, '}', account, 'hooked-accounts']) assert.equal(await store.robotList.one(account, id), null, id);
  });

  it('lists 1,234 robots completely, ascending by id, and continues after any id, also of a removed robot', async () => {
    const ids = await makeRobots(1234);
    const idsOf = async (range: ListRange): Promise<string[]> => (await listed(store.robotList.forProgram(account, range))).map(({ id }) => id);
    assert.deepEqual(await idsOf({}), ids);
    const removed = ids[700]!;
    await store.robots.remove(account, removed);
    assert.deepEqual(await idsOf({ after: removed }), ids.slice(701));
    assert.deepEqual(await idsOf({ after: 'r-zzzzzzzzzz' }), []);
  });

  it('reads at most 100 robots at a time for concurrent lists of an account', async () => {
    await makeRobots(500);
    const most = await mostInFlight(() => Promise.all(Array.from({ length: 10 }, () => listed(store.robotList.forProgram(account)))));
    // For each robot its record and its lease, and one read for the labels of all.
    assert.ok(most <= 201, `${most} reads were in flight`);
  });

  it('reads the robots for webhooks in slices of 100, too', async () => {
    await makeRobots(500);
    const hook = await store.webhooks.create(account, { url: 'https://example.com/' });
    try {
      const most = await mostInFlight(() => store.webhookJobs.checkAll());
      assert.ok(most > 1 && most <= 100, `${most} reads were in flight`);
    } finally {
      await store.webhooks.remove(account, hook.id);
    }
  });
});

describe('addresses that instances offer', () => {
  after(closeStores);

  it('finds an address while its instance is alive and offers it', async () => {
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

  it('removes the addresses of an instance whose heartbeat has expired', async () => {
    const [one, other] = [await testStore(), await testStore()];
    await one.instances.offer('link', 'ws://silent.example');
    const key = 'perch:{addresses:link}';
    await one.connections.commands.zadd(key, Math.floor(one.clock.now()) - 7000, 'ws://gone.example');
    assert.equal((await other.instances.offered('link')).includes('ws://gone.example'), false);
    assert.equal((await other.instances.offered('link')).includes('ws://silent.example'), true);
    assert.ok((await one.connections.commands.pttl(key)) > 0);
  });
});
