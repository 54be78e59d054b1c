import assert from 'node:assert/strict';
import type { Labels } from '@perch/schema';
import type { LabelChange, Store } from '../src/index.js';
import { newId } from '../src/redis/ids.js';
import { accountKeys } from '../src/redis/keys.js';
import { RobotLabels } from '../src/robots/robot-labels.js';
import { SliceQueue } from '../src/redis/slice-queue.js';
import { closeStores, testStore } from './fixtures.js';

describe('labels of robots in the store', () => {
  let store: Store;
  let account: string;
  before(async () => {
    store = await testStore();
  });
  beforeEach(() => {
    account = newId('a');
  });
  after(closeStores);

  const storedBytes = async (): Promise<string | null> => store.connections.commands.hget(accountKeys.stored(account), 'labels');
  const create = async (robots: { serial: string; labels: Labels }[]): Promise<{ robot: string; token: string }[]> => {
    const made: { robot: string; token: string }[] = [];
    await store.robots.createAll(
      account,
      robots.map((robot) => ({ ...robot, account })),
      (robot) => made.push(robot),
    );
    return made;
  };
  const listed = async (labels: string[], among?: string[]): Promise<string[]> => {
    const ids: string[] = [];
    for await (const slice of store.robotList.forOwner(account, { labels, ...(among === undefined ? {} : { among }) }))
      ids.push(...slice.map(({ id }) => id));
    return ids;
  };

  it('sets, replaces and removes labels, and returns the result', async () => {
    const { robot } = await store.robots.create({ account });
    const change = (change: LabelChange) => store.robotLabels.change(account, robot, change);
    assert.deepEqual(await change({ set: { room: 'r1', note: 'a=b' } }), { note: 'a=b', room: 'r1' });
    assert.deepEqual(await change({ set: { room: 'r2', floor: '' }, remove: ['note', 'none'] }), { floor: '', room: 'r2' });
    assert.deepEqual(await store.robotLabels.of(account, robot), { floor: '', room: 'r2' });
    assert.deepEqual(await change({ set: { only: '1' }, dropOthers: true }), { only: '1' });
    assert.deepEqual(await change({ dropOthers: true }), {});
    assert.deepEqual(await store.robotLabels.of(account, robot), {});
    assert.equal(await store.connections.commands.exists(accountKeys.labels(account)), 0);
  });

  it('allows at most 16 labels, also for concurrent changes, and only for robots of the account', async () => {
    const { robot } = await store.robots.create({ account });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => store.robotLabels.change(account, robot, { set: { [`k${i}`]: '1' } })));
    assert.equal(answers.filter((answer) => answer === 'too_many').length, 4);
    assert.equal(Object.keys(await store.robotLabels.of(account, robot)).length, 16);
    // An existing label can still be changed.
    const [key] = Object.keys(await store.robotLabels.of(account, robot));
    assert.notEqual(await store.robotLabels.change(account, robot, { set: { [key!]: '2' } }), 'too_many');
    for (const other of [newId('r'), '}', (await store.robots.create({ account: newId('a') })).robot])
      assert.equal(await store.robotLabels.change(account, other, { set: { a: '1' } }), 'unknown', other);
  });

  it('reads the labels of a large account in slices, with lists of other accounts in between', async () => {
    const order: string[] = [];
    class WithOtherList extends SliceQueue {
      #isAsked = false;
      override run<T>(of: string, name: string, read: () => Promise<T>): Promise<T> {
        return super.run(of, name, async () => {
          if (!this.#isAsked) void super.run(newId('a'), 'another list', async () => void order.push('another list'));
          this.#isAsked = true;
          return read();
        });
      }
    }
    const ids = Array.from({ length: 2000 }, () => newId('r'));
    await store.connections.commands.hset(accountKeys.labels(account), Object.fromEntries(ids.map((id, i) => [id, `half=${i % 2};room=r7`])));
    const found = await new RobotLabels(store.connections, new WithOtherList()).all(account, ['room=r7', 'half=1']);
    order.push('the labels');
    assert.deepEqual(found, ids.filter((_, i) => i % 2 === 1).toSorted());
    assert.deepEqual(order, ['another list', 'the labels']);
  });

  it('counts labels against the storage quota of the account until they are removed', async () => {
    const [made] = await create([{ serial: 'S1', labels: { room: 'ä' } }]);
    assert.equal(await storedBytes(), `${12 + 'room=ä'.length + 1} 0`);
    const other = (await store.robots.create({ account })).robot;
    await store.robotLabels.change(account, other, { set: { a: '1' } });
    assert.equal(await storedBytes(), `${12 + 7 + 12 + 3} 0`);
    assert.ok((await store.storage.total(account)) >= 34);
    await store.robotLabels.change(account, other, { remove: ['a'] });
    assert.equal(await storedBytes(), '19 0');
    await store.robots.remove(account, made!.robot);
    assert.equal(await storedBytes(), null);
    assert.deepEqual(await store.robotLabels.all(account, ['room=ä']), []);
  });

  it('finds the robots with all given labels, ascending by id, among 1,500 or a few', async () => {
    const ids = Array.from({ length: 1500 }, () => newId('r')).toSorted();
    const { commands } = store.connections;
    await Promise.all(ids.map((id) => commands.hset(`perch:{${id}}`, { account, created_at: 1 })));
    await commands.sadd(accountKeys.robots(account), ...ids);
    await commands.hset(accountKeys.labels(account), Object.fromEntries(ids.map((id, i) => [id, `odd=${i % 2};room=r${i % 10}`])));
    assert.deepEqual(
      await listed(['room=r3']),
      ids.filter((_, i) => i % 10 === 3),
    );
    assert.deepEqual(await listed(['room=r3', 'odd=0']), []);
    assert.deepEqual(await listed(['room=r3', 'odd=1'], ids.slice(0, 20)), [ids[3], ids[13]]);
    // Entries that a removal by 0.9.0 left are ignored.
    await commands.unlink(`perch:{${ids[3]}}`);
    assert.deepEqual(await listed(['room=r3'], ids.slice(0, 20)), [ids[13]]);
  });

  it('keeps the robots created before the account was full, with tokens and labels, and returns them', async () => {
    const { account: own } = await store.accounts.create({ email: `${account}@example.org` });
    await store.accountLimits.set(own, { robots: 60 });
    const made: { robot: string; token: string }[] = [];
    const wanted = Array.from({ length: 200 }, (_, i) => ({ account: own, serial: `S${i}`, labels: { n: String(i) } }));
    await assert.rejects(
      store.robots.createAll(own, wanted, (robot) => made.push(robot)),
      { kind: 'full' },
    );
    assert.equal(made.length, 60);
    for (const { robot, token } of made) assert.equal((await store.robots.byToken(token))?.id, robot);
    assert.ok((await store.robots.count(own)) <= 60);
  });

  it('keeps the labels of the first of two robots created concurrently with one serial', async () => {
    const made = (await Promise.all(['1', '2', '3'].map((n) => create([{ serial: 'S', labels: { n } }])))).flat();
    assert.equal(made.length, 1);
    assert.equal(await store.connections.commands.hlen(accountKeys.labels(account)), 1);
    assert.deepEqual(await store.robots.createAll(account, [{ account, serial: 'S' }], () => assert.fail()), ['S']);
    assert.deepEqual([...(await store.robots.bySerials(account, ['S', 'none']))], [['S', made[0]!.robot]]);
  });
});
