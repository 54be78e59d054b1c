import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ToLink } from '@perch/schema';
import { until } from '@perch/testkit';
import { leftHalf, useLinks, type Instance, type TestRobot } from '../links-under-test.js';

describe('metrics of a robot-link', () => {
  const system = useLinks({ perTest: true });
  let link: Instance;
  beforeEach(async () => {
    link = await system.instance();
  });

  /** @param sample name and labels as in the text @returns its value; 0 if there is no such sample */
  async function valueOf(sample: string): Promise<number> {
    const line = (await link.registry.metrics()).split('\n').find((each) => each.startsWith(`${sample} `));
    return line === undefined ? 0 : Number(line.slice(sample.length));
  }
  const deliveries = (name: string): Promise<number> => valueOf(`perch_link_command_delivery_seconds_count{name="${name}"}`);

  async function send(robot: TestRobot, name: string, more: Partial<Extract<ToLink, { t: 'command' }>> = {}): Promise<void> {
    const id = randomUUID();
    const { session } = await system.store.leases.find(robot.id);
    const expires = system.store.clock.now() + 5000;
    const command = { name, args: name === 'face' ? { emotion: 'happy' } : { yaw: 5 } };
    await system.gateway.send(robot, {
      t: 'command',
      id,
      robot: robot.id,
      session,
      gateway: system.gateway.id,
      expires,
      requestId: id,
      command,
      ...more,
    });
    assert.equal((await system.gateway.reply(id)).t, 'ack');
  }

  describe('delivery of a command', () => {
    it('counts the delivery of a command by name, from the arrival of its call, which may have waited for a drawing', async () => {
      const robot = await system.started(link);
      await send(robot, 'face', { arrivedAt: system.store.clock.now() });
      await send(robot, 'head.move', { arrivedAt: system.store.clock.now() - 3000 });
      assert.deepEqual([await deliveries('face'), await deliveries('head.move')], [1, 1]);
      const seconds = await valueOf('perch_link_command_delivery_seconds_sum{name="head.move"}');
      assert.ok(seconds >= 2.9 && seconds < 60, `${seconds} s`);
    });

    it('counts the delivery of a command as 0 s if the clocks of two instances make it negative', async () => {
      const robot = await system.started(link);
      await send(robot, 'face', { arrivedAt: system.store.clock.now() + 4000 });
      assert.deepEqual([await deliveries('face'), await valueOf('perch_link_command_delivery_seconds_sum{name="face"}')], [1, 0]);
    });

    it('counts no delivery of a command without the time of arrival, as the second of a call, nor of one that was not written', async () => {
      const robot = await system.started(link);
      await send(robot, 'face');
      const { session } = await system.store.leases.find(robot.id);
      const late = {
        expires: system.store.clock.now() - 1,
        requestId: 'late',
        gateway: system.gateway.id,
        arrivedAt: system.store.clock.now() - 9000,
      };
      const command = { name: 'face', args: { emotion: 'sad' } };
      await system.gateway.send(robot, { t: 'command', id: 'late', robot: robot.id, session, command, ...late });
      assert.equal((await system.gateway.reply('late')).t, 'nack');
      assert.equal(await deliveries('face'), 0);
    });

    it("counts the delivery of a question's picture once, although its message arrives twice", async () => {
      const robot = await system.started(link);
      const picture = await system.picture();
      const number = (await system.store.waits.number(robot.id))!;
      const record = {
        number,
        kind: 'ask',
        targets: [leftHalf],
        picture,
        timeoutMs: 30_000,
        gateway: system.gateway.id,
        call: 'c',
        requestId: 'q',
      } as const;
      await system.store.waits.open(robot.id, { ...record, targets: [...record.targets] });
      const { session } = await system.store.leases.find(robot.id);
      const message = {
        t: 'wait',
        robot: robot.id,
        session,
        record: { ...record, targets: [...record.targets] },
        arrivedAt: system.store.clock.now() - 2000,
      } satisfies ToLink;
      await system.gateway.send(robot, message);
      await system.gateway.send(robot, message);
      await robot.robot.until(({ screen }) => screen.question !== null);
      await until(async () => (await deliveries('screen.show')) === 1);
      await send(robot, 'face');
      assert.equal(await deliveries('screen.show'), 1);
      assert.ok((await valueOf('perch_link_command_delivery_seconds_sum{name="screen.show"}')) >= 1.9);
    });
  });

  it("counts started sessions by the reason in the robot's hello", async () => {
    const { robot } = await system.started(link);
    const opened = (reason: string): Promise<number> => valueOf(`perch_link_sessions_opened_total{reason="${reason}"}`);
    assert.deepEqual([await opened('start'), await opened('restart'), await opened('reconnect')], [1, 0, 0]);
    robot.faults.dropConnection();
    await until(async () => (await opened('reconnect')) === 1);
    robot.restart();
    await until(async () => (await opened('restart')) === 1);
    assert.equal(await opened('start'), 1);
  });

  it('counts each robot in exactly one state', async () => {
    const state = (name: string): Promise<number> => valueOf(`perch_link_robots_by_state{state="${name}"}`);
    const states = async (): Promise<number[]> => Promise.all([state('asking'), state('playing'), state('moving'), state('showing'), state('idle')]);
    assert.deepEqual(await states(), [0, 0, 0, 0, 0]);
    const shows = await system.started(link);
    const moves = await system.started(link);
    await system.started(link);
    assert.deepEqual(await states(), [0, 0, 0, 0, 3]);
    const picture = await system.picture();
    const show = { name: 'screen.show', args: { layer: 'card', id: 'c' }, attachments: [{ path: [], picture }] };
    await system.gateway.command(shows, show);
    moves.robot.setReading('head_moving', true);
    moves.robot.reportNow();
    await until(async () => (await states()).join() === '0,0,1,1,1');
    await system.gateway.wait(shows, { kind: 'clickmap', targets: [leftHalf] });
    await until(async () => (await states()).join() === '1,0,1,0,1');
    assert.equal(await valueOf('perch_link_open_waits'), 1);
    await shows.robot.stop();
    await until(async () => (await states()).join() === '0,0,1,0,1');
  });

  it('counts robots by model and firmware of their hello, and only while they are connected', async () => {
    const { robot } = await system.started(link, { model: 'a "model"', firmware: '2.0.0' });
    await system.started(link, { firmware: '2.0.0' });
    assert.equal(await valueOf('perch_link_robots_by_firmware{firmware="2.0.0"}'), 2);
    assert.equal(await valueOf(String.raw`perch_link_robots_by_model{model="a \"model\""}`), 1);
    await robot.stop();
    await until(async () => (await valueOf('perch_link_robots_by_firmware{firmware="2.0.0"}')) === 1);
    assert.doesNotMatch(await link.registry.metrics(), /a \\"model/);
  });

  it('observes all known readings of a robot with each report, and no dropped ones', async () => {
    const { robot } = await system.started(link);
    robot.faults.sendRaw(JSON.stringify({ t: 'sensors', values: { battery_pct: 50, chip_temp_c: 46, wifi_rssi_dbm: 12, heap_free_kb: null } }));
    robot.faults.sendRaw(JSON.stringify({ t: 'sensors', values: { light_lux: 3 } }));
    await until(async () => (await valueOf('perch_link_battery_ratio_count')) === 2);
    assert.equal(await valueOf('perch_link_battery_ratio_sum'), 1);
    assert.equal(await valueOf('perch_link_temperature_celsius_count{sensor="chip"}'), 2);
    assert.deepEqual(await Promise.all(['wifi_rssi_dbm', 'free_heap_bytes'].map((name) => valueOf(`perch_link_${name}_count`))), [0, 0]);
  });

  it('stays usable, and keeps the robot connected, when a robot reports an impossible free heap', async () => {
    const { robot } = await system.started(link);
    robot.faults.sendRaw(JSON.stringify({ t: 'sensors', values: { heap_free_kb: Number.MAX_VALUE } }));
    robot.faults.sendRaw(JSON.stringify({ t: 'sensors', values: { heap_free_kb: 100 } }));
    await until(async () => (await valueOf('perch_link_free_heap_bytes_count')) === 1);
    assert.equal(await valueOf('perch_link_free_heap_bytes_sum'), 102_400);
    assert.equal(link.app.sessionCount, 1);
  });

  it('exposes the account, last readings and acks of each robot, and nothing of a robot that disconnected', async () => {
    const made = await system.started(link);
    made.robot.setReading('battery_pct', 33);
    made.robot.reportNow();
    await send(made, 'face');
    made.robot.faults.nack('busy');
    await system.gateway.command(made, { name: 'face', args: { emotion: 'sad' } });
    await until(() => link.app.robots[0]!.readings['battery_pct'] === 33);
    const [robot] = link.app.robots;
    const { account } = (await system.store.robots.get(made.id))!;
    assert.deepEqual([robot!.account, robot!.robot, robot!.isOver, robot!.acks], [account, made.id, false, { ack: 1, nack: 1, no_ack: 0 }]);
    await made.robot.stop();
    await until(() => link.app.robots.length === 0);
    assert.equal(robot!.isOver, true);
  });
});
