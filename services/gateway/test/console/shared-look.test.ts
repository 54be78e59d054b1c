import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { SharedLook } from '../../src/console/live/shared-poller.js';

describe('a shared look', () => {
  let found = 1;
  let looks = 0;
  let left = 0;
  let fails = false;
  beforeEach(() => {
    [found, looks, left, fails] = [1, 0, 0, false];
  });
  const lookOf = (everyMs = 5): SharedLook<number> =>
    new SharedLook({
      everyMs: () => everyMs,
      look: async () => {
        looks += 1;
        if (fails) throw new Error('away');
        return found;
      },
      compared: String,
      textOf: (value) => `found ${value}`,
      empty: () => (left += 1),
    });

  it('tells who joins what is known, and everybody each change once', async () => {
    const look = lookOf();
    const [first, second]: [string[], string[]] = [[], []];
    const leaveFirst = look.join((text) => first.push(text));
    await until(() => first.length === 1);
    const leaveSecond = look.join((text) => second.push(text));
    assert.deepEqual(second, ['found 1']);
    const before = looks;
    await until(() => looks > before + 2);
    found = 2;
    await until(() => second.length === 2);
    leaveFirst();
    leaveSecond();
    assert.deepEqual([first, second, left], [['found 1', 'found 2'], ['found 1', 'found 2'], 1]);
  });

  it('looks no more when the last one left, and not a second time at once', async () => {
    const look = lookOf();
    const leave = look.join(() => {});
    await until(() => looks >= 2);
    leave();
    leave();
    const after = looks;
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.ok(looks <= after + 1);
    assert.equal(left, 1);
  });

  it('goes on after a look that failed', async () => {
    const look = lookOf();
    const told: string[] = [];
    fails = true;
    const leave = look.join((text) => told.push(text));
    await until(() => looks >= 2);
    fails = false;
    await until(() => told.length === 1);
    leave();
  });

  it('looks at once when it is woken, and again for what changed while it looked', async () => {
    const look = lookOf(60_000);
    const told: string[] = [];
    const leave = look.join((text) => told.push(text));
    await until(() => told.length === 1);
    found = 2;
    look.wake();
    found = 3;
    look.wake();
    await until(() => told.at(-1) === 'found 3');
    assert.equal(looks, 3);
    leave();
  });
});
