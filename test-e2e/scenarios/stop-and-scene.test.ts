import assert from 'node:assert/strict';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';

onSharedSystems('stop and scene', (system) => {
  it('stop ends a question, a sound, an effect and a motion at once, and the robot is free afterwards', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const [api, other] = [await checkedApi(tenant), await checkedApi(tenant, 1)];
    assert.equal((await api.act(id, 'sound', { notes: 'C4:20000' })).status, 200);
    assert.equal((await api.act(id, 'leds', { effect: 'rainbow' })).status, 200);
    assert.equal((await api.act(id, 'move', { yaw: 100 })).status, 200);
    const asking = api.act(id, 'ask', { question: 'Go on?', answers: ['Yes', 'No'], timeout_s: 60 });
    await questionShown(robot);
    await waitArmed(system(), id, robot);
    assert.ok(robot.playing !== null && robot.leds.effect !== null);

    const { status, body } = await other.act(id, 'stop');
    assert.deepEqual([status, body], [200, { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] }]);
    assert.deepEqual((await asking).body, {
      ok: true,
      outcome: 'replaced',
      timed_out: false,
      replaced: true,
      robot_away: false,
      answer: null,
      index: null,
    });
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to be gone' });
    assert.deepEqual([robot.playing, robot.sounds.at(-1)?.done, robot.leds.effect?.name], [null, 'stopped', 'off']);
    await robot.until(({ head }) => !head.moving && head.yaw === 0, { what: 'the head to be home' });

    const next = other.act(id, 'ask', { question: 'And now?', answers: ['Yes', 'No'], timeout_s: 20 });
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    assert.equal((await next).body.answer, 'Yes');
    assert.equal((await api.act(id, 'say', { text: 'Done.' })).status, 200);
    assert.deepEqual(robot.violations, []);
  });

  it('a scene shows, plays and asks in its order; an invalid part leaves the robot as it is', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const api = await checkedApi(tenant);
    const before = robot.commands.length;
    const wrong = await api.act(id, 'scene', {
      actions: [
        { action: 'face', emotion: 'sad' },
        { action: 'leds', off: true },
        { action: 'say', text: '' },
      ],
    });
    assert.deepEqual([wrong.status, wrong.body.field, robot.commands.length], [400, 'actions[2].text', before]);

    const scene = api.act(id, 'scene', {
      actions: [
        { action: 'face', emotion: 'happy' },
        { action: 'show', title: 'Tea', text: 'Ready', progress: 1 },
        { action: 'leds', color: 'green' },
        { action: 'move', yaw: 10 },
        { action: 'sound', notes: 'C5:80' },
        { action: 'menu', items: ['Now', 'Later'], timeout_s: 20 },
      ],
    });
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    const { status, body } = await scene;
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.results.length, body.results[3].yaw, body.results[5].item], [6, 10, 'Now']);
    const names = robot.commands.slice(before).map(({ name, args }) => (name === 'screen.show' ? `show ${String(args['layer'])}` : name));
    assert.deepEqual(names.slice(0, 6), ['face', 'show card', 'leds.set', 'head.move', 'audio.play', 'show question']);

    const failed = await api.act(id, 'scene', {
      actions: [
        { action: 'face', emotion: 'neutral' },
        { action: 'say', text: 'Hidden' },
        { action: 'show', clear: true },
      ],
    });
    assert.deepEqual([failed.status, failed.body.code, failed.body.field, failed.body.results], [400, 'card_showing', 'actions[1]', [{ ok: true }]]);
    assert.ok(robot.screen.card !== null, 'what stood behind the failed one was not done');
    assert.deepEqual(robot.violations, []);
  });
});
