/**
 * Options of a device discovery message, and what each may be, in Home Assistant 2025.5 and later. Written from github.com/home-assistant/core:
 * homeassistant/components/mqtt/schemas.py (commits 0f5c1b5, c6ca7f5), config.py (459c79f), event.py (03ffd74), image.py (02e6124), update.py
 * (4a77666), siren.py (f94437c), device_trigger.py (040b185), device_automation.py (0e841bb), tag.py (007f265), select.py (01dba6f), and button.py,
 * notify.py, number.py, sensor.py, binary_sensor.py, switch.py and light/schema_json.py as in 2025.5; device classes and units of the platforms'
 * const.py. Home Assistant ignores an unknown option of a component; here it is a problem, since it has no effect.
 */

/** Returns what a value must be; null: it is that. */
export type Rule = (value: unknown) => string | null;

const must = (what: string, fits: (value: unknown) => boolean): Rule => {
  return (value) => (fits(value) ? null : what);
};
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const text = must('a text', isText);
const textOrNull = must('a text or null', (value) => value === null || isText(value));
const bool = must('true or false', (value) => typeof value === 'boolean');
const number = must('a number', (value) => typeof value === 'number' && Number.isFinite(value));
const wholeAbove0 = must('a whole number of 0 or more', (value) => Number.isInteger(value) && (value as number) >= 0);
const texts = must(
  'a list of different texts',
  (value) => Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length,
);
const topic = must('a topic without wildcards', (value) => isText(value) && !/[+#\0]/.test(value) && Buffer.byteLength(value) <= 65_535);
const template = must('a template', (value) => isText(value) && /^\{\{.+\}\}$/s.test(value));
const icon = must('an icon such as mdi:home', (value) => isText(value) && /^[a-z]+:[a-z0-9-]+$/.test(value));
const url = must(
  'an http, https or homeassistant URL',
  (value) => isText(value) && URL.canParse(value) && /^(?:https?|homeassistant):\/\//.test(value),
);
const among = (...values: readonly (string | number | null)[]): Rule =>
  must(`one of ${values.join(', ')}`, (value) => values.includes(value as string));

/** Options by name; `!` marks those that must be there. */
export type Options = Readonly<Record<string, Rule>>;

export const deviceOptions: Options = {
  identifiers: must('a text or a list of texts', (value) => isText(value) || (Array.isArray(value) && value.every(isText))),
  connections: must('a list of pairs', (value) => Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2)),
  manufacturer: text,
  model: text,
  model_id: text,
  name: text,
  hw_version: text,
  serial_number: text,
  sw_version: text,
  via_device: text,
  suggested_area: text,
  configuration_url: url,
};

export const originOptions: Options = { 'name!': text, sw_version: text, support_url: url };

export const availabilityOptions: Options = { 'topic!': topic, payload_available: text, payload_not_available: text, value_template: template };

const availability = {
  availability: must(
    'a list of topics',
    (value) => Array.isArray(value) && value.every((each) => optionProblems(each, availabilityOptions).length === 0),
  ),
  availability_mode: among('all', 'any', 'latest'),
};

export const messageOptions: Options = {
  ...availability,
  'device!': must('an object', isObject),
  'origin!': must('an object', isObject),
  'components!': must('an object', isObject),
  state_topic: topic,
  command_topic: topic,
  qos: among(0, 1, 2),
  encoding: text,
};

const base: Options = { 'platform!': text, qos: among(0, 1, 2), encoding: text };

/** A device message needs a unique id for each entity. */
const entity: Options = {
  ...base,
  ...availability,
  'unique_id!': text,
  name: textOrNull,
  icon,
  entity_category: among('config', 'diagnostic'),
  enabled_by_default: bool,
  json_attributes_topic: topic,
  json_attributes_template: template,
};
const reads: Options = { ...entity, 'state_topic!': topic, value_template: template };
const writes: Options = { ...entity, 'command_topic!': topic, command_template: template, retain: bool };
const both: Options = { ...writes, state_topic: topic, optimistic: bool };

/** Units by device class; null: the class has none. */
export const sensorUnits: Readonly<Record<string, readonly (string | null)[]>> = {
  battery: ['%'],
  date: [null],
  duration: ['d', 'h', 'min', 's', 'ms', 'µs'],
  enum: [null],
  illuminance: ['lx'],
  signal_strength: ['dB', 'dBm'],
  temperature: ['°C', '°F', 'K'],
  timestamp: [null],
  voltage: ['V', 'mV', 'µV', 'kV', 'MV'],
};

export const platforms: Readonly<Record<string, Options>> = {
  binary_sensor: {
    ...reads,
    // prettier-ignore
    device_class: among(
      'battery', 'battery_charging', 'carbon_monoxide', 'cold', 'connectivity', 'door', 'garage_door', 'gas', 'heat', 'light', 'lock', 'moisture', 'motion', 'moving',
      'occupancy', 'opening', 'plug', 'power', 'presence', 'problem', 'running', 'safety', 'smoke', 'sound', 'tamper', 'update', 'vibration', 'window',
    ),
    payload_on: text,
    payload_off: text,
    off_delay: wholeAbove0,
    expire_after: wholeAbove0,
    force_update: bool,
  },
  button: { ...writes, payload_press: text, device_class: among('identify', 'restart', 'update') },
  event: { ...reads, 'event_types!': texts, device_class: among('button', 'doorbell', 'motion') },
  image: { ...entity, content_type: text, image_encoding: among('b64'), image_topic: topic, url_topic: topic, url_template: template },
  light: {
    ...both,
    'schema!': among('json'),
    brightness: bool,
    brightness_scale: wholeAbove0,
    supported_color_modes: must('a list of colour modes', (value) => {
      const modes = ['onoff', 'brightness', 'color_temp', 'hs', 'xy', 'rgb', 'rgbw', 'rgbww', 'white'];
      // onoff and brightness are for lights without any other mode.
      return (
        Array.isArray(value) &&
        value.length > 0 &&
        value.every((mode) => modes.includes(mode)) &&
        (value.length === 1 || !/onoff|brightness/.test(value.join()))
      );
    }),
    effect: bool,
    effect_list: texts,
    flash: bool,
    flash_time_long: wholeAbove0,
    flash_time_short: wholeAbove0,
    transition: bool,
  },
  notify: writes,
  number: {
    ...both,
    value_template: template,
    min: number,
    max: number,
    step: must('a number of 0.001 or more', (value) => typeof value === 'number' && value >= 0.001),
    mode: among('auto', 'box', 'slider'),
    unit_of_measurement: textOrNull,
    payload_reset: text,
  },
  select: { ...both, value_template: template, 'options!': texts },
  sensor: {
    ...reads,
    device_class: among(...Object.keys(sensorUnits)),
    state_class: among('measurement', 'measurement_angle', 'total', 'total_increasing'),
    unit_of_measurement: textOrNull,
    suggested_display_precision: wholeAbove0,
    options: texts,
    expire_after: wholeAbove0,
    force_update: bool,
  },
  siren: {
    ...both,
    available_tones: texts,
    command_off_template: template,
    state_value_template: template,
    payload_on: text,
    payload_off: text,
    state_on: text,
    state_off: text,
    support_duration: bool,
    support_volume_set: bool,
  },
  switch: {
    ...both,
    value_template: template,
    payload_on: text,
    payload_off: text,
    state_on: text,
    state_off: text,
    device_class: among('outlet', 'switch'),
  },
  update: {
    ...reads,
    command_topic: topic,
    payload_install: text,
    retain: bool,
    device_class: among('firmware'),
    entity_picture: text,
    latest_version_topic: topic,
    latest_version_template: template,
    release_summary: text,
    release_url: text,
    title: text,
  },
  device_automation: {
    ...base,
    'automation_type!': among('trigger'),
    'topic!': topic,
    'type!': text,
    'subtype!': text,
    payload: text,
    value_template: template,
  },
  tag: { ...base, 'topic!': topic, value_template: template },
};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns what is wrong with the options of an object, each beginning with the name of the option. */
export function optionProblems(value: unknown, options: Options): string[] {
  if (!isObject(value)) return ['it must be an object'];
  const problems: string[] = [];
  for (const name of Object.keys(value)) if (!(name in options) && !(`${name}!` in options)) problems.push(`${name}: no such option`);
  for (const [key, rule] of Object.entries(options)) {
    const name = key.replace('!', '');
    if (value[name] === undefined) {
      if (key.endsWith('!')) problems.push(`${name}: is missing`);
      continue;
    }
    const wanted = rule(value[name]);
    if (wanted !== null) problems.push(`${name}: must be ${wanted}, is ${JSON.stringify(value[name])}`);
  }
  return problems;
}

/** Returns what is wrong with a component: its options, and the rules between them. */
export function componentProblems(announced: object): string[] {
  const component = announced as Readonly<Record<string, unknown>>;
  const platform = String(component['platform']);
  const options = platforms[platform];
  if (options === undefined) return [`platform: must be one of ${Object.keys(platforms).join(', ')}, is ${platform}`];
  const problems = optionProblems(component, options);
  const { device_class: deviceClass, unit_of_measurement: unit = null, entity_category: category } = component;
  switch (platform) {
    case 'number': {
      const { min = 1, max = 100 } = component as { min?: number; max?: number };
      if (min >= max) problems.push('max: must be greater than min');
      break;
    }
    case 'sensor': {
      if (typeof deviceClass === 'string' && !(sensorUnits[deviceClass] ?? []).includes(unit as string))
        problems.push(`unit_of_measurement: ${String(unit)} is not a unit of ${deviceClass}`);
      if (component['options'] !== undefined && (deviceClass !== 'enum' || component['state_class'] !== undefined || unit !== null))
        problems.push('options: need the device class enum, and neither unit nor state class');
      break;
    }
    case 'image':
      if ((component['image_topic'] === undefined) === (component['url_topic'] === undefined)) problems.push('image_topic: needs it or url_topic');
      break;
  }
  if (category === 'config' && /sensor|event|image/.test(platform)) problems.push(`entity_category: a ${platform} cannot be config`);
  return problems;
}
