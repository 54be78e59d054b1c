import assert from 'node:assert/strict';
import { needsRedisServer, redisSentinels, until, type LocalSentinels } from '@perch/testkit';
import { StoreError, UncertainWrite } from '../src/redis/errors.js';
import { newId } from '../src/redis/ids.js';
import { memoryOfMasters } from '../src/redis/redis-report.js';
import { connect } from '../src/redis/connections.js';
import { openStore, type Store } from '../src/store.js';
import { held, testRobot } from './fixtures.js';

describe('a store with Sentinels', function () {
  let redis: LocalSentinels;
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore({ url: redis.url, instance: `test-${newId('k')}` });
    stores.push(store);
    return store;
  };
  before(async function () {
    needsRedisServer(this);
    redis = await redisSentinels();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await redis?.stop();
  });

  it('refuses a master name that no Sentinel knows, and names it in the error', async () => {
    const url = redis.url.replace(/\/perch$/, '/unknown');
    await assert.rejects(connect({ url, connectTimeoutMs: 2000 }), /no Sentinel that answers knows a master named unknown/);
  });

  it('returns the memory of the master by its address', async () => {
    const store = await open();
    const memory = await memoryOfMasters(store.connections);
    assert.deepEqual(
      memory.map(({ master }) => master),
      [`127.0.0.1:${(await redis.master()).port}`],
    );
    assert.ok(memory[0]!.bytes > 100_000);
  });

  it('keeps every key whose creation was confirmed, and repeats no event number, when the master is killed', async () => {
    const store = await open();
    const robot = await testRobot(store);
    const { session } = await held(store, robot);
    const { account } = await store.accounts.create({ email: 'sentinel@example.org' });
    const created: string[] = [];
    const numbers: number[] = [];
    const refused: unknown[] = [];
    const stop = new AbortController();
    const repeatedly = async (work: () => Promise<void>): Promise<void> => {
      while (!stop.signal.aborted) {
        await work().catch((error: unknown) => refused.push(error));
        // Without a connection, a command fails at once.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const work = Promise.all([
      repeatedly(async () => void created.push((await store.apiKeys.create({ account })).apiKey)),
      repeatedly(async () => {
        const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: null, events: [{ name: 'tap', data: { x: 1, y: 1 } }] });
        if (appended.appended) numbers.push(appended.lastSeq);
      }),
    ]);
    await until(() => created.length >= 3 && numbers.length >= 20, { what: 'keys and events before the failover' });
    const old = await redis.master();
    await old.kill();
    await until(async () => (await redis.master().catch(() => old)) !== old, { what: 'a replica to be promoted' });
    const [keysBefore, numbersBefore] = [created.length, numbers.length];
    const afterFailover = { timeoutMs: 40_000, what: 'keys and events after the failover' };
    await until(() => created.length >= keysBefore + 3 && numbers.length >= numbersBefore + 5, afterFailover);
    stop.abort();
    await work;

    for (const apiKey of created)
      assert.equal((await store.apiKeys.admit({ apiKey, cost: 1 })).ok, true, 'a key whose creation was confirmed is missing');
    assert.equal(new Set(numbers).size, numbers.length, `a number was given twice: ${numbers.join()}`);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    for (const error of refused) assert.ok(error instanceof StoreError, String(error));
    await old.restart();
    await until(() => redis.whole().catch(() => false), { what: 'the old master to become a replica' });
  });

  it('skips event numbers after a failover that follows a clean stop of every instance', async () => {
    const first = await openStore({ url: redis.url, instance: `test-${newId('k')}` });
    const robot = await testRobot(first);
    const { session } = await held(first, robot);
    const append = async (store: Store): Promise<number> => {
      const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: null, events: [{ name: 'tap', data: {} }] });
      assert.ok(appended.appended);
      return appended.lastSeq;
    };
    assert.equal(await append(first), 1);
    await first.close();
    const old = await redis.master();
    await old.kill();
    await until(async () => (await redis.master().catch(() => old)) !== old, { what: 'a replica to be promoted' });
    const second = await until(() => openStore({ url: redis.url, instance: `test-${newId('k')}` }).catch(() => null));
    stores.push(second!);
    const next = await until(() => append(second!).catch(() => null));
    assert.ok(next! > 50, `the number is ${next}, which an event that was lost may have had`);
    await old.restart();
    await until(() => redis.whole().catch(() => false), { what: 'the old master to become a replica' });
  });

  it('does not confirm the creation of a key while no replica confirms it', async () => {
    const store = await open();
    const { account } = await store.accounts.create({ email: 'silent-replicas@example.org' });
    const master = await redis.master();
    const replicas = redis.servers.filter((server) => server !== master);
    await Promise.all(replicas.map((replica) => replica.kill('SIGSTOP')));
    try {
      await assert.rejects(
        store.apiKeys.create({ account }),
        (error: unknown) => error instanceof StoreError && !(error instanceof UncertainWrite) && error.message.startsWith('Taken back: No replica'),
      );
    } finally {
      await Promise.all(replicas.map((replica) => replica.kill('SIGCONT')));
    }
    await until(
      () =>
        store.apiKeys.create({ account }).then(
          () => true,
          () => false,
        ),
      { what: 'a key to be created again' },
    );
  });
});
