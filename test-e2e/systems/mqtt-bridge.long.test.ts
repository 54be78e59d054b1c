import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

onMqttBridges('the MQTT bridge', (at) => {
  const { startBridge, own, device, command, eventsOf, online, ready } = at;

  it('starts as the app of Home Assistant OS, with the broker that the Supervisor names, and in the shell of npm start', async () => {
    const { id } = await at.tenant.robot();
    const { hostname, port } = new URL(at.broker.url);
    const data = { host: hostname, port: Number(port), ssl: false, protocol: '3.1.1', username: 'bridge', password: 'secret-of-the-broker' };
    const supervisor = createServer((_request, response) => response.end(JSON.stringify({ result: 'ok', data }))).listen(0, '127.0.0.1');
    await once(supervisor, 'listening');
    const folder = mkdtempSync(join(tmpdir(), 'perch-app-'));
    writeFileSync(join(folder, 'options.json'), JSON.stringify({ base_url: at.system.gateway(), api_key: at.tenant.key, mqtt_poll_ms: 300 }));
    const app = spawn(
      process.execPath,
      [
        join(root, 'deploy/home-assistant/perch_mqtt_bridge/run.mjs'),
        join(folder, 'options.json'),
        join(root, 'services/mqtt-bridge/dist/main.js'),
        `http://127.0.0.1:${(supervisor.address() as AddressInfo).port}`,
      ],
      { env: { PATH: process.env['PATH'], SUPERVISOR_TOKEN: 'token-of-the-app', PERCH_ROBOT: id }, stdio: 'ignore' },
    );
    try {
      await online(id);
      await at.home.json(device(id));
    } finally {
      app.kill('SIGTERM');
      await once(app, 'exit');
      supervisor.close();
      rmSync(folder, { recursive: true });
    }
    assert.equal(app.exitCode, 0);
  });

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

  it('announces what a robot can do once it is connected, removes what it can no longer do, and carries out its own commands', async () => {
    const bare = await at.tenant.robot({ features: ['screen', 'touch'] });
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await Promise.all([online(bare.id), online(id)]);
    const key = (of: string, name: string): object | undefined => at.home.integration.devices.get(`perch_${of}`)?.components[name];
    await at.home.json(device(id));
    await at.home.json(device(bare.id), ({ components }) => Object.keys(components.leds).length === 1);
    assert.deepEqual([key(bare.id, 'leds'), key(bare.id, 'sound'), key(bare.id, 'head_yaw')], [undefined, undefined, undefined]);
    assert.ok(key(bare.id, 'screen') && key(bare.id, 'question') && key(id, 'leds') && key(id, 'screen_brightness'));

    await command(id, 'brightness', '30');
    await command(id, 'screen_power', 'OFF');
    await command(id, 'power_led', 'OFF');
    await robot.until(({ own: { brightness, screenOn, powerLed } }) => brightness === 30 && !screenOn && !powerLed, patient);

    await bare.robot.stop();
    await at.home.text(own(bare.id, 'availability'), 'offline');
    assert.equal(key(bare.id, 'leds'), undefined);
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

  it('knows the light of the run before, of which a command then changes only what it names, and says that it is unknown at the first start', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    await at.home.json(own(id, 'light'), ({ state }) => state === null);
    await command(id, 'light', { state: 'ON', brightness: 50 });
    await at.home.json(own(id, 'error'), ({ error }) => error.startsWith('light: the payload is wrong: the colour of the LEDs is not known'));
    assert.equal((await at.home.json(own(id, 'light'))).state, null);
    await command(id, 'light', { state: 'ON', color: { r: 255, g: 0, b: 0 }, effect: 'breathe' });
    await at.home.json(own(id, 'light'), ({ effect }) => effect === 'breathe');
    await first.stop();

    await ready(await startBridge());
    await online(id);
    await at.home.json(own(id, 'light'), ({ state, effect }) => state === 'ON' && effect === 'breathe');
    await command(id, 'light', { state: 'ON', brightness: 50 });
    const { color, effect } = await at.home.json(own(id, 'light'), ({ brightness }) => brightness === 50);
    assert.deepEqual([color, effect], [{ r: 255, g: 0, b: 0 }, 'breathe']);
    assert.equal(robot.leds.effect?.name, 'breathe');
    await command(id, 'stop', 'PRESS');
    await at.home.json(own(id, 'light'), ({ state }) => state === 'OFF');
  });

  it('shows the question that is open, and takes it away on request without ending anything else', async () => {
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await online(id);
    await at.home.json(device(id));
    await command(id, 'ask', 'Let them in? | Open | Not now');
    await at.home.json(own(id, 'state'), (state) => state.open_question === 'Let them in?');
    await robot.until(({ screen }) => screen.question !== null, patient);
    await command(id, 'cancel', 'PRESS');
    await robot.until(({ screen }) => screen.question === null, patient);
    await at.home.json(own(id, 'state'), (state) => state.open_question === 'none');
    assert.equal((await at.home.json(own(id, 'error'))).error, 'none');
  });

  it('publishes a picture of the screen when it is asked for, which the broker does not keep', async () => {
    const { id } = await at.tenant.robot();
    await startBridge();
    await online(id);
    await at.home.json(device(id));
    const images = (): string[] => at.home.messages.filter(({ topic }) => topic === own(id, 'image')).map(({ payload }) => payload);
    await command(id, 'show', 'Dinner is ready');
    await command(id, 'image', 'PRESS');
    await until(() => images().length === 1, patient);
    assert.equal(Buffer.from(images()[0]!, 'base64').subarray(1, 4).toString(), 'PNG');
    assert.equal(at.home.integration.entity(`perch_${id}`, 'screen_image')?.state, images()[0]);
    assert.equal(at.home.retained.has(own(id, 'image')), false);
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

  it('an answer has a trigger if the bridge asked, also before a restart, and none if another program asked, though with the same key', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    await ready(first);
    /** Taps until the count of answers is reached: a tap that comes too early answers nothing. */
    const tapped = (count: number): Promise<unknown> =>
      until(
        async () => {
          await robot.tap(60, 170);
          return answers().length === count;
        },
        { ...patient, everyMs: 500 },
      );
    const answers = (): string[] => eventsOf(id).flatMap(({ event_type: type, trigger }) => (type === 'answered' ? [trigger] : []));
    const other = await at.tenant.api().act(id, 'ask', { question: 'Lunch?', answers: ['Yes', 'No'], detach: true });
    assert.equal(other.body.outcome, 'pending');
    await tapped(1);
    assert.deepEqual([answers(), at.home.retained.has(own(id, 'answer'))], [['answered_other'], false]);

    await command(id, 'ask', 'Let them in? | Open | Not now');
    await robot.until(({ screen }) => screen.question !== null, patient);
    await at.home.json(own(id, 'questions'), (questions) =>
      Object.values<{ question: string }>(questions).some(({ question }) => question === 'Let them in?'),
    );
    await first.stop();
    await ready(await startBridge());
    await online(id);
    await tapped(2);
    assert.deepEqual(answers(), ['answered_other', 'answered_answer_1']);
    assert.equal((await at.home.json(own(id, 'answer'))).question, 'Let them in?');
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
