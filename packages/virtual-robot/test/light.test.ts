import assert from 'node:assert/strict';
import fc from 'fast-check';
import { allFeatures } from '../src/index.js';
import { Light } from '../src/body/light.js';
import { Timers, type Clock } from '../src/clock.js';
import { bytes, fastClock, withRobot, type ConnectedRobot } from './connected-robot.js';

const screenOf = ({ session }: Pick<ConnectedRobot, 'session'>) => ({
  set: async (command: 'screen' | 'brightness', args: object) => session.run('robot', { command, args }),
  ask: async () => session.ack(session.show('question', 'w1', bytes(50))),
  end: async () => session.run('screen.clear', { layer: 'question', id: 'w1' }),
});

describe('the light of the screen of a virtual robot', () => {
  it(
    'is at most 30 % for a question on a screen that a program switched off, which is dark again 2 s after it',
    withRobot({ clock: fastClock(10) }, async ({ robot, session }) => {
      const { set, ask, end } = screenOf({ session });
      assert.equal(robot.brightness, 80);
      await set('screen', { on: false });
      assert.equal(robot.brightness, 0);
      await ask();
      assert.equal(robot.brightness, 30);
      await end();
      const endedAt = robot.ms;
      assert.equal(robot.brightness, 30);
      await robot.until(({ brightness }) => brightness === 0);
      assert.ok(robot.ms - endedAt >= 1900, `${robot.ms - endedAt} ms`);
      assert.deepEqual([robot.own.screenOn, robot.own.brightness], [false, 80]);
    }),
  );

  it(
    'stays as set for a question if it can be read, and is 30 % if it cannot',
    withRobot({}, async ({ robot, session }) => {
      const { set, ask } = screenOf({ session });
      await ask();
      for (const [on, pct, lit] of [
        [true, 80, 80],
        [true, 10, 10],
        [true, 9, 30],
        [true, 0, 30],
        [false, 0, 30],
        [false, 20, 20],
        [false, 100, 30],
      ] as const) {
        await set('screen', { on });
        await set('brightness', { pct });
        assert.equal(robot.brightness, lit, `${on ? 'on' : 'off'} at ${pct} %`);
        assert.deepEqual([robot.own.screenOn, robot.own.brightness], [on, pct]);
      }
    }),
  );

  it(
    'comes back for 10 s with a touch of a dark screen, which says that it was dark; the next touch does not',
    withRobot({ clock: fastClock(10) }, async ({ robot, session }) => {
      await screenOf({ session }).set('brightness', { pct: 0 });
      await robot.tap(10, 20);
      const touchedAt = robot.ms;
      assert.equal(robot.brightness, 30);
      await robot.tap(10, 20);
      await robot.until(({ brightness }) => brightness === 0);
      assert.ok(robot.ms - touchedAt >= 9900, `${robot.ms - touchedAt} ms`);
      await robot.tap(10, 20);
      await robot.until(({ inputs }) => session.of('in').length === inputs.seq);
      const touches = session.of('in').filter(({ kind }) => kind === 'touch_down');
      assert.deepEqual(
        touches.map(({ dark = false }) => dark),
        [true, false, true],
      );
    }),
  );

  it(
    'is what programs set, and no touch says that it was dark, without the feature lights_questions',
    withRobot({ features: allFeatures.filter((feature) => feature !== 'lights_questions') }, async ({ robot, session }) => {
      const { set, ask } = screenOf({ session });
      await set('screen', { on: false });
      await ask();
      assert.equal(robot.brightness, 0);
      await robot.tap(10, 20);
      assert.equal(robot.brightness, 0);
      await robot.until(() => session.of('in').length === 2);
      assert.ok(session.of('in').every((input) => input['dark'] === undefined));
    }),
  );

  it('can be read while a question shows and, but for the first touch, while the screen is touched, in whichever order things happen', () => {
    const happening = fc.oneof(
      fc.record({ screenOn: fc.boolean() }),
      fc.record({ brightness: fc.integer({ min: 0, max: 100 }) }),
      fc.record({ asked: fc.boolean() }),
      fc.record({ touched: fc.constant(true) }),
      fc.record({ passMs: fc.integer({ min: 1, max: 12_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const { clock, pass } = handClock();
        const set = { screenOn: true, brightness: 80 };
        const light = new Light(set, new Timers(clock), { enabled: true, changed: () => undefined });
        let asking = false;
        for (const happened of happenings) {
          if ('touched' in happened) {
            const before = light.pct;
            assert.equal(light.touched(), before < 10);
            assert.ok(light.pct >= 10);
          } else if ('asked' in happened) light.asked((asking = happened.asked));
          else if ('passMs' in happened) pass(happened.passMs);
          else Object.assign(set, happened);
          const { screenOn, brightness } = set;
          if (asking) assert.ok(light.pct >= 10 && (light.pct <= 30 || screenOn));
          if (screenOn && brightness >= 10) assert.equal(light.pct, brightness, 'what is set and can be read stays');
        }
        light.asked(false);
        pass(10_000);
        assert.equal(light.pct, set.screenOn ? set.brightness : 0, 'what programs set counts again');
      }),
    );
  });
});

function handClock(): { clock: Clock; pass: (ms: number) => void } {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    clock: {
      now: () => now,
      setTimeout(run, ms) {
        const timer = { at: now + ms, run };
        timers.add(timer);
        return timer;
      },
      clearTimeout: (timer) => timers.delete(timer as { at: number; run: () => void }),
    },
    pass(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) if (timers.delete(timer)) timer.run();
    },
  };
}
