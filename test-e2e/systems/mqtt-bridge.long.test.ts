import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

onMqttBridges('the MQTT bridge', (at) => {
  const { startBridge, own, device, command, eventsOf, online, ready } = at;

  it('announces each robot of the key as a device with its state, follows robots that come and go, and removes what is retained of them', async () => {
    const { id, robot } = await at.tenant.robot();
    const away = await at.tenant.offlineRobot();
    const bridge = await startBridge();
    const { device: described, components } = await at.home.json(device(id));
    assert.deepEqual(described.identifiers, [`perch_${id}`]);
    assert.equal(components.leds.platform, 'light');
    await online(id);
    await at.home.text(own(away.id, 'availability'), 'offline');
    await ready(bridge);

    robot.setReading('battery_pct', 41);
    robot.reportNow();
    await at.home.json(own(id, 'state'), ({ battery_pct: battery }) => battery === 41);
    await at.home.json(device(id), (message) => message.components.battery_pct !== undefined);
    await away.robot.start();
    await online(away.id);
    const later = await at.tenant.robot();
    await online(later.id);
    await robot.stop();
    await at.home.text(own(id, 'availability'), 'offline');

    await at.system.store.robots.remove(at.tenant.account, id);
    await at.home.text(device(id), undefined);
    await until(() => ![...at.home.retained.keys()].some((topic) => topic.includes(id)), patient);
    await online(later.id);
  });

  it('carries out commands at the robot in the order in which they arrive, and publishes what they changed', async () => {
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await online(id);
    await command(id, 'light', { state: 'ON', color: { r: 255, g: 0, b: 0 }, brightness: 255 });
    await command(id, 'light', { state: 'ON', effect: 'breathe' });
    await command(id, 'face', 'happy');
    await command(id, 'yaw', '30');
    await command(id, 'pitch', '40');
    await command(id, 'show', 'Dinner is ready');
    await at.home.json(own(id, 'light'), ({ effect, color }) => effect === 'breathe' && color.r === 255);
    await at.home.json(own(id, 'state'), (state) => state.emotion === 'happy' && Math.round(state.head_yaw_deg) === 30);
    await robot.until(({ screen }) => screen.card !== null, patient);
    assert.equal(robot.face.emotion, 'happy');
    assert.equal(robot.leds.effect?.name, 'breathe');
    const names = robot.commands.map(({ name }) => name).filter((name) => /^(?:leds|face|move|show|head)/.test(name));
    assert.deepEqual(
      names.slice(0, 3).map((name) => name.replace(/[._].*/, '')),
      ['leds', 'leds', 'face'],
      names.join(),
    );

    await command(id, 'clear', 'PRESS');
    await command(id, 'sound', { state: 'ON', tone: 'tada', volume_level: 0.3 });
    await at.home.json(own(id, 'sound'), ({ state, tone }) => state === 'ON' && tone === 'tada');
    await at.home.json(own(id, 'sound'), ({ state }) => state === 'OFF');
    await command(id, 'say', 'Hello');
    await robot.until(({ bubble }) => bubble?.text === 'Hello', patient);
    await command(id, 'stop', 'PRESS');
    await at.home.json(own(id, 'light'), ({ state }) => state === 'OFF');
    assert.deepEqual(robot.violations, []);
  });

  it('publishes each event once, with its trigger, and the answer to a question', async () => {
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await online(id);
    await robot.pat();
    await robot.tap(10, 10);
    await until(() => eventsOf(id).length === 2, patient);
    assert.deepEqual(
      eventsOf(id).map(({ event_type: type, trigger }) => [type, trigger]),
      [
        ['pat', 'pat'],
        ['tap', 'tap'],
      ],
    );
    assert.deepEqual([eventsOf(id)[1].x, eventsOf(id)[1].y], [10, 10]);

    await command(id, 'ask', 'Somebody is at the door | Open | Not now');
    await robot.until(({ screen }) => screen.question !== null, patient);
    // A tap before the question is armed, which the robot cannot know, answers nothing.
    await until(
      async () => {
        await robot.tap(60, 170);
        return at.home.retained.has(own(id, 'answer'));
      },
      { ...patient, everyMs: 500 },
    );
    const answer = await at.home.json(own(id, 'answer'));
    assert.deepEqual([answer.answer, answer.outcome, answer.question], ['Open', 'answered', 'Somebody is at the door']);
    await until(() => eventsOf(id).find(({ trigger }) => trigger === 'answered_answer_1'), patient);
    assert.equal(at.home.retained.has(own(id, 'event')), false);
  });

  it('reports commands that fail or make no sense as the last error, and ignores retained ones', async () => {
    const { id, robot } = await at.tenant.robot();
    const bridge = await startBridge();
    await online(id);
    assert.equal((await at.home.json(own(id, 'error'))).error, 'none');
    const errorOf = (name: string) => at.home.json(own(id, 'error'), ({ command: failed }) => failed === name);
    await command(id, 'light', 'purple');
    assert.equal((await errorOf('light')).error, 'light: the payload is wrong: it must be a JSON object');
    await command(id, 'fly', 'up');
    assert.equal((await errorOf('fly')).error, 'fly: there is no such command');
    await command(id, 'yaw', '500');
    assert.equal((await errorOf('yaw')).code, 'bad_argument');

    const retained = own(id, 'set/face');
    await bridge.stop();
    await at.home.publish(retained, 'angry', { retain: true });
    const restarted = await startBridge();
    await until(() => restarted.lines.find((line) => line.includes('retained command ignored')), patient);
    await at.home.publish(retained, '', { retain: true });
    assert.equal(robot.face.emotion, 'neutral');

    await robot.stop();
    await at.home.text(own(id, 'availability'), 'offline');
    await command(id, 'say', 'Hello');
    assert.equal((await errorOf('say')).code, 'robot_offline');
  });

  it('announces the robots again when Home Assistant starts', async () => {
    const { id } = await at.tenant.robot();
    await startBridge();
    await online(id);
    const sent = (): number => at.home.messages.filter(({ topic }) => topic === device(id)).length;
    const before = sent();
    await at.home.publish('homeassistant/status', 'online');
    await until(() => sent() > before, patient);
  });
});
