import assert from 'node:assert/strict';
import { startService, type ServiceProcess } from '@perch/launcher';
import { Mosquitto, needsMosquitto, until } from '@perch/testkit';
import { MqttClient } from '../fixture/clients/mqtt-client.js';
import { TestSystem, type Tenant } from '../fixture/system/test-system.js';

const user = { name: 'bridge', password: 'secret-of-the-broker' };
const patient = { timeoutMs: 40_000 };

type Bridge = ServiceProcess<'mqtt-bridge'> & { readonly lines: string[] };

describe('the MQTT bridge (Mosquitto, a gateway, a robot-link, a renderer)', () => {
  let system: TestSystem;
  let broker: Mosquitto;
  let home: MqttClient;
  let tenant: Tenant;
  const bridges: Bridge[] = [];

  before(async function () {
    await needsMosquitto(this);
    broker = await Mosquitto.start(user);
    system = await TestSystem.open({ gateways: 1, links: 1, renderers: 1 });
  });
  beforeEach(async () => {
    home = await MqttClient.open(broker.url, user);
    tenant = await system.tenant();
  });
  afterEach(async () => {
    await Promise.all(bridges.splice(0).map((bridge) => bridge.stop()));
    await home?.close();
    await system?.clear();
  });
  after(async () => {
    await system?.close();
    await broker?.stop();
  });

  async function startBridge(settings: Record<string, string> = {}): Promise<Bridge> {
    const lines: string[] = [];
    const started = await startService({
      service: 'mqtt-bridge',
      env: {
        PATH: process.env['PATH'] ?? '',
        PERCH_BASE_URL: system.gateway(),
        PERCH_API_KEY: tenant.key,
        PERCH_MQTT_URL: broker.url,
        PERCH_MQTT_USERNAME: user.name,
        PERCH_MQTT_PASSWORD: user.password,
        PERCH_MQTT_POLL_MS: '300',
        ...settings,
      },
      log: (line) => lines.push(line),
    });
    const bridge = Object.assign(started, { lines });
    bridges.push(bridge);
    return bridge;
  }
  const own = (robot: string, name: string): string => `perch/robots/${robot}/${name}`;
  const device = (robot: string): string => `homeassistant/device/perch_${robot}/config`;
  const command = (robot: string, name: string, payload: string | object, options = {}): Promise<void> =>
    home.publish(own(robot, `set/${name}`), typeof payload === 'string' ? payload : JSON.stringify(payload), options);
  const eventsOf = (robot: string): any[] =>
    home.messages.filter(({ topic }) => topic === own(robot, 'event')).map(({ payload }) => JSON.parse(payload));
  const online = (robot: string): Promise<void> => home.text(own(robot, 'availability'), 'online');
  const ready = (bridge: Bridge): Promise<boolean> => until(async () => (await fetch(`${bridge.admin}/readyz`)).ok, patient);

  it('announces each robot of the key as a device with its state, follows robots that come and go, and removes what is retained of them', async () => {
    const { id, robot } = await tenant.robot();
    const away = await tenant.offlineRobot();
    const bridge = await startBridge();
    const { device: described, components } = await home.json(device(id));
    assert.deepEqual(described.identifiers, [`perch_${id}`]);
    assert.equal(components.leds.platform, 'light');
    await online(id);
    await home.text(own(away.id, 'availability'), 'offline');
    await ready(bridge);

    robot.setReading('battery_pct', 41);
    robot.reportNow();
    await home.json(own(id, 'state'), ({ battery_pct: battery }) => battery === 41);
    await home.json(device(id), (message) => message.components.battery_pct !== undefined);
    await away.robot.start();
    await online(away.id);
    const later = await tenant.robot();
    await online(later.id);
    await robot.stop();
    await home.text(own(id, 'availability'), 'offline');

    await system.store.robots.remove(tenant.account, id);
    await home.text(device(id), undefined);
    await until(() => ![...home.retained.keys()].some((topic) => topic.includes(id)), patient);
    await online(later.id);
  });

  it('carries out commands at the robot in the order in which they arrive, and publishes what they changed', async () => {
    const { id, robot } = await tenant.robot();
    await startBridge();
    await online(id);
    await command(id, 'light', { state: 'ON', color: { r: 255, g: 0, b: 0 }, brightness: 255 });
    await command(id, 'light', { state: 'ON', effect: 'breathe' });
    await command(id, 'face', 'happy');
    await command(id, 'yaw', '30');
    await command(id, 'pitch', '40');
    await command(id, 'show', 'Dinner is ready');
    await home.json(own(id, 'light'), ({ effect, color }) => effect === 'breathe' && color.r === 255);
    await home.json(own(id, 'state'), (state) => state.emotion === 'happy' && Math.round(state.head_yaw_deg) === 30);
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
    await home.json(own(id, 'sound'), ({ state, tone }) => state === 'ON' && tone === 'tada');
    await home.json(own(id, 'sound'), ({ state }) => state === 'OFF');
    await command(id, 'say', 'Hello');
    await robot.until(({ bubble }) => bubble?.text === 'Hello', patient);
    await command(id, 'stop', 'PRESS');
    await home.json(own(id, 'light'), ({ state }) => state === 'OFF');
    assert.deepEqual(robot.violations, []);
  });

  it('publishes each event once, with its trigger, and the answer to a question', async () => {
    const { id, robot } = await tenant.robot();
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
        return home.retained.has(own(id, 'answer'));
      },
      { ...patient, everyMs: 500 },
    );
    const answer = await home.json(own(id, 'answer'));
    assert.deepEqual([answer.answer, answer.outcome, answer.question], ['Open', 'answered', 'Somebody is at the door']);
    await until(() => eventsOf(id).find(({ trigger }) => trigger === 'answered_answer_1'), patient);
    assert.equal(home.retained.has(own(id, 'event')), false);
  });

  it('reports commands that fail or make no sense as the last error, and ignores retained ones', async () => {
    const { id, robot } = await tenant.robot();
    const bridge = await startBridge();
    await online(id);
    assert.equal((await home.json(own(id, 'error'))).error, 'none');
    const errorOf = (name: string) => home.json(own(id, 'error'), ({ command: failed }) => failed === name);
    await command(id, 'light', 'purple');
    assert.equal((await errorOf('light')).error, 'light: the payload is wrong: it must be a JSON object');
    await command(id, 'fly', 'up');
    assert.equal((await errorOf('fly')).error, 'fly: there is no such command');
    await command(id, 'yaw', '500');
    assert.equal((await errorOf('yaw')).code, 'bad_argument');

    const retained = own(id, 'set/face');
    await bridge.stop();
    await home.publish(retained, 'angry', { retain: true });
    const restarted = await startBridge();
    await until(() => restarted.lines.find((line) => line.includes('retained command ignored')), patient);
    await home.publish(retained, '', { retain: true });
    assert.equal(robot.face.emotion, 'neutral');

    await robot.stop();
    await home.text(own(id, 'availability'), 'offline');
    await command(id, 'say', 'Hello');
    assert.equal((await errorOf('say')).code, 'robot_offline');
  });

  it('announces the robots again when Home Assistant starts', async () => {
    const { id } = await tenant.robot();
    await startBridge();
    await online(id);
    const sent = (): number => home.messages.filter(({ topic }) => topic === device(id)).length;
    const before = sent();
    await home.publish('homeassistant/status', 'online');
    await until(() => sent() > before, patient);
  });

  it('is offline by its last will when it dies; at its next start it removes robots that the key lost meanwhile', async () => {
    const { id } = await tenant.robot();
    const other = await tenant.robot();
    const bridge = await startBridge();
    await Promise.all([online(id), online(other.id)]);
    const [status] = [...home.retained.keys()].filter((topic) => topic.startsWith('perch/bridges/') && home.retained.get(topic) === 'online');
    bridge.signal('SIGKILL');
    await home.text(status!, 'offline');
    await system.store.robots.remove(tenant.account, id);
    await startBridge();
    await home.text(status!, 'online');
    await home.text(device(id), undefined);
    await online(other.id);
  });

  it('publishes everything again to a broker that restarted without its retained messages', async () => {
    const { id, robot } = await tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await broker.halt();
    await until(async () => (await fetch(`${bridge.admin}/readyz`)).status === 503, patient);
    home.retained.clear();
    await broker.launch();
    await home.json(device(id));
    await online(id);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
  });

  it('makes robots unavailable while the gateway is away, and misses no event of a short outage', async () => {
    const { id, robot } = await tenant.robot();
    await startBridge();
    await online(id);
    const [gateway] = system.cluster.gateways;
    await gateway!.stop();
    await home.text(own(id, 'availability'), 'offline');
    await robot.pat();
    await system.cluster.replace(gateway!);
    await online(id);
    await until(() => eventsOf(id).find(({ trigger }) => trigger === 'pat'), patient);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
  });

  it('keeps the devices, unavailable, when the key is revoked, and is then not ready', async () => {
    const { id } = await tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await system.store.apiKeys.revoke(tenant.account, tenant.keyId);
    await home.text(own(id, 'availability'), 'offline');
    assert.ok(home.retained.has(device(id)));
    const response = await fetch(`${bridge.admin}/readyz`);
    assert.equal(response.status, 503);
    assert.ok(bridge.lines.some((line) => line.includes('Perch refuses the API key of the bridge')));
  });

  it('stays idle when a second bridge with its key starts, and names a bridge with the same key and another client id', async () => {
    const { id, robot } = await tenant.robot();
    const first = await startBridge();
    await online(id);
    const second = await startBridge();
    await until(() => first.lines.find((line) => line.includes('another MQTT client with the client id of this bridge')), patient);
    await ready(second);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);

    await startBridge({ PERCH_MQTT_CLIENT_ID: 'another' });
    await until(() => second.lines.find((line) => line.includes('another bridge uses the same API key')), patient);
  });
});
