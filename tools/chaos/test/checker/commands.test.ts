import { boundedTime } from '../../src/checker/bounded-time.js';
import { contract } from '../../src/checker/contract.js';
import { doneOnce } from '../../src/checker/done-once.js';
import { isolation } from '../../src/checker/isolation.js';
import { okIsAcked } from '../../src/checker/ok-is-acked.js';
import { refusedIsNotDone } from '../../src/checker/refused-is-not-done.js';
import { Track } from '../../src/system/spans.js';
import { breaks, holds } from './prove.js';
import { failed, ok, robot, Story, foreignRobot } from './story.js';

describe('the checker, calls and commands', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.done(100, 'leds 1.001');
    story.done(200, 'leds 1.002');
  });

  describe('no command is done twice', () => {
    it('accepts commands that came once, and retransmissions under the same id', () => {
      story.command(250, 'c-leds 1.001', 'leds 1.001');
      holds(doneOnce, story);
    });
    it('reports a call that caused two commands', () => {
      story.command(250, 'c9', 'leds 1.001');
      breaks(doneOnce, story, /leds 1\.001 came 2 times/);
    });
    it('reports a card that came twice, but not a wait that was redrawn', () => {
      const card = { name: 'screen.show card', picture: { layer: 'card', id: 'c1', crc32: 7 } };
      story.command(300, 'p1', null, { ...card, picture: { ...card.picture, id: 'w1' } });
      story.command(310, 'p2', null, { ...card, picture: { ...card.picture, id: 'w1' } });
      holds(doneOnce, story);
      story.command(320, 'p3', null, card);
      story.command(330, 'p4', null, card);
      breaks(doneOnce, story, /picture 7 came 2 times/);
    });
    it('accepts a card that came again because Redis lost that it was sent', () => {
      const card = { name: 'screen.show card', picture: { layer: 'card', id: 'c1', crc32: 7 } };
      story.command(320, 'p3', null, card);
      story.command(900, 'p4', null, card);
      story.evidence = { ...story.evidence, loss: { from: 400, to: 600 } };
      breaks(doneOnce, story, /picture 7 came 2 times/);
      story.evidence = { ...story.evidence, loss: { from: 300, to: 600 } };
      holds(doneOnce, story);
    });
  });

  describe('ok means acked', () => {
    it('accepts an ack during the call', () => holds(okIsAcked, story));
    it('reports an ok call whose command never reached the robot', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('reports an ok call that the robot refused', () => {
      story.command(305, 'c9', 'leds 9');
      story.ack(310, 'c9', false);
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('reports an ok call whose ack came after the answer', () => {
      story.command(305, 'c9', 'leds 9');
      story.ack(330, 'c9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('reports two ok calls with one acked command without a mark', () => {
      story.command(305, 'c9', null, { name: 'face' });
      story.ack(310, 'c9');
      story.call(300, 320, { kind: 'unmarked', command: 'face' }, ok());
      holds(okIsAcked, story);
      story.call(301, 321, { kind: 'unmarked', command: 'face' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('accepts a sound without an ack if it was replaced before it began', () => {
      story.call(300, 320, { kind: 'unmarked', command: 'audio.play' }, ok({ replaced: true }));
      holds(okIsAcked, story);
    });
  });

  describe('what was refused is not done', () => {
    it('reports a refused call that reached the robot', () => {
      story.command(305, 'c9', 'leds 9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'robot_offline'));
      breaks(refusedIsNotDone, story, /reached r1 as c9/);
    });
    it('accepts a command of a call answered with outcome_unknown', () => {
      story.command(305, 'c9', 'leds 9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'outcome_unknown'));
      holds(refusedIsNotDone, story);
    });
    it('reports a command long after the failed answer, unless the robot does not read', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'no_ack'));
      story.command(2000, 'c9', 'leds 9');
      breaks(refusedIsNotDone, story, /1680 ms after its answer/);
      story.history.misbehaving.push({ robot, kind: 'stop-reading', from: 310, to: 1990 });
      holds(refusedIsNotDone, story);
    });
    it('accepts a command long after an answer of outcome_unknown', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'outcome_unknown'));
      story.command(2000, 'c9', 'leds 9');
      holds(refusedIsNotDone, story);
    });
    it('accepts a command that was read late on a connection the robot had replaced', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'no_ack'));
      story.command(2000, 'c9', 'leds 9');
      story.history.sessions.push({ at: 315, robot, boot: 'b1', session: 's2', link: 'robot-link-0', reason: 'reconnect', endedAt: null });
      holds(refusedIsNotDone, story);
    });
  });

  describe('answered in bounded time', () => {
    const wait = { kind: 'marked', mark: 'leds 9' } as const;
    it('accepts a call that took the whole allowed time', () => {
      story.call(300, 14_290, wait, failed(503, 'no_ack'));
      holds(boundedTime, story);
    });
    it('reports a call that took longer than allowed', () => {
      story.call(300, 15_000, wait, ok());
      breaks(boundedTime, story, /took 14700 of 14000 ms/);
    });
    it('reports a call that was never answered', () => {
      story.call(300, null, wait, null);
      breaks(boundedTime, story, /never answered/);
    });
    it('reports a call whose connection broke', () => {
      story.call(300, 310, wait, { how: 'broken', error: 'ECONNRESET' });
      breaks(boundedTime, story, /its connection broke/);
    });
    it('reports a call without an answer when its client gives up, unless the machine stood still meanwhile', () => {
      story.call(300, 20_300, wait, { how: 'broken', error: 'no answer within 20000 ms', gaveUp: true });
      breaks(boundedTime, story, /took 20000 of/);
      story.evidence = { ...story.evidence, stallMs: () => 4000 };
      holds(boundedTime, story);
    });
    it('accepts a late call if its gateway did not run all the time, or its client hung up', () => {
      const running = new Track(0);
      running.impair(5000)();
      const well = { running, reachable: new Track(0), served: new Track(0) };
      story.evidence = { ...story.evidence, gateways: new Map([['gateway-0', well]]) };
      story.call(300, 20_000, wait, { how: 'broken', error: 'ECONNRESET' });
      story.call(6000, 40_000, wait, { how: 'hung-up' });
      holds(boundedTime, story);
    });
    it('allows a read more time while its gateway has no storage, but not unlimited time', () => {
      const read = { kind: 'inspect' } as const;
      story.call(1000, 5000, read, failed(503, 'service_unavailable'), { withinMs: 1000 });
      breaks(boundedTime, story, /took 4000 of 1000 ms/);
      const served = new Track(0);
      served.impair(2000);
      story.evidence = { ...story.evidence, gateways: new Map([['gateway-0', { running: new Track(0), reachable: new Track(0), served }]]) };
      holds(boundedTime, story);
      story.call(1000, 6500, read, failed(503, 'service_unavailable'), { withinMs: 1000 });
      breaks(boundedTime, story, /took 5500 of 1000 ms/);
    });
    it('subtracts the delays of the machine from the duration of a call', () => {
      story.call(300, 15_000, wait, ok());
      breaks(boundedTime, story, /took 14700 of/);
      story.evidence = { ...story.evidence, stallMs: () => 500 };
      holds(boundedTime, story);
      story.evidence = { ...story.evidence, stallMs: () => 50, waitedMs: (from, to) => (to - from) / 10 };
      holds(boundedTime, story);
      story.evidence = { ...story.evidence, waitedMs: () => 0, queuedMs: (place) => (place === 'gateway-1' ? 500 : 0) };
      breaks(boundedTime, story, /took 14700 of/);
      story.evidence = { ...story.evidence, queuedMs: (place) => (place === 'gateway-0' ? 500 : 0) };
      holds(boundedTime, story);
    });
  });

  describe('accounts, robots and calls are isolated', () => {
    it('accepts unknown_robot for a robot of another account', () => {
      story.call(300, 310, { kind: 'marked', mark: 'leds 9' }, failed(404, 'unknown_robot'), { robot: foreignRobot });
      story.call(300, 310, { kind: 'inspect' }, ok({ robots: [{ id: robot }] }), { robot: '', action: 'robots' });
      holds(isolation, story);
    });
    it('reports any other answer for a robot of another account', () => {
      story.call(300, 310, { kind: 'marked', mark: 'leds 9' }, failed(503, 'robot_offline'), { robot: foreignRobot });
      holds(isolation, story);
      story.call(300, 310, { kind: 'marked', mark: 'leds 10' }, failed(400, 'card_showing'), { robot: foreignRobot });
      breaks(isolation, story, /by another account/);
    });
    it("reports a list that contains another account's robot", () => {
      story.call(300, 310, { kind: 'inspect' }, ok({ robots: [{ id: robot }, { id: foreignRobot }] }), { robot: '', action: 'robots' });
      breaks(isolation, story, /lists r2/);
    });
    it('reports a command that reached another robot', () => {
      story.command(310, 'c9', 'leds 1.001', { robot: foreignRobot });
      breaks(isolation, story, /r2 was sent c9/);
    });
    it('reports a command that no call asked for', () => {
      story.command(310, 'c9', 'leds 77');
      breaks(isolation, story, /no call asked for/);
    });
    it('reports an answer that belongs to another call', () => {
      story.done(300, 'move 1.01');
      breaks(isolation, story, /not the yaw/);
    });
    it("reports a robot's event in another robot's log", () => {
      story.gesture(400, 1, 'tag', { uid: '04', type: 'x' }, { robot: foreignRobot });
      story.read(500, 'reader', 0, [[1, 'tag', { uid: '04', type: 'x' }]]);
      breaks(isolation, story, /has event 1 of r2/);
    });
  });

  describe('answers and commands are as documented', () => {
    it('accepts documented codes with their statuses', () => {
      story.call(300, 310, { kind: 'inspect' }, failed(429, 'rate_limited'));
      holds(contract, story);
    });
    for (const [what, ending] of [
      ['500', failed(500, 'internal')],
      ['a code that is in no table', failed(503, 'oh_no')],
      ['a status that is not its code', failed(503, 'rate_limited')],
      ['200 that is not ok', { how: 'answered', status: 200, body: { ok: false } }],
      ['no JSON', { how: 'answered', status: 503, body: { unreadable: '<html>' } }],
    ] as const) {
      it(`reports ${what}`, () => {
        story.call(300, 310, { kind: 'inspect' }, ending);
        breaks(contract, story, /call 3/);
      });
    }
    it('reports a protocol violation that a robot noticed', () => {
      story.history.complaints.push({ at: 1, robot, what: '5 commands in flight, at most 4' });
      breaks(contract, story, /in flight/);
    });
  });
});
