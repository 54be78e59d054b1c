import { doneOnce } from '../../src/checker/done-once.js';
import { okIsAcked } from '../../src/checker/ok-is-acked.js';
import { oneOutcome } from '../../src/checker/one-outcome.js';
import { refusedIsNotDone } from '../../src/checker/refused-is-not-done.js';
import type { Ending } from '../../src/history/records.js';
import { breaks, holds } from './prove.js';
import { failed, ok, Story } from './story.js';

const hungUp: Ending = { how: 'hung-up' };

describe('the checker, calls under an Idempotency-Key', () => {
  let story: Story;
  beforeEach(() => {
    story = new Story();
  });

  function asks(at: number, ending: Ending, key = 'k1', gateway = 'gateway-0'): void {
    story.call(at, at + 30, { kind: 'marked', mark: 'move 1.5' }, ending, { key, gateway });
  }

  function comes(at: number, id: string, good = true): void {
    story.command(at, id, 'move 1.5', { name: 'head.move' });
    story.ack(at + 5, id, good);
  }

  describe('one outcome', () => {
    it('accepts the same outcome for all calls under a key, through any gateway', () => {
      asks(100, hungUp);
      asks(200, ok({ yaw: 1.5, request_id: 'a' }));
      asks(300, ok({ yaw: 1.5, request_id: 'b' }), 'k1', 'gateway-1');
      holds(oneOutcome, story);
    });
    it('reports two different outcomes under a key', () => {
      asks(200, ok({ yaw: 1.5 }));
      asks(300, failed(503, 'no_ack'), 'k1', 'gateway-1');
      breaks(oneOutcome, story, /k1: call 1.*, and call 2.*through gateway-1/);
    });
    it('reports ok answers with different content under a key', () => {
      asks(200, ok({ yaw: 1.5 }));
      asks(300, ok({ yaw: 1.6 }));
      breaks(oneOutcome, story, /1\.6/);
    });
    it('accepts other answers if nothing was done or the outcome is unknown', () => {
      asks(100, failed(503, 'robot_offline'));
      asks(200, failed(429, 'rate_limited'));
      asks(300, ok({ yaw: 1.5 }));
      asks(400, failed(503, 'outcome_unknown'));
      holds(oneOutcome, story);
    });
    it('accepts different outcomes under different keys, and after Redis lost the first', () => {
      asks(200, ok({ yaw: 1.5 }));
      asks(300, ok({ yaw: 1.6 }), 'k2');
      holds(oneOutcome, story);
      asks(400, failed(503, 'no_ack'), 'k2');
      story.evidence = { ...story.evidence, loss: { from: 320, to: 350 } };
      holds(oneOutcome, story);
    });
    it('reports a key that is rejected as used for another call', () => {
      asks(100, { how: 'answered', status: 400, body: { ok: false, code: 'bad_argument', field: 'Idempotency-Key', error: 'x', request_id: 'x' } });
      breaks(oneOutcome, story, /k1: call 1/);
    });
  });

  describe('no command is done twice', () => {
    it('reports a retried call that was done twice', () => {
      asks(100, hungUp);
      comes(110, 'c1');
      holds(doneOnce, story);
      asks(200, ok({ yaw: 1.5 }), 'k1', 'gateway-1');
      comes(210, 'c2');
      breaks(doneOnce, story, /r1 move 1\.5 came 2 times/);
    });
    it('accepts a repeated command if the robot refused the first, or Redis lost the call', () => {
      asks(100, failed(503, 'robot_busy'));
      comes(110, 'c1', false);
      asks(200, ok({ yaw: 1.5 }));
      comes(210, 'c2');
      holds(doneOnce, story);
      comes(220, 'c3');
      breaks(doneOnce, story, /came 2 times/);
      story.evidence = { ...story.evidence, loss: { from: 120, to: 150 } };
      holds(doneOnce, story);
    });
    it('reports a repeated command of a call without a key after the robot refused it', () => {
      story.call(100, 130, { kind: 'marked', mark: 'move 1.5' }, failed(503, 'robot_busy'));
      comes(110, 'c1', false);
      comes(210, 'c2');
      breaks(doneOnce, story, /came 2 times/);
    });
  });

  describe('ok means acked', () => {
    it('accepts an ack to an earlier try than the answered one', () => {
      asks(100, hungUp);
      comes(110, 'c1');
      asks(200, ok({ yaw: 1.5 }));
      asks(300, ok({ yaw: 1.5 }));
      holds(okIsAcked, story);
    });
    it('reports an ok answer if no try was acked', () => {
      comes(50, 'c1');
      asks(100, hungUp);
      asks(200, ok({ yaw: 1.5 }));
      breaks(okIsAcked, story, /acked no such command/);
    });
    it('requires one ack for one call, however often it was answered', () => {
      const face = { kind: 'unmarked', command: 'face' } as const;
      story.command(105, 'c1', null, { name: 'face' });
      story.ack(110, 'c1');
      for (const at of [100, 200]) story.call(at, at + 30, face, ok(), { key: 'k1' });
      holds(okIsAcked, story);
      story.call(101, 131, face, ok(), { key: 'k2' });
      breaks(okIsAcked, story, /acked no such command/);
    });
  });

  describe('what was refused is not done', () => {
    it('accepts a command if a later try was done, and reports it if all were refused', () => {
      asks(100, failed(503, 'robot_offline'));
      asks(200, ok({ yaw: 1.5 }));
      comes(210, 'c1');
      holds(refusedIsNotDone, story);
      asks(100, failed(503, 'robot_offline'), 'k2');
      asks(300, failed(429, 'rate_limited'), 'k2');
      breaks(refusedIsNotDone, story, /reached r1 as c1/);
    });
    it('reports a command long after the last try', () => {
      asks(100, failed(503, 'service_unavailable'));
      asks(200, failed(503, 'no_ack'));
      comes(1500, 'c1');
      breaks(refusedIsNotDone, story, /1270 ms after its answer/);
    });
  });
});
