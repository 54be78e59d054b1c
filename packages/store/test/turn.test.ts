import assert from 'node:assert/strict';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { TickBatcher } from '../src/redis/tick-batcher.js';

/** What ends a turn comes one look at the sockets later. */
const nextTurn = async (): Promise<void> => {
  await turnOfLoop();
  await turnOfLoop();
};

describe('the end of a turn', () => {
  it('does what was put off in order, what came last behind all of it, in one go', async () => {
    const turn = new TickBatcher();
    const done: string[] = [];
    turn.flushLast(() => done.push('last'));
    turn.enqueue(() => {
      done.push('first');
      turn.flushLast(() => done.push('last of the first'));
      turn.enqueue(() => done.push('put off by the first'));
    });
    turn.enqueue(() => done.push('second'));
    assert.deepEqual(done, []);
    await nextTurn();
    assert.deepEqual(done, ['first', 'second', 'put off by the first', 'last', 'last of the first']);
  });

  it('comes again for what is put off later', async () => {
    const turn = new TickBatcher();
    let count = 0;
    turn.enqueue(() => (count += 1));
    await nextTurn();
    turn.flushLast(() => turn.enqueue(() => (count += 1)));
    await nextTurn();
    await nextTurn();
    assert.equal(count, 2);
  });

  it('runs the other callbacks and the batches after it when one callback throws, and reports the exception as uncaught', async () => {
    const listeners = process.listeners('uncaughtException');
    const uncaught: string[] = [];
    process.removeAllListeners('uncaughtException').on('uncaughtException', ({ message }) => uncaught.push(message));
    try {
      const turn = new TickBatcher();
      const done: string[] = [];
      turn.enqueue(() => {
        throw new Error('first');
      });
      turn.enqueue(() => done.push('second'));
      turn.flushLast(() => {
        throw new Error('last');
      });
      turn.flushLast(() => done.push('flush'));
      await nextTurn();
      turn.enqueue(() => done.push('later batch'));
      await nextTurn();
      assert.deepEqual(done, ['second', 'flush', 'later batch']);
      assert.deepEqual(uncaught, ['first', 'last']);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
  });
});
