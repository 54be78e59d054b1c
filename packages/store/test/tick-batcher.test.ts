import assert from 'node:assert/strict';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { TickBatcher } from '../src/redis/batching.js';

/** The batch runs one event-loop iteration later, after the poll phase. */
const nextTick = async (): Promise<void> => {
  await nextIteration();
  await nextIteration();
};

describe('TickBatcher', () => {
  it('runs queued callbacks in order, then the flushes, in one tick', async () => {
    const batcher = new TickBatcher();
    const done: string[] = [];
    batcher.flushLast(() => done.push('last'));
    batcher.enqueue(() => {
      done.push('first');
      batcher.flushLast(() => done.push('last of the first'));
      batcher.enqueue(() => done.push('queued by the first'));
    });
    batcher.enqueue(() => done.push('second'));
    assert.deepEqual(done, []);
    await nextTick();
    assert.deepEqual(done, ['first', 'second', 'queued by the first', 'last', 'last of the first']);
  });

  it('runs another batch for callbacks that are queued later', async () => {
    const batcher = new TickBatcher();
    let count = 0;
    batcher.enqueue(() => (count += 1));
    await nextTick();
    batcher.flushLast(() => batcher.enqueue(() => (count += 1)));
    await nextTick();
    await nextTick();
    assert.equal(count, 2);
  });

  it('runs the other callbacks and the batches after it when one callback throws, and reports the exception as uncaught', async () => {
    const listeners = process.listeners('uncaughtException');
    const uncaught: string[] = [];
    process.removeAllListeners('uncaughtException').on('uncaughtException', ({ message }) => uncaught.push(message));
    try {
      const batcher = new TickBatcher();
      const done: string[] = [];
      batcher.enqueue(() => {
        throw new Error('first');
      });
      batcher.enqueue(() => done.push('second'));
      batcher.flushLast(() => {
        throw new Error('last');
      });
      batcher.flushLast(() => done.push('flush'));
      await nextTick();
      batcher.enqueue(() => done.push('later batch'));
      await nextTick();
      assert.deepEqual(done, ['second', 'flush', 'later batch']);
      assert.deepEqual(uncaught, ['first', 'last']);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
});
