import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { ActivityBatch } from '@perch/store';
import { ActivityLog, type EndedCall } from '../src/activity/activity-log.js';

describe('the collected activity of a gateway', () => {
  function logTo(append: (account: string, batch: ActivityBatch) => Promise<boolean>, options: { flushMs?: number; entriesMax?: number } = {}) {
    const dropped: [reason: string, entries: number][] = [];
    const named: string[][] = [];
    const log = new ActivityLog({
      store: {
        activity: { append } as never,
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

  const call = (more: Partial<EndedCall> = {}): EndedCall => ({
    caller: { account: 'a-1', keyHash: 'h' },
    action: 'face',
    robot: 'r-0123456789',
    via: 'http',
    question: null,
    replayed: false,
    startedAt: 100,
    ...more,
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
