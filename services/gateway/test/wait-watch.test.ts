import assert from 'node:assert/strict';
import type { Store, StoredWait } from '@perch/store';
import { WaitWatch } from '../src/waits/wait-watch.js';

type Wake = Parameters<Store['waits']['subscribe']>[1];

const armed = { bootId: 'b', ms: 1, seq: 1, deadline: 5000 };
const answered = { outcome: { outcome: 'answered', index: 0, x: 1, y: 1 } as const, robotAway: true };
const open = { record: { number: 7 }, armed: null, outcome: null, robotAway: false } as unknown as StoredWait;

describe('WaitWatch', () => {
  let wake: Wake;
  let unsubscribed: number;
  let watch: WaitWatch;
  beforeEach(() => {
    unsubscribed = 0;
    const subscribe = (_robot: string, given: Wake): Promise<() => void> => ((wake = given), Promise.resolve(() => void (unsubscribed += 1)));
    watch = new WaitWatch({ subscribe }, 'r-1', 7);
  });

  it('returns the state as messages changed it, each once, and null when none arrived', () => {
    assert.equal(watch.newsOf(open), null);
    wake(7, { armed });
    const first = watch.newsOf(open)!;
    assert.deepEqual(first, { ...open, armed });
    assert.equal(watch.newsOf(first), null);
    wake(7, answered);
    assert.deepEqual(watch.newsOf(first), { ...open, armed, ...answered });
  });

  it('returns null after a message without the state, and when messages may have been lost, until the wait was read', () => {
    for (const lost of [7, null]) {
      wake(7, { armed });
      wake(lost, null);
      assert.equal(watch.newsOf(open), null);
    }
    wake(7, answered);
    assert.deepEqual(watch.newsOf(open)?.outcome, answered.outcome);
  });

  it('returns null after an end whose arming it has not received', () => {
    wake(7, answered);
    assert.equal(watch.newsOf(open), null);
  });

  it('ignores messages about other waits', async () => {
    wake(6, answered);
    wake(8, null);
    assert.equal(watch.newsOf(open), null);
    assert.equal(await watch.changed.wait(0), false);
  });

  it('unsubscribes also if it ends before the subscription is confirmed', async () => {
    watch.end();
    await watch.ready();
    assert.equal(unsubscribed, 1);
  });
});
