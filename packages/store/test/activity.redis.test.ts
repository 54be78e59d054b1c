import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { UsageTally, type ActivityEntry, type ActivityPage, type ActivityQuery, type Store } from '../src/index.js';
import { Activity } from '../src/activity/activity.js';
import { usageFieldsMax } from '../src/activity/usage.js';
import { accountKeys } from '../src/redis/keys.js';
import { closeStores, testStore } from './fixtures.js';

describe('the activity of an account in the store', () => {
  let store: Store;
  let account: string;
  let activity: Activity;
  let day: number | undefined;
  before(async () => {
    store = await testStore();
  });
  beforeEach(async () => {
    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
    activity = new Activity(store.connections, store.clock);
  });
  after(closeStores);

  const entry = (action: string, more: Partial<ActivityEntry> = {}): ActivityEntry => ({
    at: Math.floor(store.clock.now()),
    via: 'http',
    action,
    outcome: 'ok',
    ...more,
  });
  const write = (calls: ActivityEntry[], changes: ActivityEntry[] = []) => activity.append(account, { calls, changes, usage: new Map() });
  const read = (query: Partial<ActivityQuery> = {}): Promise<ActivityPage> =>
    activity.read(account, { after: null, before: null, limit: 100, kind: null, accept: () => true, ...query });
  const actionsOf = ({ entries }: ActivityPage): string[] => entries.map(({ action }) => action);

  it('returns entries as they were written, calls and changes numbered together in ascending order', async () => {
    const key = { id: 'k-1', name: 'Küche' };
    const asked = { key, robot: 'r-0123456789', ms: 1234, question: 'Tea?', answer: 'Yes', x: 1, y: 2, tapMs: 900, count: 3 };
    const changed = { via: 'page' as const, network: '127.0.0.1', subject: 'k-2' };
    await write([entry('ask', asked), entry('face')], [entry('key_create', changed)]);
    await write([entry('leds')]);
    const page = await read();
    assert.deepEqual(actionsOf(page), ['key_create', 'ask', 'face', 'leds']);
    const [change, first] = page.entries;
    assert.deepEqual(first, { seq: first!.seq, kind: 'calls', ...entry('ask', { ...asked, at: first!.at }) });
    assert.deepEqual(change, {
      seq: change!.seq,
      kind: 'changes',
      ...entry('key_create', { ...changed, at: change!.at }),
    });
    assert.equal(new Set(page.entries.map(({ seq }) => seq)).size, 4);
    assert.deepEqual([page.lastSeq, page.nextBefore], [page.entries[3]!.seq, null]);
  });

  it('reads all entries in pages, backward and forward, without a gap or a repetition', async () => {
    const names = Array.from({ length: 260 }, (_, i) => `a${i}`);
    for (let at = 0; at < names.length; at += 26) {
      const part = names.slice(at, at + 26).map((name) => entry(name));
      await write(part.slice(6), part.slice(0, 6));
    }
    const all = (await read({ limit: 1000 })).entries;
    assert.deepEqual(actionsOf({ entries: all } as ActivityPage), names);
    for (const limit of [1, 7, 60, 260]) {
      const back: string[] = [];
      for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
        const page = await read({ before, limit });
        assert.ok(page.entries.length <= limit);
        back.unshift(...actionsOf(page));
        before = page.nextBefore;
      }
      assert.deepEqual(back, names, `backward by ${limit}`);
      const on: string[] = [];
      for (let after = 0; ;) {
        const page = await read({ after, limit });
        if (page.entries.length === 0) break;
        on.push(...actionsOf(page));
        assert.ok(page.lastSeq > after);
        after = page.lastSeq;
      }
      assert.deepEqual(on, names, `forward by ${limit}`);
    }
    const exported: string[] = [];
    for await (const entries of activity.all(account)) exported.push(...entries.map(({ action }) => action));
    assert.deepEqual(exported, names);
  });

  it('filters by kind and by a function, and the next page starts after the last entry that was read', async () => {
    for (let i = 0; i < 20; i += 1) await write([entry(i % 5 === 0 ? 'ask' : 'leds', { robot: `r${i}` })], [entry('sign_in')]);
    assert.deepEqual(
      (await read({ accept: ({ action }) => action === 'ask' })).entries.map(({ robot }) => robot),
      ['r0', 'r5', 'r10', 'r15'],
    );
    assert.equal((await read({ kind: 'changes' })).entries.length, 20);
    const one = await read({ accept: ({ action }) => action === 'ask', limit: 1 });
    assert.equal(one.entries[0]!.robot, 'r15');
    const next = await read({ accept: ({ action }) => action === 'ask', limit: 1, before: one.nextBefore });
    assert.equal(next.entries[0]!.robot, 'r10');
  });

  it('looks at a bounded number of entries in one read, and says where to continue', async () => {
    await write([entry('rare')]);
    for (let i = 0; i < 11; i += 1) await write(Array.from({ length: 500 }, () => entry('often')));
    const accept = ({ action }: ActivityEntry): boolean => action === 'rare';
    const first = await read({ accept });
    assert.deepEqual(first.entries, []);
    assert.notEqual(first.nextBefore, null);
    const second = await read({ accept, before: first.nextBefore });
    assert.deepEqual([actionsOf(second), second.nextBefore], [['rare'], null]);
  });

  it('keeps at most its bytes of calls and of changes, dropping the oldest, and no number of calls displaces a change', async () => {
    activity = new Activity(store.connections, store.clock, { calls: 20_000, changes: 20_000 });
    await write([], [entry('sign_in')]);
    for (let i = 0; i < 60; i += 1) await write(Array.from({ length: 10 }, () => entry('leds', { question: 'q'.repeat(100), ms: i })));
    const { commands } = store.connections;
    const [stored, left] = await Promise.all([
      commands.xrange(accountKeys.activityCalls(account), '-', '+'),
      commands.hget(accountKeys.activityHead(account), 'calls'),
    ]);
    const bytes = stored.reduce((sum, [, fields]) => sum + fields[3]!.length + 48, 0);
    assert.ok(bytes <= 20_000 && bytes > 15_000, `${bytes} bytes`);
    assert.equal(Number(left), bytes, 'the head counts what is stored');
    const page = await read({ limit: 1000 });
    assert.equal(page.entries[0]!.action, 'sign_in');
    assert.equal(page.entries.at(-1)!.ms, 59);
  });

  it('drops entries older than 30 days with the next append, does not return them meanwhile, and expires with the last entry', async () => {
    const { commands } = store.connections;
    const stream = accountKeys.activityCalls(account);
    const old = Math.floor(store.clock.now()) - 30 * 86_400_000 - 1000;
    await commands.xadd(stream, `${old}-0`, 'n', '1', 'e', JSON.stringify({ e: [{ t: old, v: 'http', a: 'old', o: 'ok' }] }));
    assert.deepEqual(actionsOf(await read()), []);
    assert.deepEqual(actionsOf(await read({ after: 0 })), []);
    await write([entry('new')]);
    assert.equal(await commands.xlen(stream), 1);
    assert.deepEqual(actionsOf(await read({ after: 0 })), ['new']);
    for (const key of [stream, accountKeys.activityHead(account)]) {
      const ttl = await commands.pttl(key);
      assert.ok(ttl > 29 * 86_400_000 && ttl <= 30 * 86_400_000, `${key}: ${ttl}`);
    }
  });

  it('writes nothing for an account that does not exist or is being removed', async () => {
    activity = new Activity(store.connections, { now: noon });
    const usage = new Map([['k-1', counts({ calls: 1 })]]);
    const batch = { calls: [entry('face')], changes: [], usage };
    await store.connections.commands.hset(accountKeys.record(account), 'removing', '1');
    for (const each of [account, 'a-0000000000']) {
      assert.equal(await activity.append(each, batch), false);
      const keys = [accountKeys.activityHead(each), accountKeys.activityCalls(each), accountKeys.usage(each, today())];
      for (const key of keys) assert.equal(await store.connections.commands.exists(key), 0, key);
    }
  });

  // The day does not change between two batches, nor between a write and its read.
  const noon = (): number => (day ??= Math.floor(store.clock.now() / 86_400_000)) * 86_400_000 + 43_200_000;

  it('adds the usage of each key and day, with the median time to tap', async () => {
    activity = new Activity(store.connections, { now: noon });
    const first = counts({ calls: 3, refused: 1, asked: 2, answered: 2 });
    for (const ms of [800, 900]) first.tapped(ms);
    const second = counts({ calls: 1, asked: 1, answered: 1 });
    second.tapped(60_000);
    const page = counts({ calls: 5 });
    for (const usage of [
      new Map([['k-1', first]]),
      new Map([
        ['k-1', second],
        ['page', page],
      ]),
    ])
      await activity.append(account, { calls: [], changes: [], usage });
    const [found, ...others] = await activity.usage(account);
    assert.deepEqual(others, []);
    assert.equal(found!.day, today());
    const [k1, pages] = found!.keys;
    assert.ok(k1!.tapMs! > 900 * 0.92 && k1!.tapMs! < 900 * 1.08, `${k1!.tapMs} ms`);
    assert.deepEqual({ ...k1, tapMs: null }, { key: 'k-1', calls: 4, refused: 1, asked: 3, answered: 3, tapMs: null });
    assert.deepEqual(pages, { key: 'page', calls: 5, refused: 0, asked: 0, answered: 0, tapMs: null });
  });

  it('counts keys beyond the limit of fields together', async () => {
    const { commands } = store.connections;
    activity = new Activity(store.connections, { now: noon });
    const keys = Array.from({ length: usageFieldsMax + 10 }, (_, i) => `k-${i}`);
    for (let at = 0; at < keys.length; at += 10) {
      const usage = new Map(keys.slice(at, at + 10).map((key) => [key, counts({ calls: 1 })]));
      await activity.append(account, { calls: [], changes: [], usage });
    }
    assert.ok((await commands.hlen(accountKeys.usage(account, today()))) <= usageFieldsMax + 4);
    const [found] = await activity.usage(account);
    assert.equal(found!.keys.find(({ key }) => key === 'other')!.calls, 10);
  });

  it('sends the calls of a key with at most 6 bytes besides its id', async () => {
    const { script } = store.connections;
    let bytes = 0;
    const counting: typeof script = (name, keys, args) => {
      bytes += args.slice(6).reduce<number>((sum, text) => sum + String(text).length, 0);
      return script(name, keys, args);
    };
    activity = new Activity({ ...store.connections, commands: store.connections.commands, script: counting }, { now: noon });
    const ids = Array.from({ length: 50 }, (_, i) => `k-${String(i).padStart(10, '0')}`);
    await activity.append(account, { calls: [], changes: [], usage: new Map(ids.map((id) => [id, counts({ calls: 12 })])) });
    assert.ok(bytes <= ids.length * (12 + 6), `${bytes / ids.length} bytes a key`);
    const [found] = await activity.usage(account);
    assert.deepEqual(
      found!.keys.map(({ key, calls, refused }) => [key, calls, refused]),
      ids.map((id) => [id, 12, 0]),
    );
  });

  it('takes one command a batch, whatever its size', async () => {
    const { commands } = store.connections;
    const sent: string[] = [];
    const { script } = store.connections;
    const counting = { ...store.connections, commands, script: ((name, ...rest) => (sent.push(name), script(name, ...rest))) as typeof script };
    const counted = new Activity(counting, store.clock);
    await counted.append(account, { calls: Array.from({ length: 500 }, () => entry('face')), changes: [], usage: new Map() });
    assert.deepEqual(sent, ['activityAppend']);
  });

  function today(): string {
    return new Date(noon()).toISOString().slice(0, 10);
  }
});

function counts(given: Partial<Pick<UsageTally, 'calls' | 'refused' | 'asked' | 'answered'>>): UsageTally {
  return Object.assign(new UsageTally(), given);
}
