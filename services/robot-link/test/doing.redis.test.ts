import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Doing, ToGateway } from '@perch/schema';
import { until } from '@perch/testkit';
import { Stage, type Instance, type TestRobot } from './stage.js';

describe('what a robot does, told to who watches it', () => {
  let stage: Stage;
  let link: Instance;
  before(async () => {
    stage = await Stage.open();
    link = await stage.instance();
  });
  after(() => stage.close());

  async function state(made: TestRobot, more: { doing?: true } = { doing: true }): Promise<Extract<ToGateway, { t: 'state' }> | null> {
    const id = randomUUID();
    const { session } = await stage.store.leases.find(made.id);
    await stage.gate.send(made, { t: 'state', id, robot: made.id, session, gateway: stage.gate.id, expires: stage.store.clock.now() + 500, ...more });
    const reply = await stage.gate.reply(id);
    return reply.t === 'state' ? reply : null;
  }
  const doing = async (made: TestRobot): Promise<Doing> => (await state(made))!.doing!;

  it('as it confirmed, and nothing of what it refused', async () => {
    const made = await stage.started(link);
    await stage.gate.command(made, { name: 'bubble', args: { text: 'hello', seconds: 30 } });
    await stage.gate.command(made, { name: 'head.move', args: { yaw: 200, pitch: 20 } });
    await stage.gate.command(made, { name: 'leds.effect', args: { name: 'blink', color: '#ff0000', speed: 1, seconds: 0 } });
    made.robot.faults.nack('hardware');
    await stage.gate.command(made, { name: 'bubble', args: { text: 'refused', seconds: 30 } });
    const { bubble, head, leds, sound } = await doing(made);
    assert.deepEqual([bubble, head.yaw, head.pitch, leds.effect?.name, leds.pixels, sound], ['hello', 128, 20, 'blink', null, false]);
  });

  it('a sound from its first sample to its last', async () => {
    const made = await stage.started(link);
    const { ref } = await stage.sound(0.4);
    await stage.gate.command(made, { name: 'audio.play', args: {}, sound: ref });
    assert.equal((await doing(made)).sound, true);
    await until(async () => !(await doing(made)).sound, { what: 'the sound to end' });
  });

  it('is asked for: a plain state is as small as it was', async () => {
    const made = await stage.started(link);
    assert.equal('doing' in (await state(made, {}))!, false);
  });

  it('is not known after a take-over, but for what the robot says itself', async () => {
    const made = await stage.started(link);
    const { ref } = await stage.sound(20);
    await stage.gate.command(made, { name: 'bubble', args: { text: 'hello', seconds: 30 } });
    await stage.gate.command(made, { name: 'face', args: { emotion: 'happy' } });
    await stage.gate.command(made, { name: 'audio.play', args: {}, sound: ref });
    const before = (await stage.store.leases.find(made.id)).session;
    made.robot.faults.dropConnection();
    await until(async () => {
      const { state: now, session } = await stage.store.leases.find(made.id);
      return now === 'held' && session !== before;
    });
    await until(async () => (await doing(made)).sound, { what: 'the sound to go on' });
    const told = (await state(made))!;
    assert.deepEqual([told.doing?.bubble, told.doing?.leds, told.showing.emotion], [null, { pixels: null, effect: null }, 'happy']);
  });
});
