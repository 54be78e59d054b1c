import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { SharedPoller } from '../../src/console/robots/robot-lists.js';

describe('SharedPoller', () => {
  let found = 1;
  let polls = 0;
  let emptied = 0;
  let fails = false;
  beforeEach(() => {
    [found, polls, emptied, fails] = [1, 0, 0, false];
  });
  const pollerOf = (intervalMs = 5): SharedPoller<number> =>
    new SharedPoller({
      intervalMs: () => intervalMs,
      poll: async () => {
        polls += 1;
        if (fails) throw new Error('away');
        return found;
      },
      comparable: String,
      format: (value) => `found ${value}`,
      onEmpty: () => (emptied += 1),
    });

  it('sends a new subscriber the last value, and all subscribers each change once', async () => {
    const poller = pollerOf();
    const [first, second]: [string[], string[]] = [[], []];
    const unsubscribeFirst = poller.subscribe((text) => first.push(text));
    await until(() => first.length === 1);
    const unsubscribeSecond = poller.subscribe((text) => second.push(text));
    assert.deepEqual(second, ['found 1']);
    const before = polls;
    await until(() => polls > before + 2);
    found = 2;
    await until(() => second.length === 2);
    unsubscribeFirst();
    unsubscribeSecond();
    assert.deepEqual([first, second, emptied], [['found 1', 'found 2'], ['found 1', 'found 2'], 1]);
  });

  it('stops polling when the last subscriber leaves, and calls onEmpty once', async () => {
    const poller = pollerOf();
    const unsubscribe = poller.subscribe(() => {});
    await until(() => polls >= 2);
    unsubscribe();
    unsubscribe();
    const after = polls;
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.ok(polls <= after + 1);
    assert.equal(emptied, 1);
  });

  it('continues after a failed poll', async () => {
    const poller = pollerOf();
    const received: string[] = [];
    fails = true;
    const unsubscribe = poller.subscribe((text) => received.push(text));
    await until(() => polls >= 2);
    fails = false;
    await until(() => received.length === 1);
    unsubscribe();
  });

  it('polls at once on request, and once more for a change during a poll', async () => {
    const poller = pollerOf(60_000);
    const received: string[] = [];
    const unsubscribe = poller.subscribe((text) => received.push(text));
    await until(() => received.length === 1);
    found = 2;
    poller.pollNow();
    found = 3;
    poller.pollNow();
    await until(() => received.at(-1) === 'found 3');
    assert.equal(polls, 3);
    unsubscribe();
  });
});
