import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { probeAccount, type ActivityBatch, type ScreenRecord } from '@perch/store';
import { ActivityLog, type CallSummary } from '../src/activity/activity-log.js';

describe('the collected activity of a gateway', () => {
  type Shown = ReadonlyMap<string, readonly ScreenRecord[]>;
  interface Options {
    flushMs?: number;
    entriesMax?: number;
    appendScreens?: (account: string, shown: Shown) => Promise<void>;
  }
  function logTo(append: (account: string, batch: ActivityBatch) => Promise<boolean>, { appendScreens, ...options }: Options = {}) {
    const dropped: [reason: string, entries: number][] = [];
    const named: string[][] = [];
    const log = new ActivityLog({
      store: {
        activity: { append } as never,
        screenHistory: { append: appendScreens ?? (() => assert.fail('no screen was shown')) } as never,
        apiKeys: {
          named: async (_account: string, hashes: string[]) => {
            named.push(hashes);
            return new Map(hashes.map((hash) => [hash, { id: `k-${hash}`, name: hash }]));
          },
        } as never,
        clock: { now: () => 1_790_000_000_000 } as never,
      },
      dropped: (reason, entries) => void dropped.push([reason, entries]),
      flushMs: 60_000,
      ...options,
    });
    return { log, dropped, named };
  }

  const call = (more: Partial<CallSummary> = {}): CallSummary => ({
    caller: { account: 'a-1', keyHash: 'h' },
    action: 'face',
    robot: 'r-0123456789',
    via: 'http',
    question: null,
    screens: [],
    replayed: false,
    startedAt: 100,
    ...more,
  });

  it('keeps nothing of the calls of probes', async () => {
    const written: string[] = [];
    const { log } = logTo(async (account) => written.push(account) > 0);
    log.ended(call({ caller: { account: probeAccount.id, keyHash: 'h' } }), 'ok', 150);
    log.ended(call(), 'ok', 150);
    await log.flush();
    assert.deepEqual(written, ['a-1']);
  });

  it('writes the calls of an account with one command, and reads the names of keys once', async () => {
    const batches: [string, ActivityBatch][] = [];
    const { log, named } = logTo(async (account, batch) => batches.push([account, batch]) > 0);
    for (let i = 0; i < 100; i += 1) log.ended(call({ caller: { account: `a-${i % 2}`, keyHash: 'h' } }), 'ok', 150);
    await log.flush();
    log.ended(call({ caller: { account: 'a-0', keyHash: 'h' } }), 'ok', 150);
    await log.flush();
    assert.deepEqual(
      batches.map(([account, { calls }]) => [account, calls.length]),
      [
        ['a-0', 50],
        ['a-1', 50],
        ['a-0', 1],
      ],
    );
    assert.deepEqual(batches[0]![1].calls[0], {
      at: 1_790_000_000_000,
      via: 'http',
      action: 'face',
      outcome: 'ok',
      ms: 50,
      robot: 'r-0123456789',
      key: { id: 'k-h', name: 'h' },
    });
    assert.equal(batches[0]![1].usage.get('k-h')!.calls, 50);
    assert.ok(named.length <= 2, 'names are read once');
  });

  it('records no call without a caller, and no read', async () => {
    const batches: ActivityBatch[] = [];
    const { log } = logTo(async (_account, batch) => batches.push(batch) > 0);
    log.ended(call({ caller: null }), 'unauthorized', 150);
    log.ended(call({ action: 'webhooks' }), 'ok', 150);
    await log.flush();
    assert.equal(batches.length, 0);
    log.ended(call({ action: 'state' }), 'ok', 150);
    await log.flush();
    assert.deepEqual([batches[0]!.calls, batches[0]!.usage.get('k-h')!.calls], [[], 1]);
  });

  it('drops and counts what Redis does not take, and what exceeds the memory while writes are pending', async () => {
    const fail: ((error: Error) => void)[] = [];
    const { log, dropped } = logTo(() => new Promise((_, reject) => fail.push(reject)), { entriesMax: 10 });
    const record = (calls: number): void => {
      for (let i = 0; i < calls; i += 1) log.ended(call(), 'ok', 150);
    };
    record(5);
    const first = log.flush();
    record(4);
    const second = log.flush();
    record(3);
    assert.deepEqual(dropped, [
      ['full', 1],
      ['full', 1],
    ]);
    await until(() => fail.length === 1);
    fail[0]!(new Error('Redis is away'));
    await first;
    assert.deepEqual(dropped.at(-1), ['redis', 5]);
    record(5);
    assert.equal(dropped.length, 3, 'there is room again');
    await until(() => fail.length === 2);
    fail[1]!(new Error('Redis is away'));
    await second;
    assert.deepEqual(dropped.at(-1), ['redis', 4]);
  });

  it('lets each of several readers wait until what was recorded is written', async () => {
    let confirm: (written: boolean) => void = () => {};
    let begun = false;
    const { log } = logTo(() => {
      begun = true;
      return new Promise((resolve) => (confirm = resolve));
    });
    log.ended(call(), 'ok', 150);
    let settled = 0;
    const readers = [1, 2].map(() => log.settle('a-1').then(() => (settled += 1)));
    await until(() => begun);
    await new Promise(setImmediate);
    assert.equal(settled, 0);
    confirm(true);
    await Promise.all(readers);
    assert.equal(settled, 2);
  });

  it('counts refusals that cost nothing in one entry, and each other refusal in its own', async () => {
    const batches: ActivityBatch[] = [];
    const { log } = logTo(async (_account, batch) => batches.push(batch) > 0);
    for (let i = 0; i < 1000; i += 1) log.ended(call({ robot: `r-${String(i).padStart(10, '0')}` }), 'unknown_robot', 150);
    for (let i = 0; i < 3; i += 1) log.ended(call(), 'bad_argument', 150);
    await log.flush();
    const { calls, usage } = batches.at(-1)!;
    assert.deepEqual(
      calls.map(({ outcome, count, robot }) => [outcome, count ?? 1, robot ?? null]),
      [['unknown_robot', 1000, null], ...Array.from({ length: 3 }, () => ['bad_argument', 1, 'r-0123456789'])],
    );
    assert.equal(usage.get('k-h')!.refused, 1003);
  });

  const card = (i: number) => ({ at: i, action: 'show' as const, args: { text: `card ${i}` } });

  it('writes what robots showed beside the entries, of each robot only as many screens as are kept', async () => {
    const screens: [string, Shown][] = [];
    const { log } = logTo(async () => true, { appendScreens: async (account, shown) => void screens.push([account, shown]) });
    for (let i = 0; i < 25; i += 1) log.ended(call({ action: 'show', screens: [card(i)] }), 'ok', 150);
    const asked = { outcome: 'answered' as const, question: 'Tea?', answer: 'ä'.repeat(100), at: { x: 1.4, y: 2 }, tapMs: 900.4 };
    const question = { at: 31, action: 'ask' as const, args: { question: 'Tea?', answers: ['Yes', 'No'] } };
    log.ended(call({ action: 'scene', robot: 'r-9876543210', via: 'page', question: asked, screens: [card(30), question] }), 'ok', 150);
    await log.flush();
    await log.flush();
    assert.deepEqual(
      screens.map(([account, shown]) => [account, [...shown].map(([robot, records]) => [robot, records.length])]),
      [
        [
          'a-1',
          [
            ['r-0123456789', 20],
            ['r-9876543210', 2],
          ],
        ],
      ],
    );
    const [many, scene] = [...screens[0]![1].values()];
    assert.deepEqual(
      many!.map(({ at }) => at),
      Array.from({ length: 20 }, (_, i) => i + 5),
    );
    const { id, ...first } = many![0]!;
    assert.match(id, /^s-[0-9a-f]{18}$/);
    const key = { id: 'k-h', name: 'h' };
    assert.deepEqual(first, { at: 5, action: 'show', via: 'http', outcome: 'ok', args: { text: 'card 5' }, key });
    const [shown, answered] = scene!.map(({ id: _id, ...record }) => record);
    assert.deepEqual(shown, { at: 30, action: 'show', via: 'page', outcome: 'ok', args: { text: 'card 30' } });
    const answer = `${'ä'.repeat(79)}…`;
    assert.deepEqual(answered, { ...question, via: 'page', outcome: 'answered', answer, x: 1, y: 2, tapMs: 900 });
  });

  it('drops and counts screens that Redis does not take, and those beyond the memory', async () => {
    const { log, dropped } = logTo(async () => true, { entriesMax: 6, appendScreens: () => Promise.reject(new Error('Redis is away')) });
    const robot = (i: number): string => `r-000000000${i}`;
    for (let i = 0; i < 4; i += 1) log.ended(call({ action: 'show', robot: robot(i), screens: [card(i)] }), 'ok', 150);
    // Three calls with their screens fill the memory.
    assert.deepEqual(dropped, [
      ['full', 1],
      ['full', 1],
    ]);
    await log.flush();
    assert.deepEqual(dropped.at(-1), ['redis', 3], 'the calls are written');
    log.ended(call({ action: 'show', screens: [card(9)] }), 'ok', 150);
    assert.equal(dropped.length, 3, 'there is room again');
  });

  it('keeps neither pictures nor long arguments of what was shown', async () => {
    const screens: Shown[] = [];
    const { log } = logTo(async () => true, { appendScreens: async (_account, shown) => void screens.push(shown) });
    const base64 = 'iVBORw0KGgo'.repeat(1000);
    const upload = 'p-0123456789abcdefghjk';
    const items = [
      'Soup',
      { label: 'Pizza', image: base64 },
      { label: 'Tea', image: 'https://example.com/tea.png' },
      { label: 'Pie', image: upload },
    ];
    const shown = [
      { at: 1, action: 'show' as const, args: { image: base64, background: 'red' } },
      { at: 2, action: 'show' as const, args: { image: upload } },
      { at: 3, action: 'menu' as const, args: { items } },
      { at: 4, action: 'show' as const, args: { text: 'é'.repeat(4100) } },
    ];
    log.ended(call({ action: 'scene', screens: shown }), 'ok', 150);
    await log.flush();
    assert.deepEqual(
      screens[0]!.get('r-0123456789')!.map(({ args, lacks }) => [args, lacks]),
      [
        [{ background: 'red' }, ['image']],
        [{ image: upload }, undefined],
        [{ items: ['Soup', { label: 'Pizza' }, { label: 'Tea' }, { label: 'Pie', image: upload }] }, ['items[1].image', 'items[2].image']],
        [null, undefined],
      ],
    );
  });

  it('flushes by itself after its interval, and at once when many entries wait', async () => {
    const written: number[] = [];
    const append = async (_account: string, { calls }: ActivityBatch): Promise<boolean> => written.push(calls.length) > 0;
    const timed = logTo(append, { flushMs: 10 });
    timed.log.ended(call(), 'ok', 150);
    await until(() => written.length === 1);
    const { log } = logTo(append);
    for (let i = 0; i < 2000; i += 1) log.ended(call(), 'ok', 150);
    await until(() => written.length === 2);
    assert.deepEqual(written, [1, 2000]);
  });
});
