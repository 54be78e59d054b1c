import { everyEventArrives, onlyWhatIsWanted } from '../../src/checker/messages.js';
import { Track } from '../../src/system/spans.js';
import { breaks, holds } from './prove.js';
import { eventAt, robot, Story, foreignRobot } from './story.js';

const tag = { uid: '04', type: 'NTAG213' };
const path = '/all';

describe('the checker, webhooks', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.history.hooks.push({ path, account: 'a1', robots: [robot], names: null });
    story.history.hooks.push({ path: '/taps', account: 'a2', robots: [foreignRobot], names: ['tap'] });
    story.log([
      [1, 'connected', {}],
      [2, 'tag', tag],
    ]);
    story.message(20_150, path, 1, 'connected', {});
    story.message(20_200, path, 2, 'tag', tag);
  });

  describe('every event reaches its webhook', () => {
    it('accepts complete deliveries, including redeliveries', () => {
      story.message(20_300, path, 2, 'tag', tag, { answer: 'refused' });
      holds(everyEventArrives, story);
    });
    it('reports an event that was not delivered, or only refused', () => {
      story.history.messages.pop();
      breaks(everyEventArrives, story, /event 2 tag of r1 did not come to \/all/);
      story.message(20_200, path, 2, 'tag', tag, { answer: 'cut' });
      breaks(everyEventArrives, story, /event 2 tag/);
    });
    it('reports an event that was delivered to another webhook only', () => {
      story.history.messages.pop();
      story.message(20_200, '/taps', 2, 'tag', tag);
      breaks(everyEventArrives, story, /event 2 tag/);
    });
    it('accepts a missing event that the webhook does not subscribe to', () => {
      story.history.hooks[0] = { path, account: 'a1', robots: [robot], names: ['connected'] };
      story.history.messages.pop();
      holds(everyEventArrives, story);
    });
    it('accepts a missing event from before the end of a Redis loss, and reports a later one', () => {
      story.history.messages.pop();
      story.evidence = { ...story.evidence, loss: { from: 0, to: eventAt(2) } };
      holds(everyEventArrives, story);
      story.evidence = { ...story.evidence, loss: { from: 0, to: eventAt(2) - 1 } };
      breaks(everyEventArrives, story, /event 2 tag/);
    });
  });

  describe('a webhook receives exactly the messages it subscribed to', () => {
    it('accepts correct messages, and the redelivery of a refused one', () => {
      story.message(20_100, path, 2, 'tag', tag, { answer: 'refused' });
      story.message(20_150, path, 2, 'tag', tag, { answer: 'cut' });
      holds(onlyWhatIsWanted, story);
    });
    for (const [what, at, name, more, expected] of [
      ["a message about another account's robot", path, 'tap', { robot: foreignRobot }, /about r2, which the hook does not cover/],
      ['a message outside the subscription', '/taps', 'tag', { robot: foreignRobot }, /a tag, which the hook does not subscribe to/],
      ['a forged message', path, 'tag', { genuine: false }, /its signature/],
      ['a message with the id of another', path, 'tag', { id: 'msg_r1_9' }, /msg_r1_9 came to \/all: it is about event 2 of r1/],
      ['a message that differs from the log', path, 'pat', {}, /it says pat .*, and the log tag/],
      ['a message about an event that does not exist', path, 'tag', { seq: 3, id: 'msg_r1_3' }, /no such event is in the log/],
    ] as const) {
      it(`reports ${what}`, () => {
        story.history.messages.pop();
        story.message(20_200, at, 2, name, tag, more);
        breaks(onlyWhatIsWanted, story, expected);
      });
    }
    it('accepts a message about an event that Redis lost', () => {
      story.message(20_300, path, 3, 'tag', tag);
      story.evidence = { ...story.evidence, loss: { from: 20_000, to: 20_500 } };
      holds(onlyWhatIsWanted, story);
    });
    it('reports a redelivery of an accepted message, unless a sender was unhealthy', () => {
      story.message(20_300, path, 2, 'tag', tag);
      breaks(onlyWhatIsWanted, story, /msg_r1_2 was taken 2 times, the second 100 ms after the first/);
      const running = new Track(0);
      running.impair(10_000);
      running.recover(10_100);
      story.evidence = { ...story.evidence, senders: new Map([['webhooks-0', { running, reachable: new Track(0), served: new Track(0) }]]) };
      holds(onlyWhatIsWanted, story);
    });
    it('reports too many redeliveries even if Redis was unhealthy', () => {
      for (let i = 0; i < 12; i += 1) story.message(20_300 + i, path, 2, 'tag', tag);
      const served = new Track(null);
      story.evidence = { ...story.evidence, senders: new Map([['webhooks-0', { running: new Track(0), reachable: new Track(0), served }]]) };
      breaks(onlyWhatIsWanted, story, /was taken 13 times/);
    });
  });
});
