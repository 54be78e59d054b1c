/**
 * Entities and device triggers of a robot, as Home Assistant's documentation of MQTT discovery describes them (2025.x): each function returns
 * components of a device message, by key.
 */
import type { Readings } from '@perch/client';
import { chimeNames, emotions, eventNames } from '@perch/schema';
import { lightEffects, noEffect } from '../commands/light.js';
import type { RobotTopics } from '../topics.js';
import { readingSensors } from './readings.js';
import { triggersOf } from './triggers.js';

export type Component = { platform: string } & Record<string, unknown>;
type Components = Record<string, Component>;

const qos = 1;

export function actionComponents({ command, light, sound, state }: RobotTopics): Components {
  const button = (name: string, topic: string, payload: string, icon: string): Component => ({
    platform: 'button',
    name,
    icon,
    command_topic: command(topic),
    payload_press: payload,
    qos,
  });
  const notify = (name: string, topic: string, icon: string): Component => ({ platform: 'notify', name, icon, command_topic: command(topic), qos });
  const angle = (name: string, topic: string, reading: string, min: number, max: number): Component => ({
    platform: 'number',
    name,
    command_topic: command(topic),
    state_topic: state,
    value_template: `{{ value_json.${reading} | round(0) if value_json.${reading} is number else None }}`,
    min,
    max,
    step: 1,
    mode: 'slider',
    unit_of_measurement: '°',
    icon: topic === 'yaw' ? 'mdi:arrow-left-right' : 'mdi:arrow-up-down',
    qos,
  });
  return {
    stop: button('Stop', 'stop', 'PRESS', 'mdi:stop'),
    nod: button('Nod', 'gesture', 'nod', 'mdi:arrow-up-down'),
    shake_head: button('Shake head', 'gesture', 'shake', 'mdi:arrow-left-right'),
    face_forward: button('Face forward', 'gesture', 'home', 'mdi:home'),
    clear_screen: button('Clear screen', 'clear', 'PRESS', 'mdi:eraser'),
    leds: {
      platform: 'light',
      schema: 'json',
      name: 'LEDs',
      command_topic: command('light'),
      state_topic: light,
      brightness: true,
      supported_color_modes: ['rgb'],
      effect: true,
      effect_list: [noEffect, ...lightEffects],
      qos,
    },
    sound: {
      platform: 'siren',
      name: 'Sound',
      icon: 'mdi:music-note',
      command_topic: command('sound'),
      state_topic: sound,
      available_tones: chimeNames,
      support_duration: false,
      support_volume_set: true,
      qos,
    },
    face: {
      platform: 'select',
      name: 'Face',
      icon: 'mdi:emoticon',
      command_topic: command('face'),
      state_topic: state,
      value_template: '{{ value_json.emotion }}',
      options: emotions,
      qos,
    },
    head_yaw: angle('Head yaw', 'yaw', 'head_yaw_deg', -128, 128),
    head_pitch: angle('Head pitch', 'pitch', 'head_pitch_deg', 5, 85),
    screen: notify('Screen', 'show', 'mdi:card-text'),
    bubble: notify('Speech bubble', 'say', 'mdi:chat'),
    speech: { ...notify('Speech', 'speak', 'mdi:account-voice'), enabled_by_default: false },
    question: notify('Question', 'ask', 'mdi:help-box'),
  };
}

export function sensorComponents({ state }: RobotTopics, readings: Readings): Components {
  const components: Components = {};
  for (const [reading, { name, binary, deviceClass, unit, diagnostic, disabled }] of Object.entries(readingSensors)) {
    if (!(reading in readings)) continue;
    components[reading] = {
      platform: binary === true ? 'binary_sensor' : 'sensor',
      name,
      state_topic: state,
      value_template: `{{ value_json.${reading} }}`,
      ...(binary === true ? { payload_on: 'True', payload_off: 'False' } : { state_class: 'measurement' }),
      ...(deviceClass !== undefined && { device_class: deviceClass }),
      ...(unit !== undefined && { unit_of_measurement: unit }),
      ...(diagnostic === true && { entity_category: 'diagnostic' }),
      ...(disabled === true && { enabled_by_default: false }),
      qos,
    };
  }
  return components;
}

export function eventComponents({ event, answer }: RobotTopics): Components {
  const triggers = eventNames.flatMap((name) => triggersOf(name));
  return {
    event: { platform: 'event', name: 'Event', state_topic: event, event_types: eventNames, qos },
    answer: {
      platform: 'sensor',
      name: 'Last answer',
      icon: 'mdi:gesture-tap',
      state_topic: answer,
      value_template: '{{ value_json.answer }}',
      json_attributes_topic: answer,
      qos,
    },
    tag: { platform: 'tag', topic: event, value_template: "{{ value_json.uid if value_json.event_type == 'tag' else '' }}", qos },
    ...Object.fromEntries(
      triggers.map(({ trigger, type, subtype }) => [
        `trigger_${trigger}`,
        {
          platform: 'device_automation',
          automation_type: 'trigger',
          topic: event,
          value_template: '{{ value_json.trigger }}',
          payload: trigger,
          type,
          subtype,
          qos,
        },
      ]),
    ),
  };
}

/** These stay available while the robot is offline. @param bridge topic of the bridge's availability */
export function connectionComponents({ availability, error }: RobotTopics, bridge: string): Components {
  return {
    online: {
      platform: 'binary_sensor',
      name: 'Online',
      device_class: 'connectivity',
      entity_category: 'diagnostic',
      state_topic: availability,
      payload_on: 'online',
      payload_off: 'offline',
      availability: [{ topic: bridge }],
      qos,
    },
    last_error: {
      platform: 'sensor',
      name: 'Last error',
      icon: 'mdi:alert-circle-outline',
      entity_category: 'diagnostic',
      state_topic: error,
      value_template: '{{ value_json.error }}',
      json_attributes_topic: error,
      availability: [{ topic: bridge }],
      qos,
    },
  };
}
