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
    await robot.tap(...left, { lookMs: 1000 });
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

  it('actions of a scene with the same time begin within 50 ms of each other at the robot, and later ones at their time', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    const parts = ['head', 'leds', 'face', 'sound', 'picture'] as const;
    const began: [part: (typeof parts)[number], at: number][] = [];
    for (const part of parts) robot.on(part, () => began.push([part, robot.ms]));
    const spread = (times: readonly number[]): number => Math.max(...times) - Math.min(...times);
    const runs: { first: number; later: number; between: number }[] = [];
    // A busy machine delays single runs: the median of five counts.
    for (const emotion of ['happy', 'sad', 'angry', 'doubt', 'sleepy']) {
      began.length = 0;
      const { status, body } = await api.act(id, 'scene', {
        actions: [
          { action: 'move', gesture: 'nod', at_ms: 0 },
          { action: 'leds', color: 'green', at_ms: 0 },
          { action: 'face', emotion, at_ms: 0 },
          { action: 'sound', chime: 'yes', at_ms: 0 },
          { action: 'leds', color: 'blue', at_ms: 600 },
          { action: 'face', emotion: 'neutral', at_ms: 600 },
          { action: 'show', title: 'Together', text: emotion, at_ms: 600 },
        ],
      });
      assert.equal(status, 200, JSON.stringify(body));
      await robot.until(({ playing, head }) => playing === null && !head.moving, { what: 'the sound and the nod to end' });
      const first = parts.slice(0, 4).map((part) => began.find(([name]) => name === part)![1]);
      const later = (['leds', 'face', 'picture'] as const).map(
        (part) => began.findLast(([name, at]) => name === part && at > Math.max(...first))![1],
      );
      runs.push({ first: spread(first), later: spread(later), between: Math.min(...later) - Math.min(...first) });
      assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    }
    const median = (measure: keyof (typeof runs)[number]): number => runs.map((run) => run[measure]).toSorted((a, b) => a - b)[2]!;
    assert.ok(median('first') <= 50 && median('later') <= 50, JSON.stringify(runs));
    assert.ok(Math.abs(median('between') - 600) <= 50, JSON.stringify(runs));
    assert.deepEqual(robot.violations, []);
  });
});
