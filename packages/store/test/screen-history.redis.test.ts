import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openStore, screensKept, type ScreenRecord, type Store } from '../src/index.js';
import { storedPlaces } from '../src/accounts/account-storage.js';
import { ScreenHistory, screensBytesMax } from '../src/activity/screen-history.js';
import { accountKeys } from '../src/redis/keys.js';
import { redisAt, redisUrl } from '@perch/testkit';
import { closeStores, testStore } from './fixtures.js';

const dayMs = 86_400_000;

describe('the screens that robots showed, in the store', () => {
  let store: Store;
  let account: string;
  let robot: string;
  before(async () => {
    store = await testStore();
  });
  beforeEach(async () => {
    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
    robot = await store.robots.ensure({ account });
  });
  after(closeStores);

  let made = 0;
  const screen = (more: Partial<ScreenRecord> = {}): ScreenRecord => ({
    id: `s-${(made += 1)}`,
    at: Math.floor(store.clock.now()),
    action: 'show',
    via: 'http',
    outcome: 'ok',
    args: { text: `card ${made}` },
    ...more,
  });
  const append = (screens: ScreenRecord[], of = robot): Promise<void> => store.screenHistory.append(account, new Map([[of, screens]]));
  const ids = async (of = robot): Promise<string[]> => (await store.screenHistory.list(account, of)).map(({ id }) => id);
  const ttlMs = (): Promise<number> => store.connections.commands.pttl(accountKeys.screens(account, robot));

  it('are read as they were written, newest first by the time at which they appeared', async () => {
    const now = Math.floor(store.clock.now());
    const key = { id: 'k-1', name: 'Küche' };
    const card = screen({ at: now - 1000, lacks: ['image'], args: { background: 'blue' } });
    const asked = screen({ at: now - 5000, action: 'ask', key, outcome: 'answered', answer: 'Yes ☕', x: 1, y: 2, tapMs: 900 });
    const long = screen({ at: now - 9000, args: null });
    // The question ended after the card had appeared.
    await append([long]);
    await append([card, asked]);
    assert.deepEqual(await store.screenHistory.list(account, robot), [card, asked, long]);
    assert.ok((await ttlMs()) > 29.9 * dayMs);
  });

  it('are the last 20 of a robot, whether they were appended together or one by one', async () => {
    const at = Math.floor(store.clock.now());
    const first = Array.from({ length: 30 }, (_, i) => screen({ at: at - 100 + i }));
    await append(first);
    assert.deepEqual(
      await ids(),
      first
        .map(({ id }) => id)
        .slice(-screensKept)
        .toReversed(),
    );
    const next = Array.from({ length: 5 }, (_, i) => screen({ at: at + i }));
    for (const each of next) await append([each]);
    assert.deepEqual(
      await ids(),
      [...first, ...next]
        .map(({ id }) => id)
        .slice(-screensKept)
        .toReversed(),
    );
    assert.equal(await store.connections.commands.llen(accountKeys.screens(account, robot)), screensKept);
  });

  it('take at most 64 KB of a robot: the oldest are dropped', async () => {
    const large = Array.from({ length: 12 }, (_, i) => screen({ at: Math.floor(store.clock.now()) - 100 + i, args: { text: 'ü'.repeat(4000) } }));
    await append(large);
    const kept = await store.connections.commands.lrange(accountKeys.screens(account, robot), 0, -1);
    const bytes = kept.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    assert.ok(bytes <= screensBytesMax && bytes > screensBytesMax - 9000, `${bytes} bytes`);
    assert.deepEqual(
      await ids(),
      large
        .map(({ id }) => id)
        .slice(-kept.length)
        .toReversed(),
    );
    assert.ok(kept.length < large.length);
  });

  it('are dropped and no longer read after 30 days', async () => {
    const now = Math.floor(store.clock.now());
    const old = screen({ at: now - 30 * dayMs + 60_000 });
    await append([old]);
    assert.deepEqual(await ids(), [old.id]);
    const later = new ScreenHistory(store.connections, { now: () => now + 120_000 }, store.storage);
    assert.deepEqual(await later.list(account, robot), []);
    const { commands } = store.connections;
    await commands.lpush(accountKeys.screens(account, robot), `${now - 31 * dayMs} {"id":"s-old"}`);
    const young = screen();
    await append([young]);
    assert.equal(await commands.llen(accountKeys.screens(account, robot)), 1);
    assert.deepEqual(await ids(), [young.id]);
  });

  it('are removed with their robot, and none is appended behind the removal', async () => {
    const other = await store.robots.ensure({ account });
    await append([screen()]);
    await append([screen()], other);
    await store.robots.remove(account, robot);
    assert.equal(await store.connections.commands.exists(accountKeys.screens(account, robot)), 0);
    await append([screen()]);
    assert.deepEqual([await ids(), (await ids(other)).length], [[], 1]);
  });

  it('are not appended for a robot of another account, nor read under it', async () => {
    const stranger = await store.accounts.create({ email: `${randomUUID()}@example.org` });
    await store.screenHistory.append(stranger.account, new Map([[robot, [screen()]]]));
    assert.equal(await store.connections.commands.exists(accountKeys.screens(stranger.account, robot)), 0);
    await append([screen()]);
    assert.deepEqual(await store.screenHistory.list(stranger.account, robot), []);
  });

  it('stay apart when the same device is paired with another account', async () => {
    const pair = async (to: string): Promise<string> => {
      const begun = await store.pairing.begin({ serial: `serial-${account}`, model: 'm', firmware: '1' });
      const approved = await store.pairing.approve(to, begun.userCode);
      assert.ok(approved !== null && 'robot' in approved);
      return approved.robot;
    };
    const mine = await pair(account);
    await append([screen()], mine);
    const { account: next } = await store.accounts.create({ email: `${randomUUID()}@example.org` });
    const theirs = await pair(next);
    for (const id of [mine, theirs]) assert.deepEqual(await store.screenHistory.list(next, id), []);
    assert.equal((await ids(mine)).length, 1);
  });

  it('of many robots are appended, each to its own, with one command for 100 robots', async () => {
    const robots = await Promise.all(Array.from({ length: 120 }, () => store.robots.ensure({ account })));
    const commands: number[] = [];
    const counting = {
      ...store.connections,
      script: (...args: Parameters<typeof store.connections.script>) => {
        commands.push(args[1].length);
        return store.connections.script(...args);
      },
    };
    const history = new ScreenHistory(counting as never, store.clock, store.storage);
    const shown = new Map(robots.map((id) => [id, [screen(), screen()]]));
    await history.append(account, shown);
    assert.deepEqual(commands, [102, 22]);
    for (const [id, screens] of shown) assert.deepEqual(new Set(await ids(id)), new Set(screens.map((each) => each.id)));
  });

  it('count in the storage of the account, and a full account gets no new ones', async () => {
    const full = await openStore({ ...redisAt(await redisUrl()), instance: `test-${randomUUID().slice(0, 8)}`, accountStorageMb: 0.03 });
    try {
      const args = { text: 'x'.repeat(8000) };
      const at = Math.floor(store.clock.now());
      await full.screenHistory.append(account, new Map([[robot, Array.from({ length: 5 }, (_, i) => screen({ at: at + i, args }))]]));
      await full.storage.report();
      const place = await store.connections.commands.hget(accountKeys.stored(account), storedPlaces.screens(robot));
      const [bytes, expires] = place!.split(' ').map(Number);
      assert.ok(bytes! > 40_000 && bytes! < 41_500, place!);
      assert.ok(expires! > store.clock.now() + 29 * dayMs, place!);
      assert.ok(full.storage.isFull(account));
      await full.screenHistory.append(account, new Map([[robot, [screen()]]]));
      assert.equal((await ids()).length, 5);
      await full.robots.remove(account, robot);
      assert.equal(await store.connections.commands.hget(accountKeys.stored(account), storedPlaces.screens(robot)), null);
    } finally {
      await full.close();
    }
  });

  it('that a later release wrote and this one cannot read are left out', async () => {
    const readable = screen();
    await append([readable]);
    await store.connections.commands.lpush(accountKeys.screens(account, robot), `${Math.floor(store.clock.now())} {"v":99,"id":"s-later"}`);
    assert.deepEqual(await ids(), [readable.id]);
  });
});
