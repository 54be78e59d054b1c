import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { mock } from 'node:test';
import { Pace } from '../src/api/pace.js';

const intervalMs = 40;
/** Lets promises settle; timers stand still. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('pace of requests', () => {
  const { signal } = new AbortController();
  let pace: Pace;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    pace = new Pace(intervalMs);
  });
  afterEach(() => mock.timers.reset());

  async function afterMs(ms: number): Promise<void> {
    mock.timers.tick(ms);
    await settled();
  }

  it('lets the first call pass at once, and the others in order, one in each interval', async () => {
    const passed: number[] = [];
    for (const call of [0, 1, 2, 3]) void pace.next(signal).then(() => passed.push(call));
    await settled();
    assert.deepEqual(passed, [0]);
    for (const expected of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
    ]) {
      await afterMs(intervalMs - 1);
      assert.deepEqual(passed, expected.slice(0, -1));
      await afterMs(1);
      assert.deepEqual(passed, expected);
    }
  });

  it('lets a call pass at once after an interval without calls', async () => {
    await pace.next(signal);
    await afterMs(2 * intervalMs);
    await pace.next(signal);
  });

  it('rejects an aborted call, which takes no interval from the calls behind it', async () => {
    await pace.next(signal);
    const gone = new AbortController();
    // Node warns of more than 10 waiting calls.
    setMaxListeners(50, gone.signal);
    const aborted = Array.from({ length: 50 }, () => pace.next(gone.signal));
    const next = pace.next(signal);
    gone.abort(new Error('the page was left'));
    for (const call of aborted) await assert.rejects(call, /the page was left/);
    await assert.rejects(pace.next(gone.signal), /the page was left/);
    await afterMs(intervalMs);
    await next;
  });
});
