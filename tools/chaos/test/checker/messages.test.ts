import { everyEventArrives, onlyWhatIsWanted } from '../../src/checker/messages.js';
import { Track } from '../../src/system/spans.js';
import { breaks, holds } from './prove.js';
import { eventAt, robot, Story, stranger } from './story.js';

const tag = { uid: '04', type: 'NTAG213' };
const path = '/all';

describe('the checker, of webhooks', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.history.hooks.push({ path, account: 'a1', robots: [robot], names: null });
    story.history.hooks.push({ path: '/taps', account: 'a2', robots: [stranger], names: ['tap'] });
    story.log([
      [1, 'connected', {}],
      [2, 'tag', tag],
    ]);
    story.message(20_150, path, 1, 'connected', {});
    story.message(20_200, path, 2, 'tag', tag);
  });

  describe('every event reaches its webhook', () => {
    it('holds where each came, also where some came again', () => {
      story.message(20_300, path, 2, 'tag', tag, { answer: 'refused' });
      holds(everyEventArrives, story);
    });
    it('breaks where one did not come, or was only refused', () => {
      story.history.messages.pop();
      breaks(everyEventArrives, story, /event 2 tag of r1 did not come to \/all/);
      story.message(20_200, path, 2, 'tag', tag, { answer: 'cut' });
      breaks(everyEventArrives, story, /event 2 tag/);
    });
    it('breaks where it came to another webhook', () => {
      story.history.messages.pop();
      story.message(20_200, '/taps', 2, 'tag', tag);
      breaks(everyEventArrives, story, /event 2 tag/);
    });
    it('holds for a webhook that does not want it', () => {
      story.history.hooks[0] = { path, account: 'a1', robots: [robot], names: ['connected'] };
      story.history.messages.pop();
      holds(everyEventArrives, story);
    });
    it('holds where Redis lost what was of then, and breaks for what came after', () => {
      story.history.messages.pop();
      story.evidence = { ...story.evidence, loss: { from: 0, to: eventAt(2) } };
      holds(everyEventArrives, story);
      story.evidence = { ...story.evidence, loss: { from: 0, to: eventAt(2) - 1 } };
      breaks(everyEventArrives, story, /event 2 tag/);
    });
  });

  describe('a webhook is sent what it wants, and no more', () => {
    it('holds where all is as it must be, and for what was refused and sent again', () => {
      story.message(20_100, path, 2, 'tag', tag, { answer: 'refused' });
      story.message(20_150, path, 2, 'tag', tag, { answer: 'cut' });
      holds(onlyWhatIsWanted, story);
    });
    for (const [what, at, name, more, expected] of [
      ["another account's robot's", path, 'tap', { robot: stranger }, /tells of r2, which is not its/],
      ['what was not asked for', '/taps', 'tag', { robot: stranger }, /a tag, which it does not want/],
      ['a forged one', path, 'tag', { genuine: false }, /its signature/],
      ['one under the id of another', path, 'tag', { id: 'msg_r1_9' }, /msg_r1_9 came to \/all: it tells of event 2 of r1/],
      ['one that is not as it is in the log', path, 'pat', {}, /it says pat .*, and the log tag/],
      ['one that nobody made', path, 'tag', { seq: 3, id: 'msg_r1_3' }, /no such event is in the log/],
    ] as const) {
      it(`breaks at ${what}`, () => {
        story.history.messages.pop();
        story.message(20_200, at, 2, name, tag, more);
        breaks(onlyWhatIsWanted, story, expected);
      });
    }
    it('holds for one of an event that Redis lost', () => {
      story.message(20_300, path, 3, 'tag', tag);
      story.evidence = { ...story.evidence, loss: { from: 20_000, to: 20_500 } };
      holds(onlyWhatIsWanted, story);
    });
    it('breaks where what was taken came again although all was well, and holds where a sender was away', () => {
      story.message(20_300, path, 2, 'tag', tag);
      breaks(onlyWhatIsWanted, story, /msg_r1_2 was taken 2 times, the second 100 ms after the first/);
      const running = new Track(0);
      running.spoil(10_000);
      running.recover(10_100);
      story.evidence = { ...story.evidence, senders: new Map([['webhooks-0', { running, reachable: new Track(0), served: new Track(0) }]]) };
      holds(onlyWhatIsWanted, story);
    });
    it('breaks where it came again and again, whoever was away', () => {
      for (let i = 0; i < 12; i += 1) story.message(20_300 + i, path, 2, 'tag', tag);
      const served = new Track(null);
      story.evidence = { ...story.evidence, senders: new Map([['webhooks-0', { running: new Track(0), reachable: new Track(0), served }]]) };
      breaks(onlyWhatIsWanted, story, /was taken 13 times/);
    });
  });
});
