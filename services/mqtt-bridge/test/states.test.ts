/** Reads the states that the bridge publishes as Home Assistant does. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { EventData, Robot, StateAnswer } from '@perch/client';
import { MqttIntegration } from '@perch/testkit';
import { lightAfter } from '../src/commands/light.js';
import { deviceOf } from '../src/discovery/device.js';
import { RobotState } from '../src/robots/robot-state.js';
import { Topics } from '../src/topics.js';

const id = 'r-7k2m9qx4tb';
const device = `perch_${id}`;
const robot: Robot = { id, name: 'Desk', online: true, model: 'stackchan', firmware: '1.2.0', commands: [], labels: {} };
const topics = new Topics({ topic: 'perch', discoveryPrefix: 'homeassistant', birthTopic: 'homeassistant/status', keyId: 'k', clientId: 'perch-k' });

const answer = (readings: StateAnswer['readings'], more: Partial<StateAnswer> = {}): StateAnswer => ({
  ok: true,
  ...robot,
  readings,
  readings_at: '2026-01-01T00:00:00Z',
  showing: { card: null, question: null, emotion: 'neutral', view: 'face' },
  volume_max: null,
  quiet_hours: null,
  events: [],
  last_seq: 0,
  ...more,
});

describe('the states of a robot', () => {
  let home: MqttIntegration;
  let state: RobotState;
  const entity = (key: string): unknown => home.entity(device, key)?.state;

  beforeEach(() => {
    home = new MqttIntegration();
    state = new RobotState(topics.robot(id), (topic, payload, options) => {
      home.receive(topic, payload, options?.retain === true);
      return true;
    });
  });
  afterEach(() => {
    assert.deepEqual(home.problems, []);
    state.close();
  });

  function read(readings: StateAnswer['readings'], more: Partial<StateAnswer> = {}): void {
    state.read(answer(readings, more));
    state.announce(deviceOf(robot, state.reported, { topics, baseUrl: 'https://perch.example.org' }));
    state.setOnline(true);
  }

  // Public reports of ranges narrower than the readings, which end in an error for each message: Koenkk/zigbee2mqtt issue 23940,
  // Tinkerforge/esp32-firmware issue 301, emsesp/EMS-ESP32 issue 314, tsightler/ring-mqtt issue 213.
  it('has every angle that a robot can report as the number of its head', () => {
    for (const [yaw, pitch] of [
      [-128, 0],
      [0, 3.4],
      [12.6, 45],
      [128, 90],
    ] as const) {
      read({ head_yaw_deg: yaw, head_pitch_deg: pitch });
      assert.deepEqual([entity('head_yaw'), entity('head_pitch')], [String(Math.round(yaw)), String(Math.round(pitch))]);
    }
  });

  it('stays unknown where a sensor failed, and for an angle that was never reported', () => {
    read({ battery_pct: null, charging: null, light_lux: 7, head_pitch_deg: null });
    assert.deepEqual([entity('battery_pct'), entity('charging'), entity('light_lux')], [null, null, '7']);
    assert.deepEqual([entity('head_yaw'), entity('head_pitch')], [null, null]);
  });

  it('keeps the sensors and their values when Perch could not ask the robot', () => {
    read({ battery_pct: 40, proximity_raw: 3 });
    state.personMoved(true);
    read({}, { readings_at: null });
    assert.deepEqual([entity('battery_pct'), entity('near')], ['40', true]);
    read({ battery_pct: 39, proximity_raw: 3 });
    assert.deepEqual([entity('battery_pct'), entity('near')], ['39', true]);
  });

  it('follows switches, emotion and connection', () => {
    read({ charging: true, usb_power: false }, { showing: { card: null, question: null, emotion: 'happy', view: 'face' } });
    assert.deepEqual([entity('charging'), entity('usb_power'), entity('face'), entity('online')], [true, false, 'happy', true]);
    state.setOnline(false);
    assert.equal(entity('online'), false);
  });

  // Public reports: home-assistant/core pull request 100871, issue 104145.
  it('plays only tones that it announced, and is off when the sound has ended', () => {
    read({});
    state.soundBegan('tada', 0.3, 60);
    assert.deepEqual(home.entity(device, 'sound'), { state: true, attributes: { tone: 'tada', volume_level: 0.3 } });
    state.soundEnded();
    assert.equal(entity('sound'), false);
  });

  // Public reports of lights that restart with another colour: arachnetech/homebridge-mqttthing issues 552 and 617.
  it('keeps light and sound of the run before, and changes only what the next command names', () => {
    read({});
    state.restoreLight('{"state":"ON","brightness":255,"color_mode":"rgb","color":{"r":255,"g":0,"b":0},"effect":"breathe"}');
    state.restoreSound('{"state":"ON","tone":"tada"}');
    state.begin();
    assert.deepEqual(home.entity(device, 'leds'), { state: true, attributes: { rgb_color: [255, 0, 0], brightness: 255, effect: 'breathe' } });
    assert.equal(entity('sound'), true);
    state.lightShown(lightAfter(state.light, '{"state":"ON","brightness":50}'));
    state.restoreLight('{"state":"OFF","brightness":1,"color_mode":"rgb","color":{"r":0,"g":0,"b":0},"effect":"off"}');
    assert.deepEqual(home.entity(device, 'leds')!.attributes, { rgb_color: [255, 0, 0], brightness: 50, effect: 'breathe' });
  });

  it('publishes light and sound as unknown that no earlier run left, and a light that cannot be read', () => {
    read({});
    for (const broken of ['', '{}', '{"state":null}', '{"state":"ON","brightness":999}', 'ON']) state.restoreLight(broken);
    state.begin();
    assert.deepEqual([home.entity(device, 'leds'), entity('sound')], [{ state: null, attributes: {} }, null]);
  });

  it('ends the sound of the run before once the longest sound has ended', () => {
    const clock = mock.timers;
    clock.enable({ apis: ['setTimeout'] });
    try {
      read({});
      state.restoreSound('{"state":"ON","tone":"tada"}');
      clock.tick(29_000);
      assert.equal(entity('sound'), true);
      clock.tick(1_000);
      assert.equal(entity('sound'), false);
    } finally {
      clock.reset();
    }
  });

  it('switches the light off when the robot stops its LEDs, also one that was unknown or of one colour', () => {
    read({});
    state.begin();
    state.stopped(['sound', 'head']);
    assert.deepEqual([entity('leds'), entity('sound')], [null, false]);
    state.stopped(['leds']);
    assert.equal(entity('leds'), false);
    state.lightShown(lightAfter(state.light, '{"state":"ON","color":{"r":0,"g":0,"b":255}}'));
    state.stopped(['leds']);
    assert.equal(entity('leds'), false);
    assert.deepEqual(lightAfter(state.light, '{"state":"ON"}').color, { r: 0, g: 0, b: 255 });
  });

  it('has occupancy where the robot senses it, unknown before the first event, and as the robot says from then on', () => {
    read({ proximity_raw: 3 });
    assert.equal(entity('near'), null);
    state.personMoved(true);
    assert.equal(entity('near'), true);
    const away = { seq: 7, name: 'away', data: {}, at: '2026-01-01T00:00:00Z' } as StateAnswer['events'][number];
    read({ proximity_raw: 3 }, { events: [away] });
    assert.equal(entity('near'), false);
    read({ proximity_raw: 3 });
    assert.equal(entity('near'), false);
  });

  it('has the limit of the volume and the quiet hours that the owner chose, and neither as something to change', () => {
    read({});
    assert.deepEqual([entity('volume_max'), home.entity(device, 'quiet_hours')], ['100', { state: false, attributes: {} }]);
    const quiet = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin', active: true };
    read({}, { volume_max: 40, quiet_hours: quiet });
    assert.deepEqual([entity('volume_max'), home.entity(device, 'quiet_hours')], ['40', { state: true, attributes: quiet }]);
    for (const key of ['volume_max', 'quiet_hours']) assert.equal(home.devices.get(device)!.components[key]!.command_topic, undefined);
  });

  it('has the version of the robot program, and whether the service offers another one, without a way to install it', () => {
    read({}, { update: { current: '1.2', offered: null } });
    assert.deepEqual([entity('firmware'), home.entity(device, 'firmware')!.attributes['installed_version']], [false, '1.2']);
    read({}, { update: { current: '1.2', offered: '1.3' } });
    assert.deepEqual([entity('firmware'), home.entity(device, 'firmware')!.attributes['latest_version']], [true, '1.3']);
    assert.equal(home.devices.get(device)!.components['firmware']!.command_topic, undefined);
    read({}, { update: null });
    assert.equal(home.devices.get(device)!.components['firmware'], undefined);
  });

  it('has the open question with its text if the bridge asked it, until it is answered or gone', async () => {
    const showing = { card: null, question: 'q-1', emotion: 'neutral', view: 'face' };
    read({});
    assert.equal(entity('open_question'), 'none');
    await state.asking(async () => 'wt-1', { id: 'a', question: 'Let them in?' });
    assert.deepEqual([entity('open_question'), state.openWait], ['Let them in?', 'wt-1']);
    read({}, { showing: { ...showing, wait: 'wt-1' } });
    read({}, { showing });
    assert.deepEqual([entity('open_question'), state.openWait], ['Let them in?', 'wt-1']);
    await state.answered({ wait: 'wt-1', action: 'ask', outcome: 'answered', index: 0, answer: 'Yes' } as EventData['answered'], 'now');
    assert.deepEqual([entity('open_question'), state.openWait], ['none', null]);
    read({}, { showing });
    assert.deepEqual([entity('open_question'), state.openWait], ['question of another program', null]);
  });

  it('keeps Wi-Fi name and IP address out of what the broker retains, unless they are asked for', () => {
    const network = { wifi_ssid: 'home', ip_address: '192.168.1.7', wifi_rssi_dbm: -50 };
    const sent: string[] = [];
    const publish = (_topic: string, payload: string): boolean => sent.push(payload) > 0;
    const hidden = new RobotState(topics.robot(id), publish);
    hidden.read(answer(network));
    assert.doesNotMatch(sent.join(), /home|192/);
    assert.equal('wifi_ssid' in hidden.reported, false);
    const shown = new RobotState(topics.robot(id), publish, { withNetwork: true });
    shown.read(answer(network));
    assert.match(sent.join(), /"wifi_ssid":"home","ip_address":"192\.168\.1\.7"/);
  });

  it('names the last error in a text that Home Assistant takes, however long it is', () => {
    read({});
    state.failed('show', 'bad_argument', 'x'.repeat(1000));
    assert.equal(String(entity('last_error')).length, 255);
    assert.equal(home.entity(device, 'last_error')!.attributes['code'], 'bad_argument');
  });
});
