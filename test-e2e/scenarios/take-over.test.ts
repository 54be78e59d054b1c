import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Api } from '../fixture/clients/api.js';
import { fastClock } from '../fixture/robots/fast-clock.js';
import { questionShown, waitArmed, left, right } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/test-system.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

onSharedSystems(
  'take-over',
  (system) => {
    async function setUp(options: Parameters<typeof MovableRobot.start>[1] = {}) {
      const tenant = await system().tenant();
      const movable = await MovableRobot.start(tenant, { instant: true, ...options });
      return { tenant, movable, id: movable.id, robot: movable.robot, api: tenant.api(), otherApi: tenant.api(1) };
    }
    const eventNames = async (api: Api, id: string): Promise<string[]> =>
      (await api.get(`/v1/robots/${id}/events`)).body.events.map(({ name }: { name: string }) => name);
    /** Without `connected`: a robot whose connection was cut is away until it is back. */
    const inputNames = async (api: Api, id: string): Promise<string[]> => (await eventNames(api, id)).filter((name) => name !== 'connected');
    /** Resolves when the service has read the robot's earlier messages: they stay in order, and the ack of a later command follows them. */
    const processed = async (api: Api, id: string): Promise<void> => assert.equal((await api.act(id, 'face', { emotion: 'doubt' })).status, 200);
    const passed = async (ms: number, since = performance.now()): Promise<unknown> =>
      until(() => performance.now() - since >= ms, { timeoutMs: ms + 1000 });

    describe('moving a robot during a wait', () => {
      it('a wait that was not acked yet is shown by the next robot-link, and a tap answers it once', async () => {
        const { id, robot, api, movable } = await setUp({ faults: { neverAck: ['screen.show'] } });
        const call = api.act(id, 'ask', question);
        await robot.until(({ screen }) => screen.question !== null);
        robot.faults.none();
        await movable.moveTo(system().link(1));
        await waitArmed(system(), id, robot);
        await robot.tap(...right);
        const { body } = await call;
        assert.deepEqual([body.outcome, body.answer], ['answered', 'No']);
        await robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
        assert.deepEqual(await inputNames(api, id), []);
        assert.deepEqual(robot.violations, []);
      });

      it('an armed wait continues on the next robot-link without being drawn again, and is off the screen before the next action', async () => {
        const { id, robot, api, otherApi, movable } = await setUp();
        const call = api.act(id, 'menu', { items: ['Tea', 'Coffee'], timeout_s: 20 });
        await waitArmed(system(), id, robot);
        for (const link of [1, 0, 1]) await movable.moveTo(system().link(link));
        await robot.tap(...left);
        const { body } = await call;
        assert.deepEqual([body.outcome, body.item, body.index], ['answered', 'Tea', 0]);
        assert.equal(typeof body.robot_away, 'boolean');
        const said = await otherApi.act(id, 'say', { text: 'Thanks' });
        assert.equal(said.status, 200, JSON.stringify(said.body));
        assert.equal(robot.commands.filter(({ name }) => name === 'screen.show').length, 1);
        assert.deepEqual(robot.violations, []);
      });

      for (const [action, args] of [
        ['ask', question],
        ['menu', { items: ['Tea', 'Coffee'], timeout_s: 20 }],
        ['clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], timeout_s: 20 }],
      ] as const) {
        it(`a tap whose touch begins on one robot-link and ends on another answers the wait (${action}), once and without an event`, async () => {
          const { id, robot, api, movable } = await setUp();
          const call = api.act(id, action, args);
          await waitArmed(system(), id, robot);
          robot.touchDown(...left);
          await processed(api, id);
          assert.equal(robot.inputs.acked, 0, 'a touch that has not ended is not acked');
          await movable.moveTo(system().link(1));
          robot.touchUp(...left, 120);
          const { body } = await call;
          assert.deepEqual([body.outcome, body.index], ['answered', 0]);
          await robot.until(({ inputs }) => inputs.acked === 2);
          assert.deepEqual(await inputNames(api, id), []);
          assert.deepEqual(robot.violations, []);
        });
      }

      it('a tap that began before the question becomes one event after a move, and the wait continues', async () => {
        const { id, robot, api, movable } = await setUp();
        robot.touchDown(...left);
        const call = api.act(id, 'ask', question);
        await waitArmed(system(), id, robot);
        await movable.moveTo(system().link(1));
        robot.touchUp(...left, 120);
        await until(async () => (await inputNames(api, id)).join() === 'tap');
        await robot.tap(...left);
        assert.equal((await call).body.answer, 'Yes');
        assert.deepEqual(await inputNames(api, id), ['tap']);
      });

      it('a tap made between two robot-links answers the wait when the robot is back', async () => {
        const { id, robot, api, movable } = await setUp();
        const call = api.act(id, 'ask', question);
        await waitArmed(system(), id, robot);
        movable.proxy.switchTo(system().link(1));
        movable.proxy.cut();
        await robot.until(({ online }) => !online);
        await robot.tap(...right);
        assert.equal((await call).body.answer, 'No');
        await robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
        assert.deepEqual(await inputNames(api, id), []);
      });

      it('a newer wait replaces the one that moved with the robot at once', async () => {
        const { id, robot, api, otherApi, movable } = await setUp();
        const older = api.act(id, 'ask', question);
        const number = await waitArmed(system(), id, robot);
        await movable.moveTo(system().link(1));
        const newer = otherApi.act(id, 'ask', { ...question, question: 'And now?' });
        assert.equal((await older).body.outcome, 'replaced');
        await questionShown(robot, `w${number}`);
        await waitArmed(system(), id, robot);
        await robot.tap(...left);
        assert.equal((await newer).body.outcome, 'answered');
      });
    });

    describe('restarting a robot during a wait', () => {
      it('a restarted robot draws the question again with the remaining time, and a tap answers it', async () => {
        const { id, robot, api, movable } = await setUp();
        const call = api.act(id, 'ask', question);
        await waitArmed(system(), id, robot);
        const shownAt = performance.now();
        await passed(300);
        movable.proxy.switchTo(system().link(1));
        robot.restart();
        await waitArmed(system(), id, robot);
        const passedMs = performance.now() - shownAt;
        const shown = robot.commands.filter(({ name }) => name === 'screen.show').at(-1)!;
        const leftMs = (shown.args['show_ms'] as number) - 2000;
        assert.ok(leftMs < 20_000 - 250 && leftMs > 20_000 - passedMs - 2000, `${leftMs} ms left after ${passedMs} ms`);
        await robot.tap(...left);
        assert.equal((await call).body.outcome, 'answered');
        assert.deepEqual(await inputNames(api, id), []);
        assert.deepEqual(robot.violations, []);
      });

      it('a wait keeps its deadline when its robot restarts', async () => {
        const { id, robot, api, movable } = await setUp();
        const call = api.act(id, 'ask', { ...question, timeout_s: 2 });
        await waitArmed(system(), id, robot);
        const since = performance.now();
        await passed(1000);
        movable.proxy.switchTo(system().link(1));
        robot.restart();
        await questionShown(robot);
        const { body } = await call;
        assert.equal(body.outcome, 'timed_out');
        const tookMs = performance.now() - since;
        assert.ok(tookMs > 1700, `${tookMs} ms`);
        await robot.until(({ screen }) => screen.question === null, { what: 'the question to be removed' });
      });

      it('a restarted robot draws the picture of a clickmap again, and a clickmap without a picture is armed again', async () => {
        for (const image of [{}, { image: png }]) {
          const { id, robot, api } = await setUp();
          const call = api.act(id, 'clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], timeout_s: 20, ...image });
          await waitArmed(system(), id, robot);
          robot.restart();
          await waitArmed(system(), id, robot);
          assert.equal(robot.screen.card !== null, 'image' in image);
          await robot.tap(33, 44);
          const { body } = await call;
          assert.deepEqual([body.region, body.x, body.y], ['all', 33, 44]);
        }
      });
    });

    describe('a robot that is away during a wait', () => {
      it('a wait is held while its robot is away for some seconds: other calls get 503 at once, and the tap answers when it is back', async () => {
        const { tenant, id, robot, api, otherApi, movable } = await setUp();
        const call = api.act(id, 'ask', question);
        await waitArmed(system(), id, robot);
        await movable.leave(tenant);
        const leftAt = performance.now();
        for (const [action, args] of [
          ['face', { emotion: 'happy' }],
          ['ask', question],
          ['sound', { chime: 'yes' }],
        ] as const) {
          const refused = await otherApi.act(id, action, args);
          assert.deepEqual([refused.status, refused.body.code], [503, 'robot_offline'], action);
        }
        assert.ok(performance.now() - leftAt < 2500, 'away is 503 at once');
        await passed(3300, leftAt);
        movable.proxy.switchTo(system().link(1));
        await robot.start();
        await robot.tap(...right);
        const { answer, robot_away: robotAway } = (await call).body;
        assert.deepEqual([answer, robotAway], ['No', true]);
        assert.deepEqual(await eventNames(api, id), ['connected', 'connected']);
        assert.deepEqual(robot.violations, []);
      });

      it('a wait whose robot is away past the deadline answers timed_out in time, and the question is removed when the robot is back', async () => {
        const { tenant, id, robot, api, movable } = await setUp();
        const call = api.act(id, 'ask', { ...question, timeout_s: 1 });
        const number = await waitArmed(system(), id, robot);
        const since = performance.now();
        await movable.leave(tenant);
        const { body } = await call;
        assert.equal(body.outcome, 'timed_out');
        assert.ok(performance.now() - since < 4000, `${performance.now() - since} ms`);
        assert.equal(robot.screen.question?.id, `w${number}`, 'nobody could take it away');
        const clear = once(robot, 'clear');
        movable.proxy.switchTo(system().link(1));
        await robot.start();
        assert.deepEqual(await clear, { layer: 'question', id: `w${number}`, why: 'cleared' });
        const said = await api.act(id, 'say', { text: 'Hello again' });
        assert.equal(said.status, 200, JSON.stringify(said.body));
      });

      it('a wait whose client hangs up while the robot is away ends, and a tap made on its question becomes an event', async () => {
        const { tenant, id, robot, api, movable } = await setUp();
        const hangUp = new AbortController();
        const call = api.act(id, 'ask', question, { signal: hangUp.signal });
        const number = await waitArmed(system(), id, robot);
        await movable.leave(tenant);
        hangUp.abort();
        await assert.rejects(call);
        await until(async () => (await system().store.waits.read(id, number))?.outcome?.outcome === 'cancelled');
        await robot.tap(...left);
        await robot.start();
        await robot.until(({ screen, inputs }) => screen.question === null && inputs.acked === inputs.seq);
        assert.deepEqual(await inputNames(api, id), ['tap']);
      });
    });

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
        for (const { robot } of [whole, moved]) await robot.until(({ sounds }) => sounds[0]?.done !== null, { timeoutMs: 30_000 });
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

type Events = Parameters<MovableRobot['robot']['on']>[0];

function once(robot: MovableRobot['robot'], name: Events): Promise<unknown> {
  return new Promise((resolve) => {
    const off = robot.on(name, (event) => {
      off();
      resolve(event);
    });
  });
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';
