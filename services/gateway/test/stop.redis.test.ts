import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { Bench, type Answer, type Owner } from './bench.js';
import { hello } from './test-link.js';

const question = { question: 'Coffee?', answers: ['Yes', 'No'] };

describe('stop', () => {
  let bench: Bench;
  let owner: Owner;

  before(async () => {
    bench = await Bench.start();
  });
  beforeEach(async () => {
    owner = await bench.ownerOnline();
    bench.link.answer = ({ id }) => ({ t: 'ack', id, result: {} });
    bench.link.commands.length = 0;
    bench.link.waits.length = 0;
    bench.link.waitEnds.length = 0;
    bench.beforeDrawn = () => Promise.resolve();
  });
  after(() => bench.stop());

  const stop = (args: unknown = {}): Promise<Answer> => bench.act(owner, 'stop', args);
  const told = (): string[] => bench.link.commands.map(({ command }) => command.name).toSorted();

  it('ends the sound, the LED effect and the motion, and the wait, whose caller is answered that it was replaced', async () => {
    const asked = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    const { status, body, headers } = await stop();
    assert.deepEqual([status, body], [200, { ok: true, stopped: ['wait', 'sound', 'leds', 'head'], left_out: [] }]);
    assert.match(headers.get('ratelimit')!, /r=28/);
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
      bench.link.commands.map(({ command }) => command).toSorted((a, b) => a.name.localeCompare(b.name)),
      [
        { name: 'audio.stop', args: {} },
        { name: 'head.gesture', args: { name: 'home' } },
        { name: 'leds.effect', args: { name: 'off', speed: 1, seconds: 0 } },
      ],
    );
    await until(() => bench.link.waitEnds.length === 1);
    assert.ok(bench.link.waitEnds[0]! > bench.link.waits[0]!.number, 'the question goes');
  });

  it('says nothing of a wait where none was open, and can be sent again', async () => {
    for (let i = 0; i < 2; i++) assert.deepEqual((await stop()).body, { ok: true, stopped: ['sound', 'leds', 'head'], left_out: [] });
  });

  it('what the robot does not have is left out and said', async () => {
    await bench.link.take(owner.robot, owner.token, { ...hello, features: ['face', 'leds'] });
    assert.deepEqual((await stop()).body, { ok: true, stopped: ['leds'], left_out: ['wait', 'sound', 'head'] });
    assert.deepEqual(told(), ['leds.effect']);
    bench.link.answer = ({ id }) => ({ t: 'nack', id, code: 'not_offered', error: 'The robot refused: unknown' });
    assert.deepEqual((await stop()).body, { ok: true, stopped: [], left_out: ['wait', 'sound', 'leds', 'head'] });
  });

  it('a part that fails fails the call, which says which, and the others are ended all the same', async () => {
    const asked = bench.act(owner, 'ask', question);
    await until(() => bench.link.waits.length === 1);
    bench.link.answer = ({ id, command }) =>
      command.name === 'leds.effect' ? { t: 'nack', id, code: 'robot_hardware', error: 'The robot refused: broken' } : { t: 'ack', id, result: {} };
    const { status, body } = await stop();
    assert.deepEqual([status, body.code, body.error], [503, 'robot_hardware', 'leds: The robot refused: broken']);
    assert.deepEqual(told(), ['audio.stop', 'head.gesture', 'leds.effect']);
    assert.equal((await asked).body.outcome, 'replaced');
  });

  it('a wait that is still being drawn when it comes never opens; one that comes after it does', async () => {
    let draw = (): void => {};
    bench.beforeDrawn = () => new Promise((resolve) => (draw = resolve));
    const drawn = bench.drawn.length;
    const early = bench.act(owner, 'ask', { ...question, question: `Early, ${owner.robot}?` });
    await until(() => bench.drawn.length === drawn + 1);
    assert.deepEqual((await stop()).body.stopped, ['sound', 'leds', 'head']);
    bench.beforeDrawn = () => Promise.resolve();
    draw();
    assert.equal((await early).body.outcome, 'replaced');
    assert.equal(bench.link.waits.length, 0);
    bench.link.onWait = (record, robot) => void bench.link.settle(robot, record, { outcome: 'answered', index: 1, x: 0, y: 0 });
    try {
      assert.equal((await bench.act(owner, 'ask', question)).body.answer, 'No');
    } finally {
      bench.link.onWait = () => {};
    }
  });

  it('refused, it ends nothing', async () => {
    const asked = bench.act(owner, 'ask', { ...question, timeout_s: 1.5 });
    await until(() => bench.link.waits.length === 1);
    const unknown = await stop({ what: 'all' });
    assert.deepEqual([unknown.status, unknown.body.field], [400, 'what']);
    await bench.link.release(owner.robot, 'away');
    assert.deepEqual([(await stop()).body.code, told()], ['robot_offline', []]);
    assert.equal((await asked).body.outcome, 'timed_out');
  });
});
