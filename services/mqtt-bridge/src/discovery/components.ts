/**
 * Entities and device triggers of a robot, for MQTT discovery of Home Assistant: each function returns components of a device message, by key. Tests
 * hold them against the table of packages/testkit/src/home-assistant/discovery-options.ts.
 */
import type { Robot } from '@perch/client';
import { actionByName, chimeNames, emotions, eventNames, readingTable, type ActionName } from '@perch/schema';
import { lightEffects, noEffect } from '../commands/light.js';
import type { RobotTopics } from '../topics.js';
import { readingSensors, type Reported } from './readings.js';
import { notAsked, standardTriggers, triggersOf } from './triggers.js';

export type Component = { platform: string } & Record<string, unknown>;
type Components = Record<string, Component>;

const qos = 1;

/** Actions by the components that call them. */
const actionOf: Readonly<Record<string, ActionName>> = {
  nod: 'move',
  shake_head: 'move',
  face_forward: 'move',
  clear_screen: 'show',
  cancel_question: 'ask',
  leds: 'leds',
  sound: 'sound',
  face: 'face',
  head_yaw: 'move',
  head_pitch: 'move',
  screen: 'show',
  bubble: 'say',
  speech: 'speak',
  question: 'ask',
  screen_image: 'show',
  read_screen: 'show',
};

/**
 * Returns components of which those that a robot cannot serve have their platform alone: Home Assistant keeps a component that is left out, and removes
 * one without options. A robot that has reported no features gets all.
 */
export function servedBy({ features }: { features?: Robot['features'] | undefined }, components: Components): Components {
  if (features === undefined) return components;
  const isServed = (key: string): boolean => {
    const action = actionOf[key];
    return action === undefined || actionByName.get(action)!.features.every((feature) => features.includes(feature));
  };
  return Object.fromEntries(Object.entries(components).map(([key, component]) => [key, isServed(key) ? component : removed(component)]));
}

function removed({ platform }: Component): Component {
  return { platform };
}

/** The robot's own commands that have an entity. Robots do not report what these set, so that Home Assistant assumes it. */
export function ownComponents({ command }: RobotTopics, { commands }: Pick<Robot, 'commands'>): Components {
  const hasArgument = (name: string, argument: string): boolean => {
    const own = commands.find((each) => each.name === name);
    return own !== undefined && Object.hasOwn((own.args['properties'] as object | undefined) ?? {}, argument);
  };
  const config = { entity_category: 'config', qos };
  const brightness = { platform: 'number', name: 'Screen brightness', icon: 'mdi:brightness-6', command_topic: command('brightness') };
  const screen = { platform: 'switch', name: 'Screen power', icon: 'mdi:monitor', command_topic: command('screen_power') };
  const led = { platform: 'switch', name: 'Power LED', icon: 'mdi:led-on', command_topic: command('power_led') };
  const announced = (isOffered: boolean, component: Component): Component => (isOffered ? { ...component, ...config } : removed(component));
  return {
    screen_brightness: announced(hasArgument('brightness', 'pct'), { ...brightness, min: 0, max: 100, step: 1, unit_of_measurement: '%' }),
    screen_power: announced(hasArgument('screen', 'on'), screen),
    power_led: announced(hasArgument('power_led', 'on'), led),
  };
}

export function actionComponents({ command, image, light, sound, state }: RobotTopics): Components {
  const button = (name: string, topic: string, payload: string, icon: string): Component => ({
    platform: 'button',
    name,
    icon,
    command_topic: command(topic),
    payload_press: payload,
    qos,
  });
  const notify = (name: string, topic: string, icon: string): Component => ({ platform: 'notify', name, icon, command_topic: command(topic), qos });
  const angle = (name: string, topic: string, reading: string): Component => ({
    platform: 'number',
    name,
    command_topic: command(topic),
    state_topic: state,
    value_template: `{{ value_json.${reading} | round(0) if value_json.${reading} is number else None }}`,
    // Home Assistant reports each state beyond the range as an error and keeps the one before; the robot clamps what it is told.
    min: readingTable[reading]!.min,
    max: readingTable[reading]!.max,
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
    cancel_question: button('Cancel question', 'cancel', 'PRESS', 'mdi:cancel'),
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
      // The LEDs have neither; both are on by default.
      flash: false,
      transition: false,
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
    head_yaw: angle('Head yaw', 'yaw', 'head_yaw_deg'),
    head_pitch: angle('Head pitch', 'pitch', 'head_pitch_deg'),
    screen: notify('Screen', 'show', 'mdi:card-text'),
    bubble: notify('Speech bubble', 'say', 'mdi:chat'),
    speech: { ...notify('Speech', 'speak', 'mdi:account-voice'), enabled_by_default: false },
    question: notify('Question', 'ask', 'mdi:help-box'),
    screen_image: {
      platform: 'image',
      name: 'Screen image',
      image_topic: image,
      image_encoding: 'b64',
      content_type: 'image/png',
      enabled_by_default: false,
      qos,
    },
    read_screen: { ...button('Read screen', 'image', 'PRESS', 'mdi:monitor-screenshot'), enabled_by_default: false },
  };
}

export function sensorComponents({ state }: RobotTopics, reported: Reported): Components {
  const components: Components = {};
  for (const [reading, { name, binary, deviceClass, unit, diagnostic, disabled, text, icon, template, attributes }] of Object.entries(
    readingSensors,
  )) {
    if (!(reading in reported)) continue;
    components[reading] = {
      platform: binary === true ? 'binary_sensor' : 'sensor',
      ...(name !== undefined && { name }),
      state_topic: state,
      value_template: template ?? `{{ value_json.${reading} }}`,
      ...(attributes !== undefined && { json_attributes_topic: state, json_attributes_template: attributes }),
      ...(icon !== undefined && { icon }),
      ...(binary === true ? { payload_on: 'True', payload_off: 'False' } : text !== true && { state_class: 'measurement' }),
      ...(deviceClass !== undefined && { device_class: deviceClass }),
      ...(unit !== undefined && { unit_of_measurement: unit }),
      ...(diagnostic === true && { entity_category: 'diagnostic' }),
      ...(disabled === true && { enabled_by_default: false }),
      qos,
    };
  }
  if (reported.update !== undefined) components['firmware'] = firmwareComponent(state, reported.update);
  return components;
}

/** Only the owner updates the program: there is nothing to install from here. */
function firmwareComponent(state: string, update: Reported['update']): Component {
  const component = { platform: 'update', device_class: 'firmware', entity_category: 'diagnostic', qos };
  return update === null
    ? removed(component)
    : {
        ...component,
        state_topic: state,
        value_template: '{{ value_json.update.current }}',
        latest_version_topic: state,
        latest_version_template: '{{ value_json.update.offered or value_json.update.current }}',
      };
}

export function eventComponents({ event, answer }: RobotTopics): Components {
  const events = [...eventNames, notAsked] as const;
  const triggers = events.flatMap((name) => triggersOf(name)).map((trigger) => [`trigger_${trigger.trigger}`, trigger] as const);
  const standard = standardTriggers.map((trigger) => [`trigger_standard_${trigger.trigger}`, trigger] as const);
  return {
    event: { platform: 'event', name: 'Event', device_class: 'button', state_topic: event, event_types: events, qos },
    answer: {
      platform: 'sensor',
      name: 'Last answer',
      icon: 'mdi:gesture-tap',
      state_topic: answer,
      value_template: '{{ value_json.answer }}',
      json_attributes_topic: answer,
      // The same answer to another question is a change, too.
      force_update: true,
      qos,
    },
    tag: { platform: 'tag', topic: event, value_template: "{{ value_json.uid if value_json.event_type == 'tag' else '' }}", qos },
    ...Object.fromEntries(
      [...triggers, ...standard].map(([key, { trigger, type, subtype }]) => [
        key,
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
