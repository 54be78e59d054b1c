import assert from 'node:assert/strict';
import type { Armed, WaitOutcome } from '@perch/schema';
import { StoreError, type Store, type StoredWait } from '@perch/store';
import { until } from '@perch/testkit';
import { WaitWatch, type FollowOptions, type Step } from '../src/waits/wait-watch.js';

type Wake = Parameters<Store['waits']['subscribe']>[1];

const armed: Armed = { bootId: 'b', ms: 1, seq: 1, deadline: 5000 } as Armed;
const answered = { outcome: { outcome: 'answered', index: 0, x: 1, y: 1 } as WaitOutcome, robotAway: true };
const waitOf = (number: number, more: object = {}): StoredWait =>
  ({ record: { number }, armed: null, outcome: null, robotAway: false, ...more }) as unknown as StoredWait;
const open = waitOf(7);

/** Redis as a watch sees it: the test says what is stored, sends messages and counts the reads. */
class WaitsUnderTest {
  stored: StoredWait | null | Error = open;
  reads: number[] = [];
  unsubscribed = 0;
  wake!: Wake;

  subscribe(_robot: string, wake: Wake): Promise<() => void> {
    this.wake = wake;
    return Promise.resolve(() => void (this.unsubscribed += 1));
  }

  async read(_robot: string, number: number): Promise<StoredWait | null> {
    this.reads.push(number);
    if (this.stored instanceof Error) throw this.stored;
    return this.stored;
  }
}

describe('WaitWatch', () => {
  let waits: WaitsUnderTest;
  let states: (StoredWait | null)[];
  beforeEach(() => {
    waits = new WaitsUnderTest();
    states = [];
  });

  /** Looks only when a message says so, and ends with the outcome, or when the wait does not exist. */
  const untilEnd = async (state: StoredWait | null): Promise<Step<StoredWait | null>> => {
    states.push(state);
    return state === null || state.outcome !== null ? { result: state } : { lookInMs: 600_000 };
  };
  const follow = (watch: WaitWatch, options: Partial<FollowOptions<StoredWait | null>> = {}): Promise<StoredWait | null> =>
    watch.follow({ signal: new AbortController().signal, step: untilEnd, ...options });
  function followOpen(options: Partial<FollowOptions<StoredWait | null>> = {}): Promise<StoredWait | null> {
    const watch = new WaitWatch(waits, 'r-1', null);
    watch.opens(7);
    return follow(watch, { from: { state: open, lookInMs: 600_000 }, ...options });
  }

  it('applies messages to the state that is known, without a read', async () => {
    const following = followOpen();
    waits.wake(7, { armed });
    await until(() => states.length === 1);
    assert.deepEqual(states[0], { ...open, armed });
    waits.wake(7, answered);
    assert.deepEqual(await following, { ...open, armed, ...answered });
    assert.deepEqual([waits.reads, waits.unsubscribed], [[], 1]);
  });

  it('reads after a message without the state, and when messages may have been lost', async () => {
    const following = followOpen();
    waits.wake(7, { armed });
    waits.wake(7, null);
    await until(() => states.length === 1);
    assert.deepEqual([states[0], waits.reads], [open, [7]]);
    waits.stored = waitOf(7, answered);
    waits.wake(7, answered);
    waits.wake(null, null);
    assert.equal(await following, waits.stored);
    assert.deepEqual(waits.reads, [7, 7]);
  });

  it('reads after an end whose arming it has not received', async () => {
    waits.stored = waitOf(7, { armed, ...answered });
    const following = followOpen();
    waits.wake(7, answered);
    assert.equal(await following, waits.stored);
  });

  it('ignores messages about other waits, also before its wait has a number', async () => {
    const watch = new WaitWatch(waits, 'r-1', null);
    waits.wake(7, { armed });
    watch.opens(7);
    const following = follow(watch, { from: { state: open, lookInMs: 600_000 } });
    waits.wake(6, answered);
    waits.wake(8, null);
    waits.wake(7, { armed });
    waits.wake(7, answered);
    assert.deepEqual(await following, { ...open, armed, ...answered });
    assert.deepEqual([states.length, waits.reads], [1, []]);
  });

  it('reads at once if no state is known, and ends when the wait does not exist', async () => {
    waits.stored = null;
    assert.equal(await follow(new WaitWatch(waits, 'r-1', 7)), null);
    assert.deepEqual(waits.reads, [7]);
  });

  it('follows a question of the queue under the number that it opened as, whose first message it does not miss', async () => {
    waits.stored = waitOf(7, { queued: true });
    const following = follow(new WaitWatch(waits, 'r-1', 7));
    await until(() => states.length === 1);
    waits.stored = waitOf(9);
    waits.wake(9, { armed });
    await until(() => states.length === 2);
    assert.deepEqual(states[1], waits.stored, 'a message about a wait that was not read is no state of it');
    waits.wake(10, answered);
    waits.wake(9, { armed });
    waits.wake(9, answered);
    assert.deepEqual(await following, { ...waitOf(9), armed, ...answered });
    assert.deepEqual(waits.reads, [7, 7]);
  });

  it('looks at the time that its step names, and when the call is given up', async () => {
    const looks: number[] = [];
    const givenUp = new AbortController();
    const step = async (state: StoredWait | null): Promise<Step<StoredWait | null>> => {
      looks.push(performance.now());
      if (givenUp.signal.aborted) return { result: state };
      if (looks.length === 2) setImmediate(() => givenUp.abort());
      return { lookInMs: looks.length === 1 ? 50 : 600_000 };
    };
    await follow(new WaitWatch(waits, 'r-1', 7), { step, givenUp: givenUp.signal });
    assert.equal(looks.length, 3);
    assert.ok(looks[1]! - looks[0]! >= 49, `${looks[1]! - looks[0]!} ms`);
  });

  it('rejects with the reason when its call is aborted, and unsubscribes', async () => {
    const abort = new AbortController();
    const following = follow(new WaitWatch(waits, 'r-1', 7), { signal: abort.signal });
    await until(() => states.length === 1);
    const reason = new Error('the key was revoked');
    abort.abort(reason);
    await assert.rejects(following, reason);
    await until(() => waits.unsubscribed === 1);
  });

  it('continues while Redis is unreachable for less than 3 s, and fails after that, but at once for other errors', async () => {
    const away = (): StoreError => new StoreError('unavailable', 'Redis did not answer.');
    waits.stored = away();
    const following = follow(new WaitWatch(waits, 'r-1', 7));
    await until(() => waits.reads.length === 3);
    waits.stored = waitOf(7, answered);
    assert.equal(await following, waits.stored);
    waits.stored = away();
    const since = performance.now();
    await assert.rejects(follow(new WaitWatch(waits, 'r-1', 7)), waits.stored);
    assert.ok(performance.now() - since > 3_000);
    waits.stored = new Error('a bug');
    await assert.rejects(follow(new WaitWatch(waits, 'r-1', 7)), waits.stored);
  });

  it('unsubscribes also if it ends before the subscription is confirmed', async () => {
    const watch = new WaitWatch(waits, 'r-1', 7);
    watch.end();
    await watch.ready();
    assert.equal(waits.unsubscribed, 1);
  });
});
