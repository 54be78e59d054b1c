import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { SingleFlight } from '../../src/concurrency.js';

describe('SingleFlight', () => {
  it('executes the work once for concurrent calls with one key, and once more for a later call', async () => {
    const flights = new SingleFlight<string, number>();
    let count = 0;
    const work = async (): Promise<number> => {
      await sleep(1);
      return ++count;
    };
    const calls = [flights.run('a', work), flights.run('a', work), flights.run('b', work)];
    assert.equal(flights.size, 2);
    assert.deepEqual(await Promise.all(calls), [1, 1, 2]);
    assert.equal(flights.size, 0);
    assert.equal(await flights.run('a', work), 3);
  });

  it('rejects all callers of a failed execution, and executes the work again for the next', async () => {
    const flights = new SingleFlight<string, string>();
    const failing = async (): Promise<string> => {
      await sleep(1);
      throw new Error('no answer');
    };
    const calls = [flights.run('a', failing), flights.run('a', failing)];
    for (const call of calls) await assert.rejects(call, /no answer/);
    assert.equal(flights.size, 0);
    assert.equal(await flights.run('a', async () => 'answer'), 'answer');
  });
});
