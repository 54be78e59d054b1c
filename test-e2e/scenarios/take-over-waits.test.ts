import assert from 'node:assert/strict';
import { movingMaxMs } from '@perch/store';
import { until } from '@perch/testkit';
import { withSlowestCall } from '../fixture/clients/slowest-call.js';
import { left, questionShown, right, waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';
import type { MovableRobot } from '../fixture/robots/movable-robot.js';
import { eventNames, inputNames, passed, processed, setUpMovable, type MovableOptions } from '../fixture/robots/take-over.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=';
const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

onSharedSystems(
  'take-over during a wait',
  (system) => {
    const setUp = (options?: MovableOptions) => setUpMovable(system(), options);

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
        ['clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], timeout_s: 20, image: png }],
      ] as const) {
        it(`a tap whose touch begins on one robot-link and ends on another answers the wait (${action}), once and without an event`, async () => {
          const { id, robot, api, movable } = await setUp();
          const call = api.act(id, action, args);
          await waitArmed(system(), id, robot);
          await robot.look();
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

      it('a tap whose touch begins before a move and ends after it answers no clickmap without a picture, since what showed meanwhile is not known', async () => {
        const { id, robot, api, movable } = await setUp();
        const call = api.act(id, 'clickmap', { regions: [{ id: 'all', rect: [0, 0, 320, 240] }], timeout_s: 20 });
        await waitArmed(system(), id, robot);
        await robot.look();
        robot.touchDown(...left);
        await processed(api, id);
        await movable.moveTo(system().link(1));
        robot.touchUp(...left, 120);
        await until(async () => (await inputNames(api, id)).join() === 'tap');
        await robot.until(({ commands }) => commands.at(-1)?.name === 'screen.clear' && commands.at(-1)?.ack !== null);
        await robot.tap(...left);
        assert.equal((await call).body.outcome, 'answered');
        assert.deepEqual(await inputNames(api, id), ['tap']);
      });

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
          const since = performance.now();
          const refused = await otherApi.act(id, action, args);
          assert.deepEqual([refused.status, refused.body.code], [503, 'robot_offline'], action);
          assert.ok(performance.now() - since < movingMaxMs, `${action} waited for a robot that is not moving`);
        }
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
        const other = await system().tenant();
        const { result: tookMs, slowestMs } = await withSlowestCall(
          () => other.api().get('/v1/robots'),
          async () => {
            const since = performance.now();
            await movable.leave(tenant);
            assert.equal((await call).body.outcome, 'timed_out');
            return performance.now() - since;
          },
        );
        assert.ok(tookMs < 4000 + 2 * slowestMs, `${tookMs} ms; other calls took ${slowestMs} ms`);
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
