import { answerOrEvent } from '../../src/checker/answer-or-event.js';
import { eventsKept } from '../../src/checker/events-kept.js';
import { numbers } from '../../src/checker/numbers.js';
import { readers } from '../../src/checker/readers.js';
import { waits } from '../../src/checker/waits.js';
import type { CallRequest } from '../../src/history/records.js';
import { Track } from '../../src/system/spans.js';
import { breaks, holds } from './prove.js';
import { ask, ended, failed, ok, Story } from './story.js';

const connected = [1, 'connected', {}] as const;
const left = { x: 60.5, y: 170 };
const right = { x: 260.5, y: 170 };
const queuedAsk: CallRequest = { ...ask, expiresMs: 500 };
const expired = ok({ outcome: 'timed_out', timed_out: true, replaced: false, index: null, queued: true });
const tag = (n: number) => ({ uid: `0${n}`, type: 'NTAG213' });

describe('the checker, touches', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
  });

  it('accepts a touch that answered and one that is an event', () => {
    story.call(100, 300, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.gesture(400, 4, 'tap', right);
    story.safe(500, 4);
    story.log([connected, [2, 'tap', right]]);
    holds(answerOrEvent, story);
  });
  it('reports an answer by a touch that began less than 350 ms after its question was on the screen', () => {
    story.call(100, 900, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1', 150, 5000);
    story.gesture(499, 2, 'tap', left, { ms: 5347 });
    story.log([connected]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('accepts an answer by a touch from 350 ms on, and an event of an early one, which says so', () => {
    story.call(100, 900, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1', 150, 5000);
    story.gesture(300, 2, 'tap', right, { ms: 5150 });
    story.gesture(501, 4, 'tap', left, { ms: 5350 });
    story.safe(950, 4);
    story.log([connected, [2, 'tap', { ...right, early: true }]]);
    holds(answerOrEvent, story);
    holds(eventsKept, story);
  });
  it('reports an answer to a question that must be read whole by a touch within its first second, and accepts a later one', () => {
    const approval = { ...ask, approval: true as const };
    for (const [ms, verdict] of [
      [5997, breaks],
      [6000, holds],
    ] as const) {
      story = new Story();
      story.call(100, 1900, approval, ended('answered', 0, 'yes'));
      story.shows(150, 'q1', 150, 5000);
      story.gesture(1200, 2, 'tap', left, { ms });
      story.log([connected]);
      if (verdict === holds) holds(answerOrEvent, story);
      else breaks(answerOrEvent, story, /no touch can have answered it/);
    }
  });
  it('reports a touch that answered and is an event', () => {
    story.call(100, 300, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.safe(500, 2);
    story.log([connected, [2, 'tap', left]]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('reports one touch that answered two waits', () => {
    story.call(100, 300, ask, ended('answered', 0, 'yes'));
    story.call(110, 310, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.safe(500, 2);
    story.log([connected]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('reports an answer that differs from the touched one', () => {
    story.call(100, 300, ask, ended('answered', 1, 'no'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.log([connected]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('reports an answer to a question that was not yet on the screen', () => {
    story.call(100, 300, ask, ended('answered', 0, 'yes'));
    story.shows(250, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.log([connected]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('accepts a touch before the ack of a visible question left, and reports one without an ack', () => {
    story.call(100, 900, ask, ended('answered', 0, 'yes'));
    story.shows(150, 'q1', 600);
    story.gesture(200, 2, 'tap', left);
    story.log([connected]);
    holds(answerOrEvent, story);
    story.history.acks.length = 0;
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('reports a clickmap answered by a tap made before the call, unless network delay can explain it', () => {
    const clickmap = { ...ask, action: 'clickmap' } as CallRequest;
    const hit = {
      how: 'answered',
      status: 200,
      body: { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, region: 'yes', index: 0, ...left },
    } as const;
    story.gesture(200, 2, 'tap', left);
    story.call(400, 500, clickmap, hit);
    story.log([connected]);
    breaks(answerOrEvent, story, /no touch can have answered it/);
    const slow = new Track(0);
    slow.impair(150);
    const well = new Track(0);
    story.evidence = { ...story.evidence, links: new Map([['robot-link-0', { running: well, reachable: slow, served: well }]]) };
    holds(answerOrEvent, story);
    story.history.calls[0] = { ...story.history.calls[0]!, at: 1000, endedAt: 1100 };
    breaks(answerOrEvent, story, /no touch can have answered it/);
  });
  it('reports an acknowledged touch that is neither an answer nor an event', () => {
    story.call(100, 1200, ask, ended('timed_out'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.safe(500, 2);
    story.log([connected]);
    breaks(answerOrEvent, story, /neither an event nor an answer/);
  });
  it('accepts one missing touch for each wait whose answer was not observed', () => {
    story.call(100, 300, ask, failed(503, 'draining'));
    story.shows(150, 'q1');
    story.gesture(200, 2, 'tap', left);
    story.safe(500, 2);
    story.log([connected]);
    holds(answerOrEvent, story);
    story.gesture(210, 4, 'tap', right);
    story.safe(500, 4);
    breaks(answerOrEvent, story, /neither an event nor an answer/);
  });
  it('accepts a missing touch that was never acknowledged', () => {
    story.gesture(200, 2, 'tap', left);
    story.log([connected]);
    holds(answerOrEvent, story);
  });
  it('reports a touch that is two events', () => {
    story.gesture(200, 2, 'tap', left);
    story.log([connected, [2, 'tap', left], [3, 'tap', left]]);
    breaks(answerOrEvent, story, /an event 2 times: 2, 3/);
  });
});

describe('the checker, waits', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
  });

  it('accepts a wait that replaced another, and one that timed out', () => {
    story.call(100, 200, ask, ended('replaced'));
    story.call(190, 1300, ask, ended('timed_out'));
    holds(waits, story);
  });
  it('reports a replaced wait that no other wait can have replaced', () => {
    story.call(100, 200, ask, ended('replaced'));
    story.call(150, 160, ask, failed(429, 'rate_limited'));
    story.call(1000, 2200, ask, ended('timed_out'));
    breaks(waits, story, /there was no other wait/);
  });
  it('reports a wait that timed out too early', () => {
    story.call(100, 900, ask, ended('timed_out'));
    breaks(waits, story, /too early/);
  });
  it('accepts a question of the queue that expired unseen, one that timed out on the screen, and one that was replaced by a wait without queue', () => {
    story.call(100, 600, queuedAsk, expired);
    story.call(700, 2200, queuedAsk, ended('timed_out'));
    story.call(2300, 2900, queuedAsk, ended('replaced'));
    story.call(2800, 3900, ask, ended('timed_out'));
    holds(waits, story);
  });
  it('reports a question of the queue that expired too early', () => {
    story.call(100, 400, queuedAsk, expired);
    breaks(waits, story, /too early/);
  });
  it('reports a wait that only a question of the queue can have replaced', () => {
    story.call(100, 900, ask, ended('replaced'));
    story.call(200, 1500, queuedAsk, ended('timed_out'));
    breaks(waits, story, /there was no other wait/);
  });
  it('reports an answer that says of a question without queue that it was in it', () => {
    story.call(100, 1300, ask, expired);
    breaks(waits, story, /was in the queue/);
  });
  it('reports a wait with two outcomes', () => {
    story.call(100, 1300, ask, {
      how: 'answered',
      status: 200,
      body: { ok: true, outcome: 'timed_out', timed_out: true, replaced: true, robot_away: false, index: null },
    });
    breaks(waits, story, /two ways/);
  });
});

describe('the checker, events', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.gesture(200, 1, 'tag', tag(1));
    story.gesture(300, 2, 'tag', tag(2));
    story.gesture(400, 3, 'button', { press: 'short' }, { unique: false });
    story.gesture(500, 4, 'tag', tag(3));
    story.safe(600, 4);
  });
  const whole = [connected, [2, 'tag', tag(1)], [3, 'tag', tag(2)], [4, 'button', { press: 'short' }], [5, 'tag', tag(3)]] as const;

  describe('no event is lost, doubled, invented or out of order', () => {
    it('accepts a complete log in order', () => {
      story.log(whole);
      holds(eventsKept, story);
    });
    it('reports an acknowledged event that is missing', () => {
      story.log([connected, [2, 'tag', tag(1)], [3, 'button', { press: 'short' }], [4, 'tag', tag(3)]]);
      breaks(eventsKept, story, /acked and is not in the log/);
    });
    it('reports a missing acknowledged event that is not unique', () => {
      story.log([connected, [2, 'tag', tag(1)], [3, 'tag', tag(2)], [4, 'tag', tag(3)]]);
      breaks(eventsKept, story, /the button .* should be event 3/);
    });
    it('reports an event that is logged twice', () => {
      story.log([...whole, [6, 'tag', tag(3)]]);
      breaks(eventsKept, story, /in the log 2 times: 5, 6/);
    });
    it('reports an event that is not unique and logged twice', () => {
      story.log([...whole, [6, 'button', { press: 'short' }]]);
      breaks(eventsKept, story, /out of order/);
    });
    it('reports an event that no gesture made', () => {
      story.log([...whole, [6, 'tag', tag(9)]]);
      breaks(eventsKept, story, /which no gesture made/);
    });
    it('reports events in the wrong order', () => {
      story.log([connected, [2, 'tag', tag(2)], [3, 'tag', tag(1)], [4, 'button', { press: 'short' }], [5, 'tag', tag(3)]]);
      breaks(eventsKept, story, /should be event 1/);
    });
    it('reports more connected events than hellos, or none; a hello without a received welcome counts', () => {
      story.log([...whole, [6, 'connected', {}]]);
      breaks(eventsKept, story, /2 connected after 1 hellos/);
      story.history.hello('r1');
      holds(eventsKept, story);
      const other = new Story();
      other.log([]);
      breaks(eventsKept, other, /has no such event/);
    });
    it('accepts events lost by Redis if the numbers show it, and reports them otherwise', () => {
      story.evidence = { ...story.evidence, loss: { from: 250, to: 450 }, renumbered: true };
      story.log([connected, [2, 'tag', tag(1)], [500, 'tag', tag(3)]]);
      holds(eventsKept, story);
      story.log([connected, [2, 'tag', tag(1)], [3, 'tag', tag(3)]], 91_000);
      breaks(eventsKept, story, /the numbers do not show it/);
    });
    it('reports a lost event that was acknowledged before Redis lost anything', () => {
      story.safe(210, 1);
      story.history.inputAcks.reverse();
      story.evidence = { ...story.evidence, loss: { from: 250, to: 450 }, renumbered: true };
      story.log([connected, [500, 'tag', tag(3)]]);
      breaks(eventsKept, story, /"uid":"01".* acked and is not in the log/);
    });
  });

  describe('event numbers', () => {
    it('accepts consecutive numbers, and jumps after another Redis process took over', () => {
      story.log(whole);
      holds(numbers, story);
      story.evidence = { ...story.evidence, renumbered: true };
      story.log([connected, [500, 'tag', tag(1)]], 91_000);
      holds(numbers, story);
    });
    it('reports a skipped number if no other Redis process took over', () => {
      story.log([connected, [3, 'tag', tag(1)]]);
      breaks(numbers, story, /3 follows 1/);
    });
    it('reports a number that was used twice', () => {
      story.read(700, 'reader', 0, [connected, [2, 'tag', tag(2)]]);
      story.log([connected, [2, 'tag', tag(1)]]);
      breaks(numbers, story, /2 of r1 was tag .* and is tag/);
    });
    it('reports a read event that vanished, unless Redis lost it', () => {
      story.read(700, 'reader', 0, whole);
      story.log(whole.slice(0, 4));
      breaks(numbers, story, /5 of r1 was read, and vanished/);
      story.evidence = { ...story.evidence, loss: { from: 650, to: 800 } };
      holds(numbers, story);
      story.evidence = { ...story.evidence, loss: { from: 750, to: 800 } };
      breaks(numbers, story, /vanished/);
    });
  });

  describe('readers', () => {
    it('accepts a reader that continues from the last event', () => {
      story.read(700, 'reader', 0, whole.slice(0, 2));
      story.read(800, 'reader', 2, whole.slice(2));
      story.log(whole);
      holds(readers, story);
    });
    it('reports an event that a reader did not receive', () => {
      story.read(700, 'reader', 0, [whole[0], whole[2]]);
      story.log(whole);
      breaks(readers, story, /covers up to 3 and passes over 2/);
    });
    it('reports events that are repeated, out of order, or beyond last_seq', () => {
      for (const events of [[whole[1]], [whole[3], whole[2]]]) {
        const other = new Story();
        other.read(700, 'reader', 2, events, 4);
        breaks(readers, other, /numbers 2/);
      }
      story.read(700, 'reader', 2, [whole[2]], 2);
      breaks(readers, story, /lies before event 3/);
    });
    it('reports a last_seq that decreases, whatever Redis lost', () => {
      story.read(700, 'reader', 9, whole, 5);
      breaks(readers, story, /lies before after 9/);
    });
    it('reports gateways that end with different logs', () => {
      story.log(whole);
      story.read(90_100, 'final gateway-1', 0, whole.slice(0, 4));
      breaks(readers, story, /2 different logs/);
    });
  });
});
