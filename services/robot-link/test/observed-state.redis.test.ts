import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ObservedState, ToGateway } from '@perch/schema';
import { until } from '@perch/testkit';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

describe('observed state of a robot', () => {
  const system = useLinks();
  const link = useLink(system);

  async function state(made: TestRobot, more: { doing?: true } = { doing: true }): Promise<Extract<ToGateway, { t: 'state' }> | null> {
    const id = randomUUID();
    const { session } = await system.store.leases.find(made.id);
    await system.gateway.send(made, {
      t: 'state',
      id,
      robot: made.id,
      session,
      gateway: system.gateway.id,
      expires: system.store.clock.now() + 500,
      ...more,
    });
    const reply = await system.gateway.reply(id);
    return reply.t === 'state' ? reply : null;
  }
  const doing = async (made: TestRobot): Promise<ObservedState> => (await state(made))!.doing!;

  it('returns the state that the robot confirmed, without what it refused', async () => {
    const made = await system.started(link);
    await system.gateway.command(made, { name: 'bubble', args: { text: 'hello', seconds: 30 } });
    await system.gateway.command(made, { name: 'head.move', args: { yaw: 200, pitch: 20 } });
    await system.gateway.command(made, { name: 'leds.effect', args: { name: 'blink', color: '#ff0000', speed: 1, seconds: 0 } });
    made.robot.faults.nack('hardware');
    await system.gateway.command(made, { name: 'bubble', args: { text: 'refused', seconds: 30 } });
    const { bubble, head, leds, sound } = await doing(made);
    assert.deepEqual([bubble, head.yaw, head.pitch, leds.effect?.name, leds.pixels, sound], ['hello', 128, 20, 'blink', null, false]);
  });

  it('reports a sound from its first sample to its last', async () => {
    const made = await system.started(link);
    const { ref } = await system.sound(0.4);
    await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
    assert.equal((await doing(made)).sound, true);
    await until(async () => !(await doing(made)).sound, { what: 'the sound to end' });
  });

  it('omits the observed state from the answer to a state message that does not ask for it', async () => {
    const made = await system.started(link);
    assert.equal('doing' in (await state(made, {}))!, false);
  });

  it('knows after a take-over only what the robot itself reports', async () => {
    const made = await system.started(link);
    const { ref } = await system.sound(20);
    await system.gateway.command(made, { name: 'bubble', args: { text: 'hello', seconds: 30 } });
    await system.gateway.command(made, { name: 'face', args: { emotion: 'happy' } });
    await system.gateway.command(made, { name: 'audio.play', args: {}, sound: ref });
    const before = (await system.store.leases.find(made.id)).session;
    made.robot.faults.dropConnection();
    await until(async () => {
      const { state: now, session } = await system.store.leases.find(made.id);
      return now === 'held' && session !== before;
    });
    await until(async () => (await doing(made)).sound, { what: 'the sound to continue' });
    const afterwards = (await state(made))!;
    assert.deepEqual([afterwards.doing?.bubble, afterwards.doing?.leds, afterwards.showing.emotion], [null, { pixels: null, effect: null }, 'happy']);
  });
});
