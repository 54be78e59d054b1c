/** Faults that users of other bridges reported: Home Assistant's check finds each, and what this bridge publishes has none of them. */
import assert from 'node:assert/strict';
import type { Robot } from '@perch/client';
import { MqttIntegration } from '@perch/testkit';
import { deviceOf } from '../src/discovery/device.js';
import { readingSensors } from '../src/discovery/readings.js';
import { Topics } from '../src/topics.js';

const id = 'r-7k2m9qx4tb';
const topics = new Topics({ topic: 'perch', discoveryPrefix: 'homeassistant', birthTopic: 'homeassistant/status', keyId: 'k', clientId: 'perch-k' });
const robot: Robot = { id, name: 'Desk', online: true, model: 'stackchan', firmware: '1.2.0', commands: [], labels: {} };
const readings = Object.fromEntries(Object.keys(readingSensors).map((name) => [name, null]));
const device = deviceOf(robot, readings, { topics, baseUrl: 'https://perch.example.org' }) as { components: Record<string, object> };

/** Returns what Home Assistant logs of the device with some options of a component changed, and after a message on one of its topics. */
function logOf(key: string, changes: object, message?: { topic: string; payload: string }): string {
  const home = new MqttIntegration();
  const changed = { ...device, components: { ...device.components, [key]: { ...device.components[key], ...changes } } };
  home.receive(topics.robot(id).discovery, JSON.stringify(changed), true);
  if (message !== undefined) home.receive(message.topic, message.payload, true);
  return home.problems.join('\n');
}

const { state, light, sound } = topics.robot(id);
const stateOf = (fields: object): { topic: string; payload: string } => ({ topic: state, payload: JSON.stringify(fields) });

describe('faults that users of other bridges reported', () => {
  it('the check finds a range without a width (home-assistant/core 142327)', () => {
    assert.match(logOf('head_pitch', { min: 100, max: 100 }), /max: must be greater than min/);
    assert.equal(logOf('head_pitch', {}), '');
  });

  it('the check finds a range narrower than the readings (Koenkk/zigbee2mqtt 23940, jean-luc1203/jkbms-rs485-addon 29, Tinkerforge/esp32-firmware 301)', () => {
    assert.match(logOf('head_pitch', { min: 5, max: 85 }, stateOf({ head_pitch_deg: 3 })), /invalid value: 3 \(range 5 - 85\)/);
    assert.doesNotMatch(logOf('head_pitch', {}, stateOf({ head_pitch_deg: 3 })), /invalid value/);
  });

  it('the check finds a unit that is none of the device class (home-assistant/core 137376 and 85519, UtilitechAS/amsreader-firmware 1110)', () => {
    assert.match(logOf('light_lux', { unit_of_measurement: '%' }), /% is not a unit of illuminance/);
    assert.match(logOf('chip_temp_c', { unit_of_measurement: 'C' }), /C is not a unit of temperature/);
    assert.match(logOf('wifi_rssi_dbm', { unit_of_measurement: '%' }), /% is not a unit of signal_strength/);
  });

  it('the check finds a device class of another platform (home-assistant/core 108199)', () => {
    assert.match(logOf('charging', { device_class: 'temperature' }), /device_class: must be one of/);
    assert.match(logOf('battery_pct', { device_class: 'plug' }), /device_class: must be one of/);
  });

  it('the check finds options without the class enum, or with a state class (zivillian/ism7mqtt 135, ccutrer/waterfurnace_aurora 84)', () => {
    assert.match(logOf('open_question', { options: ['a', 'b'] }), /need the device class enum/);
    assert.match(logOf('battery_pct', { device_class: 'enum', options: ['1'] }), /neither unit nor state class/);
  });

  it('the check finds a state that is none of the options (home-assistant/core 149057 and 91897)', () => {
    assert.match(logOf('face', {}, stateOf({ emotion: 'cheerful' })), /invalid option: cheerful/);
    assert.doesNotMatch(logOf('face', {}, stateOf({ emotion: null })), /invalid option/);
  });

  it('the check finds a name that begins with that of the device (ESPresense/ESPresense 997, technyon/nuki_hub 217)', () => {
    assert.match(logOf('leds', { name: 'Desk LEDs' }), /begins with the name of the device/);
  });

  it('the check finds attributes of a siren that it does not have (home-assistant/core 100871)', () => {
    assert.match(logOf('sound', {}, { topic: sound, payload: '{"state":"ON","tone":"bell","until":5}' }), /unable to update siren state attributes/);
    assert.equal(logOf('sound', {}, { topic: sound, payload: '{"state":"ON","tone":"tada"}' }), '');
  });

  it('the check finds a brightness of 0, which is ignored, and a light without a state (home-assistant/core 151306 and 67545)', () => {
    assert.match(logOf('leds', {}, { topic: light, payload: '{"state":"ON","brightness":0}' }), /brightness 0 is ignored/);
    assert.match(logOf('leds', {}, { topic: light, payload: '{"brightness":5}' }), /no state/);
    assert.equal(logOf('leds', {}, { topic: light, payload: '{"state":null}' }), '');
  });

  it('the light does not offer flashes and transitions, which are offered by default and would be ignored (home-assistant/core 142692, basnijholt/adaptive-lighting 420)', () => {
    assert.deepEqual(device.components['leds'], { ...device.components['leds'], flash: false, transition: false });
  });

  it('the check finds a discovery topic with an empty part (HotNoob/PythonProtocolGateway 68)', () => {
    const home = new MqttIntegration();
    home.receive('homeassistant/sensor/perch//config', '{}', true);
    assert.match(home.problems.join(), /no discovery topic of a device/);
  });

  it('the check finds a topic that the broker refuses, which ends the connection (home-assistant/core 39660)', () => {
    assert.match(logOf('online', { state_topic: 'perch/+/availability' }), /state_topic: must be a topic without wildcards/);
  });
});
