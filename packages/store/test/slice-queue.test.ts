import assert from 'node:assert/strict';
import { SliceQueue } from '../src/redis/slice-queue.js';

describe('SliceQueue', () => {
  it('runs one slice at a time, round robin over the accounts', async () => {
    const queue = new SliceQueue();
    const order: string[] = [];
    let running = 0;
    const read = (name: string) => async (): Promise<void> => {
      assert.equal((running += 1), 1);
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    const wanted = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
    await Promise.all(wanted.map((name) => queue.run(name[0]!, name, read(name))));
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('runs equal pending slices once, and never returns data that was read before the request', async () => {
    const queue = new SliceQueue();
    let reads = 0;
    let asked!: Promise<number>;
    const read = async (): Promise<number> => {
      reads += 1;
      if (reads === 1) asked = queue.run('a', 'same', read);
      return reads;
    };
    assert.deepEqual(await Promise.all([queue.run('a', 'same', read), queue.run('a', 'same', read)]), [1, 1]);
    assert.equal(await asked, 2);
    assert.equal(await queue.run('b', 'same', read), 3);
  });

  it('rejects a slice whose read fails, and continues with the next', async () => {
    const queue = new SliceQueue();
    const failing = queue.run('a', '1', () => Promise.reject(new Error('no Redis')));
    const next = queue.run('a', '2', async () => 'read');
    await assert.rejects(failing, /no Redis/);
    assert.equal(await next, 'read');
  });

  it('lets the event loop handle timers and input between slices', async () => {
    const queue = new SliceQueue();
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const busy = async (): Promise<void> => {
      const until = performance.now() + 5;
      while (performance.now() < until);
    };
    await Promise.all(Array.from({ length: 10 }, (_, i) => queue.run('a', String(i), busy)));
    clearInterval(timer);
    assert.ok(ticks >= 10, `${ticks} ticks`);
  });
});
