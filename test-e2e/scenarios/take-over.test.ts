import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { fastClock } from '../fixture/robots/fast-clock.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';
import { eventNames, inputNames, processed, setUpMovable, type MovableOptions } from '../fixture/robots/take-over.js';

onSharedSystems(
  'take-over',
  (system) => {
    const setUp = (options?: MovableOptions) => setUpMovable(system(), options);

    describe('moving a robot during input', () => {
      it('a pat and a pet during a move become one event each, with the full duration', async () => {
        for (const [ms, event] of [
          [250, { name: 'pat', data: { ms: 250 } }],
          [1500, { name: 'pet', data: { seconds: 1.5 } }],
        ] as const) {
          const { id, robot, api, movable } = await setUp();
          robot.input('head_down', { zone: 1 });
          await processed(api, id);
          await movable.moveTo(system().link(1));
          robot.input('head_up', { zone: 1, held_ms: ms });
          await robot.until(({ inputs }) => inputs.acked === 2);
          const { events } = (await api.get(`/v1/robots/${id}/events`)).body;
          const rest = events.filter(({ name }: { name: string }) => name !== 'connected');
          assert.deepEqual(
            rest.map(({ name, data }: Record<string, unknown>) => ({ name, data })),
            [event],
          );
        }
      });

      it('a stroke with a move between any two of its inputs becomes one stroke and nothing else', async () => {
        const inputs = [
          ['head_down', { zone: 0 }],
          ['head_swipe', { zone: 2, dir: 'back' }],
          ['head_up', { zone: 2, held_ms: 400 }],
        ] as const;
        for (const moveBefore of [[1], [2], [1, 2]]) {
          const { id, robot, api, movable } = await setUp();
          let at = 0;
          for (const [i, [kind, fields]] of inputs.entries()) {
            if (moveBefore.includes(i)) {
              await processed(api, id);
              await movable.moveTo(system().link((at += 1)));
            }
            robot.input(kind, fields);
          }
          await robot.until(({ inputs: log }) => log.acked === 3);
          const { events } = (await api.get(`/v1/robots/${id}/events`)).body;
          const rest = events.filter(({ name }: { name: string }) => name !== 'connected');
          assert.deepEqual(
            rest.map(({ name, data }: Record<string, unknown>) => ({ name, data })),
            [{ name: 'stroke', data: { direction: 'back' } }],
          );
        }
      });

      it('something near stays near across robot-links: one near event, one away event', async () => {
        const { id, robot, api, movable } = await setUp();
        await robot.comeNear();
        await until(async () => (await eventNames(api, id)).includes('near'));
        await movable.moveTo(system().link(1));
        await robot.proximity([600, 590, 600, 610, 600, 600, 600]);
        await robot.goAway();
        await until(async () => (await eventNames(api, id)).includes('away'));
        await movable.moveTo(system().link(0));
        await robot.proximity([40, 41, 40, 42, 40, 40, 40, 40, 40]);
        await robot.until(({ inputs }) => inputs.acked === inputs.seq);
        assert.deepEqual(await inputNames(api, id), ['near', 'away']);
      });
    });

    it('each command is performed at most once across a move: ok means performed, and everything else is an error', async () => {
      const { id, robot, api, otherApi, movable } = await setUp({ faults: { ackLateMs: 150 } });
      const texts = Array.from({ length: 24 }, (_, i) => `Say ${i}`);
      const calls = texts.map((text, i) => (i % 2 ? api : otherApi).act(id, 'say', { text, seconds: 1 }));
      await robot.until(({ commands }) => commands.length >= 6);
      await movable.moveTo(system().link(1));
      const answers = await Promise.all(calls);
      for (const [i, { status, body }] of answers.entries()) {
        const times = robot.commands.filter(({ args, outcome }) => args['text'] === texts[i] && outcome === 'done').length;
        if (status === 200) assert.equal(times, 1, `${texts[i]} is ok and was done ${times} times`);
        else {
          assert.equal(status, 503);
          assert.ok(['outcome_unknown', 'robot_offline'].includes(body.code), body.code);
          assert.ok(times <= 1, `${texts[i]} was done ${times} times`);
          if (body.code === 'robot_offline') assert.equal(times, 0, 'who is offline did nothing');
        }
      }
      assert.ok(answers.some(({ status }) => status === 200));
      assert.deepEqual(robot.violations, []);
    });

    describe('moving a robot during a sound', () => {
      const melody = { notes: Array.from({ length: 30 }, (_, i) => `${'CDEFGAB'[i % 7]}4:200`).join(' ') };

      it('a sound continues after a move where the robot reports it to be: no gap, no byte twice', async () => {
        const whole = await setUp({ clock: fastClock(2), silenceMs: 1e9 });
        const moved = await setUp({ clock: fastClock(2), silenceMs: 1e9 });
        for (const { api, id } of [whole, moved]) assert.equal((await api.act(id, 'sound', melody)).body.seconds, 6);
        for (const link of [1, 0]) {
          const { received } = moved.robot.playing!;
          await moved.robot.until(({ playing }) => playing!.received > received && playing!.playedMs > 300);
          await moved.movable.moveTo(system().link(link));
        }
        for (const { robot } of [whole, moved]) await robot.until(({ sounds }) => sounds[0]?.done !== null);
        const [sound] = moved.robot.sounds;
        assert.deepEqual([sound?.done, sound?.gaps, moved.robot.sounds.length], ['end', 0, 1]);
        assert.ok(Buffer.from(sound!.pcm).equals(Buffer.from(whole.robot.sounds[0]!.pcm)), 'every sample, once');
        assert.deepEqual(moved.robot.violations, []);
      });

      it('the next sound replaces the one that moved with the robot, with its own id and stream', async () => {
        const { id, robot, api, movable } = await setUp();
        await api.act(id, 'sound', melody);
        await movable.moveTo(system().link(1));
        const next = await api.act(id, 'sound', { chime: 'yes' });
        assert.equal(next.status, 200);
        await robot.until(({ sounds }) => sounds[1]?.done === 'end');
        const [first, second] = robot.sounds;
        assert.equal(first?.done, 'stopped');
        assert.notEqual(first?.id, second?.id);
        assert.deepEqual(robot.violations, []);
      });
    });

    describe('connected', () => {
      it('connected is stored for a start, a restart, and every return after `state` could report online: false', async () => {
        const { tenant, id, robot, api, movable } = await setUp();
        await until(async () => (await eventNames(api, id)).join() === 'connected');
        await movable.leave(tenant);
        assert.equal((await api.get(`/v1/robots/${id}`)).body.online, false);
        await robot.start();
        await until(async () => (await eventNames(api, id)).join() === 'connected,connected');
        robot.restart();
        await until(async () => (await eventNames(api, id)).join() === 'connected,connected,connected');
      });

      it('connected is not stored for a robot that dials again while its old connection is open', async () => {
        const { id, robot, api, movable } = await setUp();
        const before = robot.session;
        movable.proxy.switchTo(system().link(1));
        robot.faults.redial();
        await movable.isBack(before);
        await robot.tap(1, 1);
        await until(async () => (await eventNames(api, id)).join() === 'connected,tap');
        assert.equal((await api.act(id, 'face', { emotion: 'happy' })).status, 200);
      });
    });
  },
  [shapes[1]!],
);
