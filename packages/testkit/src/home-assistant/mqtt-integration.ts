/**
 * The MQTT integration of Home Assistant, in place of a real one, which neither npm nor Debian has: takes messages, and keeps the devices, the state of
 * each entity and everything that Home Assistant would log as a warning or an error. Written from the sources that discovery-options.ts names.
 */
import { componentProblems, deviceOptions, isObject, messageOptions, optionProblems, originOptions } from './discovery-options.js';
import { renderTemplate, scopeOf } from './value-template.js';

/** The options that a device message may give a component, as far as its state depends on them. */
export interface Component {
  readonly platform: string;
  readonly unique_id?: string;
  readonly name?: string | null;
  readonly state_topic?: string;
  readonly image_topic?: string;
  readonly json_attributes_topic?: string;
  readonly json_attributes_template?: string;
  readonly value_template?: string;
  readonly latest_version_template?: string;
  readonly topic?: string;
  readonly type?: string;
  readonly subtype?: string;
  readonly payload?: string;
  readonly command_topic?: string;
  readonly availability?: readonly { topic: string }[];
  readonly device_class?: string;
  readonly state_class?: string;
  readonly unit_of_measurement?: string;
  readonly options?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly payload_reset?: string;
  readonly payload_on?: string;
  readonly payload_off?: string;
  readonly state_on?: string;
  readonly state_off?: string;
  readonly supported_color_modes?: readonly string[];
  readonly effect_list?: readonly string[];
  readonly flash?: boolean;
  readonly transition?: boolean;
  readonly available_tones?: readonly string[];
  readonly support_duration?: boolean;
  readonly support_volume_set?: boolean;
  readonly event_types?: readonly string[];
  readonly enabled_by_default?: boolean;
  readonly entity_category?: string;
}

export interface AnnouncedDevice {
  readonly device: Readonly<Record<string, unknown>> & { readonly name?: string };
  readonly components: Readonly<Record<string, Component>>;
}

export interface EntityState {
  /** Null: unknown. */
  state: string | boolean | null;
  attributes: Record<string, unknown>;
}

const stateCharactersMax = 255;

export class MqttIntegration {
  /** Lines that would be logged, in order. */
  readonly problems: string[] = [];
  readonly devices = new Map<string, AnnouncedDevice>();
  /** By unique id. */
  readonly states = new Map<string, EntityState>();
  /** Payloads of triggers that fired, `type subtype`. */
  readonly triggered: string[] = [];
  readonly #prefix: string;
  readonly #retained = new Map<string, string>();
  /** Components by each topic that they read. */
  readonly #readers = new Map<string, Set<Component>>();

  constructor(prefix = 'homeassistant') {
    this.#prefix = prefix;
  }

  /** @param retained whether the message is kept by the broker, for those who subscribe later */
  receive(topic: string, payload: string, retained: boolean): void {
    if (retained) this.#retained.set(topic, payload);
    if (topic.startsWith(`${this.#prefix}/`) && topic.endsWith('/config')) this.#discover(topic, payload);
    else this.#update(topic, payload, false);
  }

  /** Returns the state of an entity by the key of its component; undefined before its first message. */
  entity(device: string, key: string): EntityState | undefined {
    return this.states.get(this.devices.get(device)?.components[key]?.unique_id ?? '');
  }

  #discover(topic: string, payload: string): void {
    const id = /^device\/([a-zA-Z0-9_-]+)\/config$/.exec(topic.slice(this.#prefix.length + 1))?.[1];
    if (id === undefined) return this.#problem(topic, 'no discovery topic of a device');
    if (payload === '') {
      for (const { unique_id: unique } of Object.values(this.devices.get(id)?.components ?? {})) this.states.delete(unique ?? '');
      this.#replace(id, null);
      return;
    }
    const message: unknown = JSON.parse(payload);
    const found = optionProblems(message, messageOptions);
    if (!isObject(message) || found.length > 0) return found.forEach((problem) => this.#problem(topic, problem));
    const { device, origin, components } = message as {
      device: AnnouncedDevice['device'];
      origin: object;
      components: Record<string, Component>;
    };
    for (const problem of optionProblems(device, deviceOptions)) this.#problem(topic, `device.${problem}`);
    if ([device['identifiers'] ?? [], device['connections'] ?? []].flat().length === 0) this.#problem(topic, 'device: needs an identifier');
    for (const problem of optionProblems(origin, originOptions)) this.#problem(topic, `origin.${problem}`);
    for (const [key, component] of Object.entries(components)) {
      // A component with its platform alone removes what it was.
      if (Object.keys(component).length === 1) continue;
      for (const problem of componentProblems(component)) this.#problem(topic, `${key}.${problem}`);
    }
    const kept = Object.fromEntries(Object.entries(components).filter(([, component]) => Object.keys(component).length > 1));
    this.#reportTwice(
      topic,
      'unique_id',
      Object.values(kept).flatMap(({ unique_id: unique }) => unique ?? []),
    );
    this.#reportTwice(
      topic,
      'trigger',
      Object.values(kept).flatMap(({ platform, type, subtype }) => (platform === 'device_automation' ? `${type} ${subtype}` : [])),
    );
    this.#reportNames(topic, device.name, Object.values(kept));
    this.#reportMissing(topic, this.devices.get(id), components);
    this.#replace(id, { device, components: kept });
    for (const topicRead of new Set(Object.values(kept).flatMap(topicsOf))) {
      const before = this.#retained.get(topicRead);
      if (before !== undefined) this.#update(topicRead, before, true);
    }
  }

  #replace(id: string, device: AnnouncedDevice | null): void {
    for (const component of Object.values(this.devices.get(id)?.components ?? {}))
      for (const topic of topicsOf(component)) this.#readers.get(topic)?.delete(component);
    this.devices.delete(id);
    if (device === null) return;
    this.devices.set(id, device);
    for (const component of Object.values(device.components))
      for (const topic of topicsOf(component)) {
        const readers = this.#readers.get(topic) ?? new Set();
        readers.add(component);
        this.#readers.set(topic, readers);
      }
  }

  /** Home Assistant keeps a component that a later message leaves out, until one names it with its platform alone. */
  #reportMissing(topic: string, before: AnnouncedDevice | undefined, components: Readonly<Record<string, Component>>): void {
    for (const key of Object.keys(before?.components ?? {}))
      if (!(key in components)) this.#problem(topic, `${key}: left out, which does not remove it`);
  }

  /** The names of the device and of the entity are shown one after the other. */
  #reportNames(topic: string, device: string | undefined, components: readonly Component[]): void {
    if (device === undefined) return;
    for (const { platform, name } of components)
      if (typeof name === 'string' && `${name.toLowerCase()} `.startsWith(`${device.toLowerCase()} `))
        this.#problem(topic, `${platform} ${name}: begins with the name of the device`);
  }

  #reportTwice(topic: string, what: string, values: readonly string[]): void {
    for (const value of new Set(values))
      if (values.filter((each) => each === value).length > 1) this.#problem(topic, `${what} ${value}: more than once`);
  }

  /** @param isReplay the message was kept from before the subscription */
  #update(topic: string, payload: string, isReplay: boolean): void {
    for (const component of this.#readers.get(topic) ?? []) {
      try {
        if ((component.state_topic ?? component.image_topic ?? component.topic) === topic) this.#message(component, payload, isReplay);
        if (component.json_attributes_topic === topic) this.#attributes(component, payload);
      } catch (error) {
        this.#problem(topic, `${component.platform} ${component.unique_id ?? component.type}: ${(error as Error).message}`);
      }
    }
  }

  #attributes(component: Component, payload: string): void {
    const template = component.json_attributes_template;
    const value: unknown = JSON.parse(template === undefined ? payload : renderTemplate(template, scopeOf(payload)));
    if (!isObject(value)) throw new Error('JSON result was not a dictionary');
    this.#stateOf(component).attributes = value;
  }

  #message(component: Component, payload: string, isReplay: boolean): void {
    const { platform } = component;
    if (platform === 'image') return this.#set(component, payload);
    const template = component.value_template;
    const rendered = template === undefined ? payload : renderTemplate(template, scopeOf(payload));
    if (platform === 'device_automation') {
      if (!isReplay && rendered === component.payload) this.triggered.push(`${component.type} ${component.subtype}`);
      return;
    }
    if (platform === 'tag' || (platform === 'event' && isReplay)) return;
    if (rendered === '') return;
    const apply = states[platform];
    if (apply === undefined) throw new Error('its state is not known here');
    apply(component, rendered, this.#stateOf(component), payload);
  }

  #stateOf(component: Component): EntityState {
    const id = component.unique_id!;
    const known = this.states.get(id) ?? { state: null, attributes: {} };
    this.states.set(id, known);
    return known;
  }

  #set(component: Component, state: string): void {
    this.#stateOf(component).state = state;
  }

  #problem(topic: string, problem: string): void {
    this.problems.push(`${topic}: ${problem}`);
  }
}

function topicsOf({ state_topic: state, image_topic: image, json_attributes_topic: attributes, topic }: Component): string[] {
  return [state, image, attributes, topic].filter((each) => each !== undefined);
}

/** @param payload as rendered @param message as published */
type Apply = (component: Component, payload: string, into: EntityState, message: string) => void;

const onOff: Apply = ({ payload_on: on = 'ON', payload_off: off = 'OFF', state_on: isOn = on, state_off: isOff = off }, payload, into) => {
  if (payload !== isOn && payload !== isOff && payload !== 'None') throw new Error(`no matching payload: ${payload}`);
  into.state = payload === 'None' ? null : payload === isOn;
};

/** Reads a rendered payload as each platform does; throws what Home Assistant logs. */
const states: Readonly<Record<string, Apply>> = {
  binary_sensor: onOff,
  switch: onOff,
  sensor(component, payload, into) {
    if (payload === 'None') {
      into.state = null;
      return;
    }
    const { state_class: stateClass, unit_of_measurement: unit, options } = component;
    if ((stateClass !== undefined || unit !== undefined) && !Number.isFinite(Number(payload))) throw new Error(`no number: ${payload}`);
    if (options !== undefined && !options.includes(payload)) throw new Error(`invalid option: ${payload}`);
    if (component.device_class === 'timestamp' && Number.isNaN(Date.parse(payload))) throw new Error(`invalid state message: ${payload}`);
    if (payload.length > stateCharactersMax) throw new Error(`state of ${payload.length} characters`);
    into.state = payload;
  },
  number({ min = 1, max = 100, payload_reset: reset = 'None' }, payload, into) {
    if (payload === reset) {
      into.state = null;
      return;
    }
    const value = Number(payload);
    if (!Number.isFinite(value)) throw new Error(`payload '${payload}' is not a number`);
    if (value < min || value > max) throw new Error(`invalid value: ${payload} (range ${min} - ${max})`);
    into.state = payload;
  },
  select({ options = [] }, payload, into) {
    if (payload.toLowerCase() !== 'none' && !options.includes(payload)) throw new Error(`invalid option: ${payload}`);
    into.state = payload.toLowerCase() === 'none' ? null : payload;
  },
  light({ supported_color_modes: modes = [], effect_list: effects = [] }, payload, into) {
    const {
      state,
      brightness,
      color_mode: mode,
      color,
      effect,
    } = JSON.parse(payload) as {
      state: string | null;
      brightness?: number;
      color_mode?: string;
      color?: { r?: number; g?: number; b?: number };
      effect?: string | null;
    };
    if (state !== 'ON' && state !== 'OFF' && state !== null) throw new Error(`no state: ${String(state)}`);
    into.state = state === null ? null : state === 'ON';
    if (mode !== undefined) {
      if (!modes.includes(mode)) throw new Error(`invalid color mode ${mode}`);
      const parts = [color?.r, color?.g, color?.b];
      if (!parts.every((part) => part !== undefined && Number.isInteger(part) && part >= 0 && part <= 255))
        throw new Error('invalid or incomplete color value');
      into.attributes['rgb_color'] = parts;
    }
    if (brightness !== undefined) {
      if (!Number.isInteger(brightness) || brightness < 1 || brightness > 255) throw new Error(`brightness ${brightness} is ignored`);
      into.attributes['brightness'] = brightness;
    }
    if (effect !== undefined) {
      if (effect !== null && !effects.includes(effect)) throw new Error(`effect ${effect} is not in the list`);
      into.attributes['effect'] = effect;
    }
  },
  siren({ available_tones: tones = [], support_duration: lasts = true, support_volume_set: hasVolume = true }, payload, into) {
    const { state, ...attributes } = payload === 'None' ? { state: 'None' } : (JSON.parse(payload) as { state: string });
    if (!['ON', 'OFF', 'None'].includes(state)) throw new Error(`no state: ${String(state)}`);
    into.state = state === 'None' ? null : state === 'ON';
    for (const [name, value] of Object.entries<string | number>(attributes)) {
      if (name === 'tone' && tones.includes(String(value))) into.attributes['tone'] = value;
      else if (name === 'volume_level' && hasVolume && Number(value) >= 0 && Number(value) <= 1) into.attributes[name] = value;
      else if (name === 'duration' && lasts && Number.isInteger(value) && Number(value) > 0) into.attributes[name] = value;
      else throw new Error(`unable to update siren state attributes: ${name} ${String(value)}`);
    }
  },
  event({ event_types: types = [] }, payload, into) {
    const { event_type: type, ...attributes } = JSON.parse(payload) as Record<string, unknown>;
    if (!types.includes(String(type))) throw new Error(`invalid event type ${String(type)}`);
    into.state = String(type);
    into.attributes = attributes;
  },
  update({ latest_version_template: latestTemplate }, payload, into, message) {
    const latest = latestTemplate === undefined ? undefined : renderTemplate(latestTemplate, scopeOf(message));
    into.attributes = { installed_version: payload, latest_version: latest };
    // Without a latest version Home Assistant knows nothing.
    into.state = latest === undefined || latest === '' ? null : payload !== latest;
  },
};
