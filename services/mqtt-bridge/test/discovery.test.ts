import assert from 'node:assert/strict';
import type { EventName, Robot, RobotEvent } from '@perch/client';
import { eventNames } from '@perch/schema';
import { Ajv } from 'ajv';
import { commands } from '../src/commands/commands.js';
import { deviceOf } from '../src/discovery/device.js';
import { readingSensors } from '../src/discovery/readings.js';
import { triggerOf, triggersOf } from '../src/discovery/triggers.js';
import { Topics } from '../src/topics.js';
import { deviceSchema } from './discovery-schema.js';

const id = 'r-7k2m9qx4tb';
const robot: Robot = { id, name: 'Desk', online: true, model: 'stackchan', firmware: '1.2.0', commands: [], labels: {} };
const topics = new Topics({ topic: 'perch', discoveryPrefix: 'homeassistant', keyId: 'k', clientId: 'perch-k' });
const options = { topics, baseUrl: 'https://perch.example.org' };
const validate = new Ajv({ allErrors: true, strict: false }).compile(deviceSchema);

interface Device {
  device: Record<string, unknown>;
  components: Record<string, Record<string, unknown>>;
}
const deviceWith = (readings: object, changes: Partial<Robot> = {}): Device => deviceOf({ ...robot, ...changes }, readings, options) as Device;
const all = deviceWith(Object.fromEntries(Object.keys(readingSensors).map((name) => [name, null])));

describe('the device message', () => {
  it('is what Home Assistant documents, for a robot with all sensors and for one that never connected', () => {
    for (const device of [all, deviceWith({}, { model: '', firmware: '', online: false })])
      assert.ok(validate(JSON.parse(JSON.stringify(device))), JSON.stringify(validate.errors, null, 1));
  });

  it('has a sensor for each reading that the robot reported, and no other', () => {
    const { components } = deviceWith({ battery_pct: 80, light_lux: null, wifi_ssid: 'home' });
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
    const used = Object.values(all.components).flatMap(({ command_topic: topic }) =>
      topic === undefined ? [] : [topics.commandOf(topic as string)],
    );
    assert.deepEqual(new Set(used.map((command) => command?.robot)), new Set([id]));
    assert.deepEqual([...new Set(used.map((command) => command!.name))].toSorted(), Object.keys(commands).toSorted());
  });

  it('keeps the sensors of connection and error available while the robot is offline', () => {
    for (const key of ['online', 'last_error']) assert.deepEqual(all.components[key]!['availability'], [{ topic: topics.bridge }], key);
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
      const found = (data[name] ?? [{}]).map((fields) => triggerOf({ seq: 1, name, data: fields, at: '' } as unknown as RobotEvent));
      assert.deepEqual(
        triggersOf(name).map(({ trigger }) => trigger),
        found,
        name,
      );
    }
  });
});
