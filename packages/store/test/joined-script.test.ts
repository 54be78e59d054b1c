import assert from 'node:assert/strict';
import { StoreError } from '../src/redis/errors.js';
import { JoinedScript, TickBatcher } from '../src/redis/batching.js';

const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });
const outOfMemory = (): StoreError => new StoreError('unavailable', 'full', { cause: reply('OOM command not allowed') });

describe('JoinedScript', () => {
  const joined = (run: (items: readonly number[]) => Promise<readonly number[]>, isCluster = false) => {
    const ran: (readonly number[])[] = [];
    const redis = { batcher: new TickBatcher(), isCluster };
    const script = new JoinedScript<number, number>(redis, async (items) => {
      ran.push(items);
      return run(items);
    });
    return { ran, all: (items: readonly number[]) => Promise.allSettled(items.map((item) => script.ask(item))) };
  };
  const double = async (items: readonly number[]): Promise<number[]> => items.map((item) => 2 * item);
  const values = (results: PromiseSettledResult<number>[]) => results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'));

  it('runs one script for all items of an iteration, at most 64, and one for each on a Cluster', async () => {
    const items = Array.from({ length: 70 }, (_, i) => i);
    const single = joined(double);
    assert.deepEqual(values(await single.all(items)), await double(items));
    assert.deepEqual(values(await single.all([1])), [2]);
    assert.deepEqual(
      single.ran.map(({ length }) => length),
      [64, 6, 1],
    );
    const cluster = joined(double, true);
    assert.deepEqual(values(await cluster.all([1, 2, 3])), [2, 4, 6]);
    assert.equal(cluster.ran.length, 3);
  });

  it('runs the items alone when a full Redis refuses them together, and fails only those that it refuses again', async () => {
    const { ran, all } = joined(async (items) => {
      if (items.includes(2)) throw outOfMemory();
      return double(items);
    });
    assert.deepEqual(values(await all([1, 2, 3])), [2, 'failed', 6]);
    assert.deepEqual(ran, [[1, 2, 3], [1], [2], [3]]);
  });

  it('runs nothing twice after another error', async () => {
    const { ran, all } = joined(async () => {
      throw new StoreError('unavailable', 'late', { cause: new Error('Command timed out') });
    });
    assert.deepEqual(values(await all([1, 2])), ['failed', 'failed']);
    assert.equal(ran.length, 1);
  });
});
