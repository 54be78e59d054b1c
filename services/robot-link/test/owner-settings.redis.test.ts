import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import type { QuietHours, RobotSettings } from '@perch/schema';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { useLink, useLinks, type TestRobot } from './links-under-test.js';

const timeAfter = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(11, 16);
const hourMs = 3_600_000;
const quietNow = (): QuietHours => ({ from: timeAfter(-hourMs), to: timeAfter(hourMs) });
const quietLater = (): QuietHours => ({ from: timeAfter(hourMs), to: timeAfter(2 * hourMs) });

describe("the owner's settings of a robot", () => {
  const system = useLinks();
  const link = useLink(system);

  /** Changes settings and has the robot-link read them, as a gateway does. */
  async function change(made: TestRobot, settings: Partial<RobotSettings>): Promise<void> {
    const { robots, leases, instance } = system.store;
    const holder = await robots.change(system.account, made.id, settings);
    assert.ok(holder !== null && holder !== 'unknown');
    const id = randomUUID();
    const { session } = await leases.find(made.id);
    await system.gateway.send(made, { t: 'state', id, robot: made.id, session, gateway: instance, expires: Date.now() + 5000, settings: true });
    assert.equal((await system.gateway.reply(id)).t, 'state');
  }

  async function play(made: TestRobot, args: object = {}): Promise<unknown> {
    const { ref } = await system.sound(0.05);
    const reply = await system.gateway.command(made, { name: 'audio.play', args: { ...args }, sound: ref });
    assert.ok(reply.t === 'ack', JSON.stringify(reply));
    return reply.result['silenced'];
  }

  it('silences sounds in quiet hours, without sending them, and plays them outside', async () => {
    const made = await system.started(link);
    assert.equal(await play(made), undefined);
    await change(made, { quietHours: quietNow() });
    assert.equal(await play(made, { volume: 20 }), 'quiet_hours');
    assert.equal((await system.gateway.command(made, { name: 'audio.volume', args: { pct: 40 } })).t, 'ack');
    assert.equal((await system.gateway.command(made, { name: 'audio.stop', args: {} })).t, 'ack');
    await change(made, { quietHours: quietLater() });
    assert.equal(await play(made), undefined);
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['audio.play', 'audio.volume', 'audio.stop', 'audio.play'],
    );
    assert.equal(made.robot.volume, 40);
  });

  it('counts quiet hours in the time zone of the robot', async () => {
    const made = await system.started(link);
    await change(made, { quietHours: quietNow() });
    assert.equal(await play(made), 'quiet_hours');
    await change(made, { timeZone: 'Asia/Tokyo' });
    assert.equal(await play(made), undefined);
  });

  it('limits the volume of sounds, also of sounds without a volume, and follows a program that plays softer', async () => {
    const made = await system.started(link);
    await change(made, { volumeMax: 50 });
    const volumes: number[] = [];
    for (const args of [{}, { volume: 80 }, { volume: 30 }, {}]) {
      await play(made, args);
      volumes.push(made.robot.volume);
    }
    assert.deepEqual(volumes, [50, 50, 30, 30]);
    await system.gateway.command(made, { name: 'audio.volume', args: { pct: 100 } });
    assert.equal(made.robot.volume, 50);
    await change(made, { volumeMax: null });
    await play(made);
    assert.equal(made.robot.volume, 50);
    await play(made, { volume: 80 });
    assert.equal(made.robot.volume, 80);
    await change(made, { volumeMax: 0 });
    await play(made);
    assert.equal(made.robot.volume, 0);
  });

  it('applies settings that were changed while the robot was away', async () => {
    const made = await system.robot(link);
    assert.equal(await system.store.robots.change(system.account, made.id, { quietHours: quietNow(), volumeMax: 10 }), null);
    await made.robot.start();
    assert.equal(await play(made), 'quiet_hours');
    await system.gateway.command(made, { name: 'audio.volume', args: { pct: 90 } });
    assert.equal(made.robot.volume, 10);
  });

  it('reads the settings again after messages may have been lost', async function () {
    needsRealRedis(this, await redisUrl(), 'CLIENT KILL TYPE');
    const made = await system.started(link);
    await system.store.robots.change(system.account, made.id, { quietHours: quietNow() });
    assert.equal(await play(made), undefined);
    await link.store.connections.commands.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const { ref } = await system.sound(0.05);
    const { session } = await system.store.leases.find(made.id);
    // Messages are lost until both sides have subscribed again.
    await until(
      async () => {
        const id = randomUUID();
        const expires = system.store.clock.now() + 5000;
        const command = { name: 'audio.play', args: {}, sound: ref };
        await system.gateway.send(made, { t: 'command', id, robot: made.id, session, gateway: system.gateway.id, expires, requestId: id, command });
        return system.gateway.messages.some((message) => message.t === 'ack' && message.result['silenced'] === 'quiet_hours');
      },
      { what: 'the robot-link to read the settings' },
    );
  });
});
