import assert from 'node:assert/strict';
import { EventTally } from '../src/worker/event-tally.js';
import { sharedNow } from '../src/worker/shared-clock.js';
import { placeOf, tapAt } from '../src/worker/tap-places.js';

function tallyOf(robots: Record<string, 'poll' | 'stream' | 'webhook'>): { tally: EventTally; problems: string[] } {
  const problems: string[] = [];
  const tally = new EventTally((what) => problems.push(what));
  for (const [id, reader] of Object.entries(robots)) tally.robot(id, reader);
  return { tally, problems };
}

function report(tally: EventTally, robot: string, ...numbers: number[]): void {
  tally.sent(
    numbers.map((n) => ({ robot, n, at: sharedNow() })),
    sharedNow(),
  );
}

describe('EventTally', () => {
  it('counts each event that was sent and received once, by its reader', () => {
    const { tally } = tallyOf({ a: 'poll', b: 'stream' });
    for (let n = 1; n <= 1000; n++) {
      report(tally, 'a', n);
      tally.seen('a', 'tap', placeOf(n));
    }
    report(tally, 'b', 1);
    tally.seen('b', 'tap', placeOf(1));
    report(tally, 'a');
    const { poll, stream } = tally.counts();
    assert.deepEqual([poll.sent, poll.seen, poll.doubled, stream.seen], [1000, 1000, 0, 1]);
    assert.deepEqual(tally.missing(), []);
  });

  it('counts an event that a program received before the robots reported it', () => {
    const { tally } = tallyOf({ a: 'poll' });
    const at = sharedNow();
    tally.seen('a', 'tap', placeOf(1));
    assert.deepEqual(tally.total, { sent: 0, seen: 0 });
    tally.sent([{ robot: 'a', n: 1, at }], sharedNow());
    assert.deepEqual(tally.total, { sent: 1, seen: 1 });
  });

  it('keeps an event for the next report if the robots have reported only what came before it', () => {
    const { tally } = tallyOf({ a: 'poll' });
    const before = sharedNow() - 1;
    tally.seen('a', 'tap', placeOf(1));
    tally.sent([], before);
    tally.sent([{ robot: 'a', n: 1, at: before }], sharedNow());
    assert.deepEqual(tally.total, { sent: 1, seen: 1 });
  });

  it('names an event that never came', () => {
    const { tally } = tallyOf({ a: 'poll' });
    report(tally, 'a', 1);
    assert.deepEqual(tally.total, { sent: 1, seen: 0 });
    assert.match(tally.missing()[0]!, /a: event 1 did not come by poll/);
  });

  it('counts an event that a poll returned twice as doubled, also if the robots reported it later', () => {
    for (const isReportedFirst of [true, false]) {
      const { tally, problems } = tallyOf({ a: 'poll' });
      if (isReportedFirst) report(tally, 'a', 1);
      tally.seen('a', 'tap', placeOf(1));
      tally.seen('a', 'tap', placeOf(1));
      report(tally, 'a', ...(isReportedFirst ? [] : [1]));
      assert.equal(tally.counts().poll.doubled, 1);
      assert.match(problems[0]!, /event 1 of a came twice/);
    }
  });

  it('counts a repeated message under the same webhook-id as redelivered, and under another as doubled', () => {
    const { tally } = tallyOf({ a: 'webhook' });
    for (const message of ['msg_1', 'msg_1', 'msg_2']) tally.seen('a', 'tap', placeOf(1), message);
    report(tally, 'a', 1);
    assert.equal(tally.redelivered, 1);
    assert.deepEqual([tally.counts().webhook.seen, tally.counts().webhook.doubled], [1, 1]);
  });

  it('ignores events that it did not send', () => {
    const { tally } = tallyOf({ a: 'poll' });
    tally.seen('a', 'connected', {});
    tally.seen('a', 'tap', { x: 60, y: 170 });
    tally.seen('other', 'tap', { x: 1, y: 0 });
    report(tally, 'a');
    assert.deepEqual(tally.total, { sent: 0, seen: 0 });
  });
});

describe('the place of a tap', () => {
  it('tells the number of the tap', () => {
    for (const n of [1, 319, 320, 76_799]) {
      const { x, y } = placeOf(n);
      assert.equal(tapAt(x, y), n);
    }
  });
});
