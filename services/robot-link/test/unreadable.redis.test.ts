import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('unreadable messages of a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  const allAcked = (made: TestRobot) => made.robot.until(({ inputs }) => inputs.acked === inputs.seq, { what: 'all input acked' });
  const metric = async (name: string): Promise<string[]> =>
    (await link.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) && !line.endsWith(' 0'));

  it('acknowledges an unreadable input, keeps the session open and processes the inputs after it', async () => {
    const made = await system.started(link, { instant: true });
    made.robot.input('head_down', { zone: 'front' });
    made.robot.input('ir', {});
    made.robot.input('nfc_in', { uid: '04AB', ndef_b64: 5 });
    made.robot.input('smell', { ms: 'late' });
    await made.robot.pressPower();
    await system.events(made, ['connected', 'button']);
    await allAcked(made);
    assert.equal(made.robot.lastClosed, null);
    assert.equal(made.robot.dials, 1);
    assert.deepEqual(made.robot.violations, []);
    const counted = await metric('perch_link_inputs_unreadable_total');
    for (const kind of ['head_down', 'ir', 'nfc_in', 'unknown'])
      assert.ok(
        counted.some((line) => line.includes(`kind="${kind}"`)),
        kind,
      );
  });

  it('does not receive an unreadable input again after a reconnect', async () => {
    const made = await system.started(link, { instant: true });
    made.robot.input('touch_down', { x: 'left', y: 3 });
    await allAcked(made);
    made.robot.faults.dropConnection();
    await made.robot.until(({ dials, online }) => dials === 2 && online);
    assert.deepEqual(made.robot.inputs.unacked, []);
    await made.robot.tap(10, 20);
    // Whether the reconnect causes a `connected` event depends on its duration.
    await until(async () => (await system.eventNames(made)).at(-1) === 'tap', { what: 'the tap to be an event' });
    await allAcked(made);
  });

  it('drops a touch whose end is unreadable, so that the acks of later inputs are not held back', async () => {
    const made = await system.started(link, { instant: true });
    made.robot.touchDown(10, 20);
    made.robot.input('touch_up', { x: 10, y: 20, held_ms: 'short' });
    made.robot.headDown(0);
    made.robot.input('head_up', { zone: 0, held_ms: null });
    await allAcked(made);
    await made.robot.tap(30, 40);
    await system.events(made, ['connected', 'tap']);
  });

  it('drops unreadable acks, sensor reports, flow reports, ends of sounds and log lines, and keeps the session open', async () => {
    const made = await system.started(link, { sensors: false });
    const send = (message: object): void => made.robot.faults.sendRaw(JSON.stringify(message));
    send({ t: 'ack', ms: 1, ok: true });
    send({ t: 'sensors', values: [1] });
    send({ t: 'flow', stream: 'seven' });
    send({ t: 'play_done', stream: 1, reason: 'tired' });
    send({ t: 'log', level: 'loud', text: 'x' });
    await made.robot.pressPower();
    await allAcked(made);
    assert.equal(made.robot.dials, 1);
    const counted = await metric('perch_link_messages_unreadable_total');
    for (const type of ['ack', 'sensors', 'flow', 'play_done', 'log'])
      assert.ok(
        counted.some((line) => line.includes(`type="${type}"`)),
        type,
      );
  });

  it("writes what it cannot read of an input into the robot's log, which the owner sees, and makes no event of it", async () => {
    const made = await system.started(link, { instant: true });
    for (const uid of ['4a1b2c3', '04a1b', '04a1b2xx', '04 a1 b2 ']) made.robot.input('nfc_in', { uid });
    made.robot.input('nfc_in', { uid: '04:A1:B2' });
    await system.events(made, ['connected', 'tag']);
    await allAcked(made);
    const lines = await until(async () => {
      const kept = await system.store.robotLines.read(made.id);
      return kept.length === 4 ? kept : null;
    });
    for (const [index, { level, text }] of lines.entries()) {
      assert.equal(level, 'warn');
      assert.match(text, new RegExp(`^perch cannot read input ${index + 1} \\(nfc_in\\): .*uid`));
    }
  });

  it('stores up to ten log lines a minute of a robot, without control characters, and deletes them with the robot', async () => {
    const made = await system.started(link);
    made.robot.log('warn', 'servo 1: \u001b[31mno answer\u202e\nsecond line');
    for (let i = 0; i < 20; i += 1) made.robot.log('info', `line ${i}`);
    const lines = await until(
      async () => {
        const kept = await system.store.robotLines.read(made.id);
        return kept.length === 10 && (await metric('perch_link_log_lines_total')).some((line) => line.endsWith('} 11')) ? kept : null;
      },
      { what: 'ten lines kept and eleven dropped' },
    );
    assert.deepEqual([lines[0]!.level, lines[0]!.text], ['warn', 'servo 1: \ufffd[31mno answer\ufffd second line']);
    assert.ok(Math.abs(Date.parse(lines[0]!.at) - system.store.clock.now()) < 60_000);
    await system.store.robots.remove(made.account, made.id);
    assert.deepEqual(await system.store.robotLines.read(made.id), []);
  });

  it('stores why the robot started', async () => {
    const made = await system.started(link, { boot: { cause: 'watchdog', error: 'stuck in\u0007 draw' } });
    assert.deepEqual((await system.store.robots.get(made.id))?.hello.boot, { cause: 'watchdog', error: 'stuck in\ufffd draw' });
  });

  it('sends the duration of a head movement only to a robot with the feature move_duration', async () => {
    const timed = await system.started(link);
    const plain = await system.started(link, { features: ['head'] });
    for (const made of [timed, plain]) await system.gateway.command(made, { name: 'head.move', args: { yaw: 60 } });
    assert.deepEqual(plain.robot.commands[0]!.args, { yaw: 60 });
    assert.equal((timed.robot.commands[0]!.args as { duration_ms: number }).duration_ms, 500);
  });
});
