import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('closing connections', () => {
  const system = useLinks();
  const link = useLink(system);
  let bystander: TestRobot;
  before(async () => {
    bystander = await system.started(link);
  });
  afterEach('another robot of the instance stays connected', async () => {
    assert.equal(bystander.robot.dials, 1);
    assert.equal((await system.gateway.command(bystander, { name: 'face', args: { emotion: 'happy' } })).t, 'ack');
  });

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
      const made = await system.started(link, { reconnect: { minMs: 10_000 } });
      offend(made);
      await made.robot.until(({ lastClosed }) => lastClosed !== null);
      assert.equal(made.robot.lastClosed?.code, code);
      await until(async () => (await system.store.leases.find(made.id)).state === 'away');
    });
  }

  it('ignores messages and inputs of later versions', async () => {
    const made = await system.started(link);
    made.robot.faults.sendRaw('{"t":"something_new","x":1}');
    made.robot.faults.sendRaw('{"t":"sensors","values":{"new_reading":1,"battery_pct":900,"light_lux":5},"more":true}');
    made.robot.input('new_kind', { x: 1 });
    await made.robot.until(({ inputs }) => inputs.acked === 1);
    assert.equal(made.robot.dials, 1);
  });

  it('disconnects a robot that does not read what it is sent', async () => {
    const made = await system.started(link, { reconnect: { minMs: 60_000, maxMs: 60_000 } });
    const picture = await system.picture(3_000_000);
    const command = { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] };
    made.robot.faults.stopReading();
    // The kernel buffers some megabytes before the buffers of this process fill.
    await until(
      async () => {
        await Promise.all(Array.from({ length: 4 }, () => system.gateway.command(made, command, { ttlMs: 1 })));
        return (await system.store.leases.find(made.id)).state === 'away';
      },
      { timeoutMs: 50_000 },
    );
    made.robot.faults.resume();
  });

  it('sends a close reason that fits into the frame, however long the cause', async () => {
    const made = await system.started(link, { reconnect: { minMs: 10_000 } });
    made.robot.faults.sendRaw(JSON.stringify({ t: 'hello', v: 'x'.repeat(200), ['ü'.repeat(200)]: 1 }));
    await made.robot.until(({ lastClosed }) => lastClosed?.code === 4400);
    assert.ok(made.robot.lastClosed!.reason.length > 0);
  });
});
