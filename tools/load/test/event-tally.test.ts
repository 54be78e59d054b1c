import assert from 'node:assert/strict';
import { EventTally } from '../src/worker/event-tally.js';

function tallyOf(robots: Record<string, 'poll' | 'stream' | 'webhook'>): { tally: EventTally; problems: string[] } {
  const problems: string[] = [];
  const tally = new EventTally((what) => problems.push(what));
  for (const [id, reader] of Object.entries(robots)) tally.robot(id, reader);
  return { tally, problems };
}

describe('EventTally', () => {
  it('counts each event that was sent and received once, by its reader', () => {
    const { tally } = tallyOf({ a: 'poll', b: 'stream' });
    for (let i = 0; i < 1000; i++) tally.seen('a', 'tap', tally.sent('a'));
    tally.seen('b', 'tap', tally.sent('b'));
    const { poll, stream } = tally.counts();
    assert.deepEqual([poll.sent, poll.seen, poll.doubled, stream.seen], [1000, 1000, 0, 1]);
    assert.deepEqual(tally.missing(), []);
  });

  it('names an event that never came', () => {
    const { tally } = tallyOf({ a: 'poll' });
    tally.sent('a');
    assert.deepEqual(tally.total, { sent: 1, seen: 0 });
    assert.match(tally.missing()[0]!, /a: event 1 did not come by poll/);
  });

  it('counts an event that a poll returned twice as doubled', () => {
    const { tally, problems } = tallyOf({ a: 'poll' });
    const at = tally.sent('a');
    tally.seen('a', 'tap', at);
    tally.seen('a', 'tap', at);
    assert.equal(tally.counts().poll.doubled, 1);
    assert.match(problems[0]!, /event 1 of a came twice/);
  });

  it('counts a repeated message under the same webhook-id as redelivered, and under another as doubled', () => {
    const { tally } = tallyOf({ a: 'webhook' });
    const at = tally.sent('a');
    for (const message of ['msg_1', 'msg_1', 'msg_2']) tally.seen('a', 'tap', at, message);
    assert.equal(tally.redelivered, 1);
    assert.deepEqual([tally.counts().webhook.seen, tally.counts().webhook.doubled], [1, 1]);
  });

  it('ignores events that it did not send', () => {
    const { tally } = tallyOf({ a: 'poll' });
    tally.seen('a', 'connected', {});
    tally.seen('a', 'tap', { x: 60, y: 170 });
    tally.seen('other', 'tap', { x: 1, y: 0 });
    assert.deepEqual(tally.total, { sent: 0, seen: 0 });
  });
});
