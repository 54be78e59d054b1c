import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { hello } from './test-link.js';

const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

describe('stop', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const stop = (args: unknown = {}): Promise<Answer> => system.act(owner, 'stop', args);
  const sentCommands = (): string[] => system.link.commands.map(({ command }) => command.name).toSorted();

  it('ends the sound, the LED effect, the motion and the wait, whose caller is answered that it was replaced', async () => {
    const asked = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    const { status, body, headers } = await stop();
    assert.deepEqual([status, body], [200, { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] }]);
    // Two of 30 are charged; one returns every 100 ms.
    assert.match(headers.get('ratelimit')!, /r=2[89];/);
    assert.deepEqual((await asked).body, {
      ok: true,
      outcome: 'replaced',
      timed_out: false,
      replaced: true,
      robot_away: false,
      answer: null,
      index: null,
    });
    assert.deepEqual(
      system.link.commands.map(({ command }) => command).toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { name: 'audio.stop', args: {} },
        { name: 'head.gesture', args: { name: 'home' } },
        { name: 'leds.effect', args: { name: 'off', speed: 1, seconds: 0 } },
      ],
    );
    await until(() => system.link.waitEnds.length === 1);
    assert.ok(system.link.waitEnds[0]! > system.link.waits[0]!.number, 'the question goes');
  });

  it('does not list a wait when none was open, and can be sent again', async () => {
    for (let i = 0; i < 2; i++) assert.deepEqual((await stop()).body, { ok: true, stopped: ['sound', 'leds', 'head'], left_out: [] });
  });

  it('lists parts that the robot lacks in left_out', async () => {
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['face', 'leds'] });
    assert.deepEqual((await stop()).body, { ok: true, stopped: ['leds'], left_out: ['wait', 'sound', 'head'] });
    assert.deepEqual(sentCommands(), ['leds.effect']);
    system.link.answer = ({ id }) => ({ t: 'nack', id, code: 'not_offered', error: 'The robot refused: unknown' });
    assert.deepEqual((await stop()).body, { ok: true, stopped: [], left_out: ['wait', 'sound', 'leds', 'head'] });
  });

  it('answers the error of a part that failed, naming it, and ends the other parts', async () => {
    const asked = system.act(owner, 'ask', question);
    await until(() => system.link.waits.length === 1);
    system.link.answer = ({ id, command }) =>
      command.name === 'leds.effect' ? { t: 'nack', id, code: 'robot_hardware', error: 'The robot refused: broken' } : { t: 'ack', id, result: {} };
    const { status, body } = await stop();
    assert.deepEqual([status, body.code, body.error], [503, 'robot_hardware', 'leds: The robot refused: broken']);
    assert.deepEqual(sentCommands(), ['audio.stop', 'head.gesture', 'leds.effect']);
    assert.equal((await asked).body.outcome, 'replaced');
  });

  it('replaces a wait that is still being drawn when stop arrives, and opens one that is called after it', async () => {
    let draw = (): void => {};
    system.beforeDrawn = () => new Promise((resolve) => (draw = resolve));
    const drawn = system.drawn.length;
    const early = system.act(owner, 'ask', { ...question, question: `Early, ${owner.robot}?` });
    await until(() => system.drawn.length === drawn + 1);
    assert.deepEqual((await stop()).body.stopped, ['sound', 'leds', 'head']);
    system.beforeDrawn = () => Promise.resolve();
    draw();
    assert.equal((await early).body.outcome, 'replaced');
    assert.equal(system.link.waits.length, 0);
    system.link.onWait = (record, robot) => void system.link.settle(robot, record, { outcome: 'answered', index: 1, x: 0, y: 0 });
    assert.equal((await system.act(owner, 'ask', question)).body.answer, 'No');
  });

  it('ends nothing when it is rejected', async () => {
    const asked = system.act(owner, 'ask', { ...question, timeout_s: 1.5 });
    await until(() => system.link.waits.length === 1);
    const unknown = await stop({ what: 'all' });
    assert.deepEqual([unknown.status, unknown.body.field], [400, 'what']);
    await system.link.release(owner.robot, 'away');
    assert.deepEqual([(await stop()).body.code, sentCommands()], ['robot_offline', []]);
    assert.equal((await asked).body.outcome, 'timed_out');
  });
});
