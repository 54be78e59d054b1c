import assert from 'node:assert/strict';
import type { EventName, Robot, RobotEvent } from '@perch/client';
import { eventNames } from '@perch/schema';
import { MqttIntegration, type AnnouncedDevice } from '@perch/testkit';
import { commands } from '../src/commands/commands.js';
import { deviceOf } from '../src/discovery/device.js';
import { readingSensors } from '../src/discovery/readings.js';
import { triggerOf, triggersOf } from '../src/discovery/triggers.js';
import { Topics } from '../src/topics.js';

const id = 'r-7k2m9qx4tb';
const robot: Robot = { id, name: 'Desk', online: true, model: 'stackchan', firmware: '1.2.0', commands: [], labels: {} };
const topics = new Topics({ topic: 'perch', discoveryPrefix: 'homeassistant', birthTopic: 'homeassistant/status', keyId: 'k', clientId: 'perch-k' });
const options = { topics, baseUrl: 'https://perch.example.org' };
const deviceWith = (readings: object, changes: Partial<Robot> = {}, from = options): AnnouncedDevice =>
  JSON.parse(JSON.stringify(deviceOf({ ...robot, ...changes }, readings, from))) as AnnouncedDevice;
const discovery = topics.robot(id).discovery;
const problemsOf = (device: object): string[] => {
  const home = new MqttIntegration();
  home.receive(discovery, JSON.stringify(device), true);
  return home.problems;
};
const ownCommands = [
  ['brightness', 'pct'],
  ['screen', 'on'],
  ['power_led', 'on'],
].map(([name, argument]) => ({ name: name!, description: '', args: { properties: { [argument!]: {} } } }));
const all = deviceWith(Object.fromEntries(Object.keys(readingSensors).map((name) => [name, null])));

describe('the device message', () => {
  it('can be read by Home Assistant, for a robot with all sensors and for one that never connected', () => {
    for (const device of [all, deviceWith({}, { model: '', firmware: '', online: false })]) assert.deepEqual(problemsOf(device), []);
  });

  it('names the robot, its room and its page, where browsers can reach it', () => {
    const { device } = deviceWith({}, { labels: { room: 'Kitchen' } });
    assert.deepEqual(
      [device['serial_number'], device['suggested_area'], device['configuration_url']],
      [id, 'Kitchen', `https://perch.example.org/robots/${id}`],
    );
    const urlAt = (baseUrl: string): unknown => deviceWith({}, {}, { topics, baseUrl }).device['configuration_url'];
    assert.equal(urlAt('http://192.168.1.5:8787/'), `http://192.168.1.5:8787/robots/${id}`);
    for (const hidden of ['http://gateway:8080', 'http://127.0.0.1:8787', 'http://localhost:8787']) assert.equal(urlAt(hidden), undefined, hidden);
  });

  // Public reports: ESPresense/ESPresense issue 997, technyon/nuki_hub issue 217.
  it('names no entity as the device, also of robots called Head, Screen and Clear', () => {
    const nameOf = (name: string, key: string): unknown => {
      const device = deviceWith({ head_yaw_temp_c: 30 }, { name });
      assert.deepEqual(problemsOf(device), [], name);
      return device.components[key]!.name;
    };
    assert.equal(nameOf('Head', 'head_yaw'), 'Yaw');
    assert.equal(nameOf('head', 'head_yaw_temp_c'), 'Yaw servo temperature');
    assert.equal(nameOf('Screen', 'screen'), null);
    assert.equal(nameOf('Clear', 'clear_screen'), 'Screen');
    assert.equal(nameOf('He', 'head_yaw'), 'Head yaw');
  });

  it('keeps key, id and topic of every component of 0.10.0, which automations and dashboards store', () => {
    // prettier-ignore
    const keys = [
      'stop', 'nod', 'shake_head', 'face_forward', 'clear_screen', 'leds', 'sound', 'face', 'head_yaw', 'head_pitch', 'screen', 'bubble', 'speech', 'question',
      'battery_pct', 'charging', 'usb_power', 'light_lux', 'chip_temp_c', 'head_yaw_temp_c', 'head_pitch_temp_c', 'wifi_rssi_dbm', 'battery_v',
      'event', 'answer', 'tag', 'online', 'last_error',
    ];
    for (const key of keys) {
      const component = all.components[key];
      assert.ok(component, key);
      if (key !== 'tag') assert.equal(component.unique_id, `perch_${id}_${key}`);
    }
    for (const name of eventNames)
      for (const { trigger, type, subtype } of triggersOf(name)) {
        const component = all.components[`trigger_${trigger}`]!;
        assert.deepEqual([component.type, component.subtype, component.payload], [type, subtype, trigger]);
      }
  });

  it('says what Home Assistant shows and does by itself: names of device classes, diagnostics, events of buttons, and that each answer is a change', () => {
    const { components } = all;
    for (const key of ['battery_pct', 'charging', 'light_lux', 'wifi_rssi_dbm', 'near', 'online'])
      assert.deepEqual([components[key]!.name, typeof components[key]!.device_class], [undefined, 'string'], key);
    assert.deepEqual([components['battery_pct']!.entity_category, components['event']!.device_class], ['diagnostic', 'button']);
    assert.deepEqual({ force_update: true, ...components['answer'] }, components['answer']);
    assert.equal(components['answer']!.json_attributes_topic, topics.robot(id).answer);
  });

  it('offers taps, long presses, the power button and answers also as the buttons that Home Assistant has words for', () => {
    const standard = Object.entries(all.components).filter(([key]) => key.startsWith('trigger_standard_'));
    assert.equal(standard.length, 10);
    for (const [key, { type, payload }] of standard) {
      assert.match(type as string, /^button_(?:short|long)_press$/);
      assert.equal(all.components[key.replace('standard_', '')]!.payload, payload);
    }
  });

  it('removes what a robot without LEDs, speaker, head and face cannot serve, and keeps everything of one that named no features', () => {
    const { components } = deviceWith({}, { features: ['screen', 'touch'] });
    const gone = Object.entries(components).flatMap(([key, component]) => (Object.keys(component).length === 1 ? [key] : []));
    assert.deepEqual(gone.toSorted(), [
      'bubble',
      'face',
      'face_forward',
      'head_pitch',
      'head_yaw',
      'leds',
      'nod',
      'power_led',
      'screen_brightness',
      'screen_power',
      'shake_head',
      'sound',
      'speech',
    ]);
    const home = new MqttIntegration();
    for (const device of [all, { ...all, components }]) home.receive(discovery, JSON.stringify(device), true);
    assert.equal(home.devices.get(`perch_${id}`)!.components['leds'], undefined);
    assert.ok(Object.keys(all.components['leds']!).length > 1);
    assert.deepEqual([all.components['screen_image']!.enabled_by_default, all.components['read_screen']!.enabled_by_default], [false, false]);
  });

  it('has entities for the commands brightness, screen and power_led of a robot that declares them with their arguments', () => {
    const device = deviceWith({}, { commands: [...ownCommands.slice(0, 2), { ...ownCommands[2]!, args: { properties: { colour: {} } } }] });
    assert.deepEqual(problemsOf(device), []);
    const { screen_brightness: brightness, screen_power: power, power_led: led } = device.components;
    assert.deepEqual([brightness!.min, brightness!.max, power!.name, Object.keys(led!)], [0, 100, 'Screen power', ['platform']]);
  });

  it('has a sensor for each reading that the robot reported, and no other', () => {
    const { components } = deviceWith({ battery_pct: 80, light_lux: null, compass_deg: 3 });
    const read = Object.keys(components).filter((key) => key in readingSensors);
    assert.deepEqual(read.toSorted(), ['battery_pct', 'light_lux']);
  });

  it('gives every entity an id of its own, and every trigger another type and subtype', () => {
    const components = Object.values(all.components);
    const ids = components.flatMap(({ unique_id: unique }) => (unique === undefined ? [] : [unique]));
    assert.equal(new Set(ids).size, ids.length);
    const triggers = components
      .filter(({ platform }) => platform === 'device_automation')
      .map(({ type, subtype }) => `${String(type)} ${String(subtype)}`);
    assert.equal(new Set(triggers).size, triggers.length);
  });

  it('sends every command to a topic that the bridge carries out', () => {
    const used = Object.values(deviceWith({}, { commands: ownCommands }).components).flatMap(({ command_topic: topic }) =>
      topic === undefined ? [] : [topics.commandOf(topic as string)],
    );
    assert.deepEqual(new Set(used.map((command) => command?.robot)), new Set([id]));
    assert.deepEqual([...new Set(used.map((command) => command!.name))].toSorted(), Object.keys(commands).toSorted());
  });

  it('keeps the sensors of connection and error available while the robot is offline', () => {
    for (const key of ['online', 'last_error']) assert.deepEqual(all.components[key]!.availability, [{ topic: topics.bridge }], key);
  });
});

describe('the trigger of an event', () => {
  it('is one of the announced triggers, for every event', () => {
    const data: Partial<Record<EventName, object[]>> = {
      stroke: [{ direction: 'forward' }, { direction: 'back' }],
      button: [{ press: 'short' }, { press: 'long' }],
      answered: [
        ...[0, 1, 2, 3, 4, 5].map((index) => ({ outcome: 'answered', index })),
        ...['timed_out', 'replaced', 'cancelled', 'failed'].map((outcome) => ({ outcome, index: null })),
      ],
    };
    for (const name of eventNames) {
      const found = (data[name] ?? [{}]).map((fields) => triggerOf({ seq: 1, name, data: fields, at: '' } as unknown as RobotEvent, true));
      assert.deepEqual(
        triggersOf(name).map(({ trigger }) => trigger),
        found,
        name,
      );
    }
  });
});
