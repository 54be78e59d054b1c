import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { Stage, type Instance, type TestRobot } from './stage.js';

describe('what a robot must not do', () => {
  let stage: Stage;
  let link: Instance;
  let bystander: TestRobot;
  before(async () => {
    stage = await Stage.open();
    link = await stage.instance();
    bystander = await stage.started(link);
  });
  afterEach('nobody else was touched', async () => {
    assert.equal(bystander.robot.dials, 1);
    assert.equal((await stage.gate.command(bystander, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
  });
  after(() => stage.close());

  const cases: [string, number, (made: TestRobot) => void][] = [
    ['text that is not JSON', 4400, (made) => made.robot.faults.sendGarbage('text')],
    ['a binary frame', 4400, (made) => made.robot.faults.sendGarbage('binary')],
    ['an input whose number is not readable', 4400, (made) => made.robot.faults.sendRaw('{"t":"in","seq":"1","ms":1,"kind":"usb","present":true}')],
    [
      'a second hello',
      4400,
      (made) =>
        made.robot.faults.sendRaw(
          JSON.stringify({
            t: 'hello',
            v: [1],
            model: 'm',
            firmware: 'f',
            boot_id: 'b',
            dial: 1,
            reason: 'start',
            features: [],
            commands: [],
            showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
          }),
        ),
    ],
    ['a text over 16 KB', 4008, (made) => made.robot.faults.oversize()],
    ['a frame beyond all measure', 4008, (made) => made.robot.faults.oversize(300_000)],
    ['a flood of messages', 4008, (made) => made.robot.faults.flood(5000)],
  ];
  for (const [what, code, offend] of cases) {
    it(`closes with ${code} for ${what}`, async () => {
      const made = await stage.started(link, { reconnect: { minMs: 10_000 } });
      offend(made);
      await made.robot.until(({ lastClosed }) => lastClosed !== null);
      assert.equal(made.robot.lastClosed?.code, code);
      await until(async () => (await stage.store.leases.find(made.id)).state === 'away');
    });
  }

  it('ignores messages and inputs of later versions', async () => {
    const made = await stage.started(link);
    made.robot.faults.sendRaw('{"t":"something_new","x":1}');
    made.robot.faults.sendRaw('{"t":"sensors","values":{"new_reading":1,"battery_pct":900,"light_lux":5},"more":true}');
    made.robot.input('new_kind', { x: 1 });
    await made.robot.until(({ inputs }) => inputs.acked === 1);
    assert.equal(made.robot.dials, 1);
  });

  it('lets a robot go that does not read what it is sent', async () => {
    const made = await stage.started(link, { reconnect: { minMs: 60_000, maxMs: 60_000 } });
    const picture = await stage.picture(700_000);
    const command = { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] };
    made.robot.faults.stopReading();
    // The kernel's own buffers take some megabytes before ours fill.
    await until(
      async () => {
        await Promise.all(Array.from({ length: 4 }, () => stage.gate.command(made, command, { ttlMs: 1 })));
        return (await stage.store.leases.find(made.id)).state === 'away';
      },
      { timeoutMs: 30_000 },
    );
    made.robot.faults.resume();
  }).timeout(40_000);

  it('is told why, however long the reason', async () => {
    const made = await stage.started(link, { reconnect: { minMs: 10_000 } });
    made.robot.faults.sendRaw(JSON.stringify({ t: 'hello', v: 'x'.repeat(200), ['ü'.repeat(200)]: 1 }));
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4400);
    assert.ok(made.robot.lastClosed!.reason.length > 0);
  });
});
