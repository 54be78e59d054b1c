import { boundedTime } from '../../src/checker/bounded-time.js';
import { contract } from '../../src/checker/contract.js';
import { doneOnce } from '../../src/checker/done-once.js';
import { isolation } from '../../src/checker/isolation.js';
import { okIsAcked } from '../../src/checker/ok-is-acked.js';
import { refusedIsNotDone } from '../../src/checker/refused-is-not-done.js';
import { Track } from '../../src/system/spans.js';
import { breaks, holds } from './prove.js';
import { failed, ok, robot, Story, stranger } from './story.js';

describe('the checker, of calls and commands', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
    story.done(100, 'leds 1.001');
    story.done(200, 'leds 1.002');
  });

  describe('no command is done twice', () => {
    it('holds where each came once, and where a robot was sent the same id again', () => {
      story.command(250, 'c-leds 1.001', 'leds 1.001');
      holds(doneOnce, story);
    });
    it('breaks where the same call came as two commands', () => {
      story.command(250, 'c9', 'leds 1.001');
      breaks(doneOnce, story, /leds 1\.001 came 2 times/);
    });
    it('breaks where the same card came twice, and not where a wait was drawn again', () => {
      const card = { name: 'screen.show card', picture: { layer: 'card', id: 'c1', crc32: 7 } };
      story.command(300, 'p1', null, { ...card, picture: { ...card.picture, id: 'w1' } });
      story.command(310, 'p2', null, { ...card, picture: { ...card.picture, id: 'w1' } });
      holds(doneOnce, story);
      story.command(320, 'p3', null, card);
      story.command(330, 'p4', null, card);
      breaks(doneOnce, story, /picture 7 came 2 times/);
    });
  });

  describe('ok means acked', () => {
    it('holds where the ack came while the call was under way', () => holds(okIsAcked, story));
    it('breaks where the robot never got the command', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('breaks where the robot refused', () => {
      story.command(305, 'c9', 'leds 9');
      story.ack(310, 'c9', false);
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('breaks where the ack came after the answer', () => {
      story.command(305, 'c9', 'leds 9');
      story.ack(330, 'c9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('breaks where two calls were ok and one command without a mark was acked', () => {
      story.command(305, 'c9', null, { name: 'face' });
      story.ack(310, 'c9');
      story.call(300, 320, { kind: 'unmarked', command: 'face' }, ok());
      holds(okIsAcked, story);
      story.call(301, 321, { kind: 'unmarked', command: 'face' }, ok());
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('a sound that was replaced before it began has no ack', () => {
      story.call(300, 320, { kind: 'unmarked', command: 'audio.play' }, ok({ replaced: true }));
      holds(okIsAcked, story);
    });
  });

  describe('what was refused is not done', () => {
    it('breaks where a refused call reached the robot', () => {
      story.command(305, 'c9', 'leds 9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'robot_offline'));
      breaks(refusedIsNotDone, story, /reached r1 as c9/);
    });
    it('holds where what was done is not known', () => {
      story.command(305, 'c9', 'leds 9');
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'outcome_unknown'));
      holds(refusedIsNotDone, story);
    });
    it('breaks where it came long after the answer, unless the robot does not read', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'no_ack'));
      story.command(2000, 'c9', 'leds 9');
      breaks(refusedIsNotDone, story, /1680 ms after its answer/);
      story.history.misbehaving.push({ robot, kind: 'stop-reading', from: 310, to: 1990 });
      holds(refusedIsNotDone, story);
    });
    it('holds where it came long after an answer that said that nobody knows', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'outcome_unknown'));
      story.command(2000, 'c9', 'leds 9');
      holds(refusedIsNotDone, story);
    });
    it('holds where it was read late on a line that the robot had left', () => {
      story.call(300, 320, { kind: 'marked', mark: 'leds 9' }, failed(503, 'no_ack'));
      story.command(2000, 'c9', 'leds 9');
      story.history.sessions.push({ at: 315, robot, boot: 'b1', session: 's2', link: 'robot-link-0', reason: 'reconnect', endedAt: null });
      holds(refusedIsNotDone, story);
    });
  });

  describe('answered in bounded time', () => {
    const wait = { kind: 'marked', mark: 'leds 9' } as const;
    it('holds where a call took its time', () => {
      story.call(300, 14_290, wait, failed(503, 'no_ack'));
      holds(boundedTime, story);
    });
    it('breaks where it took longer', () => {
      story.call(300, 15_000, wait, ok());
      breaks(boundedTime, story, /took 14700 of 14000 ms/);
    });
    it('breaks where it was never answered', () => {
      story.call(300, null, wait, null);
      breaks(boundedTime, story, /never answered/);
    });
    it('breaks where its connection broke', () => {
      story.call(300, 310, wait, { how: 'broken', error: 'ECONNRESET' });
      breaks(boundedTime, story, /its connection broke/);
    });
    it('holds where its gateway did not run all the time, or its client hung up', () => {
      const running = new Track(0);
      running.spoil(5000)();
      const well = { running, reachable: new Track(0), served: new Track(0) };
      story.evidence = { ...story.evidence, gateways: new Map([['gateway-0', well]]) };
      story.call(300, 20_000, wait, { how: 'broken', error: 'ECONNRESET' });
      story.call(6000, 40_000, wait, { how: 'hung-up' });
      holds(boundedTime, story);
    });
    it('a read may take longer while its gateway has no storage, and not for ever', () => {
      const read = { kind: 'look' } as const;
      story.call(1000, 5000, read, failed(503, 'service_unavailable'), { withinMs: 1000 });
      breaks(boundedTime, story, /took 4000 of 1000 ms/);
      const served = new Track(0);
      served.spoil(2000);
      story.evidence = { ...story.evidence, gateways: new Map([['gateway-0', { running: new Track(0), reachable: new Track(0), served }]]) };
      holds(boundedTime, story);
      story.call(1000, 6500, read, failed(503, 'service_unavailable'), { withinMs: 1000 });
      breaks(boundedTime, story, /took 5500 of 1000 ms/);
    });
    it('what this machine was late is not the service', () => {
      story.call(300, 15_000, wait, ok());
      breaks(boundedTime, story, /took 14700 of/);
      story.evidence = { ...story.evidence, stallMs: () => 500 };
      holds(boundedTime, story);
      story.evidence = { ...story.evidence, stallMs: () => 50, waitedMs: (from, to) => (to - from) / 10 };
      holds(boundedTime, story);
    });
  });

  describe('nothing of one turns up at another', () => {
    it('holds where strangers are told that there is no such robot', () => {
      story.call(300, 310, { kind: 'marked', mark: 'leds 9' }, failed(404, 'unknown_robot'), { robot: stranger });
      story.call(300, 310, { kind: 'look' }, ok({ robots: [{ id: robot }] }), { robot: '', action: 'robots' });
      holds(isolation, story);
    });
    it('breaks where a stranger was answered otherwise', () => {
      story.call(300, 310, { kind: 'marked', mark: 'leds 9' }, failed(503, 'robot_offline'), { robot: stranger });
      holds(isolation, story);
      story.call(300, 310, { kind: 'marked', mark: 'leds 10' }, failed(400, 'card_showing'), { robot: stranger });
      breaks(isolation, story, /by a stranger/);
    });
    it("breaks where another account's robot is listed", () => {
      story.call(300, 310, { kind: 'look' }, ok({ robots: [{ id: robot }, { id: stranger }] }), { robot: '', action: 'robots' });
      breaks(isolation, story, /lists r2/);
    });
    it('breaks where a command reached another robot, or nobody asked for it', () => {
      story.command(310, 'c9', 'leds 1.001', { robot: stranger });
      breaks(isolation, story, /r2 was sent c9/);
    });
    it('breaks where nobody asked for a command', () => {
      story.command(310, 'c9', 'leds 77');
      breaks(isolation, story, /nobody asked for/);
    });
    it("breaks where an answer is another call's", () => {
      story.done(300, 'move 1.01');
      breaks(isolation, story, /not the yaw/);
    });
    it("breaks where a robot's events hold another's", () => {
      story.gesture(400, 1, 'tag', { uid: '04', type: 'x' }, { robot: stranger });
      story.read(500, 'reader', 0, [[1, 'tag', { uid: '04', type: 'x' }]]);
      breaks(isolation, story, /has event 1 of r2/);
    });
  });

  describe('answers and commands are as documented', () => {
    it('holds for codes of the table with their statuses', () => {
      story.call(300, 310, { kind: 'look' }, failed(429, 'rate_limited'));
      holds(contract, story);
    });
    for (const [what, ending] of [
      ['500', failed(500, 'internal')],
      ['a code that is in no table', failed(503, 'oh_no')],
      ['a status that is not its code', failed(503, 'rate_limited')],
      ['200 that is not ok', { how: 'answered', status: 200, body: { ok: false } }],
      ['no JSON', { how: 'answered', status: 503, body: { unreadable: '<html>' } }],
    ] as const) {
      it(`breaks at ${what}`, () => {
        story.call(300, 310, { kind: 'look' }, ending);
        breaks(contract, story, /call 3/);
      });
    }
    it('breaks where a robot complained', () => {
      story.history.complaints.push({ at: 1, robot, what: '5 commands in flight, at most 4' });
      breaks(contract, story, /in flight/);
    });
  });
});
