/**
 * JSON Schema of a device discovery message, written from Home Assistant's documentation (2025.x): "MQTT Discovery", and the pages of the MQTT
 * platforms that the bridge uses. Unlike Home Assistant, which ignores unknown options of a component, it refuses them.
 */
const text = { type: 'string', minLength: 1 };
/** Topics to subscribe to or publish to: without wildcards. */
const topic = { type: 'string', pattern: '^[^+#\\s]+$' };
const template = { type: 'string', pattern: '^\\{\\{.+\\}\\}$' };
const availability = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['topic'],
    properties: { topic, payload_available: text, payload_not_available: text },
    additionalProperties: false,
  },
};
const texts = { type: 'array', items: text, minItems: 1, uniqueItems: true };

const entity = {
  platform: text,
  name: text,
  unique_id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$' },
  icon: { type: 'string', pattern: '^mdi:[a-z-]+$' },
  qos: { enum: [0, 1, 2] },
  entity_category: { enum: ['config', 'diagnostic'] },
  enabled_by_default: { type: 'boolean' },
  availability,
  json_attributes_topic: topic,
};

/** Options of each platform beside those of every entity; those with `!` are required. */
const entities: Record<string, Record<string, object>> = {
  button: { 'command_topic!': topic, payload_press: text },
  notify: { 'command_topic!': topic },
  number: {
    'command_topic!': topic,
    state_topic: topic,
    value_template: template,
    min: { type: 'number' },
    max: { type: 'number' },
    step: { type: 'number', minimum: 0.001 },
    mode: { enum: ['auto', 'box', 'slider'] },
    unit_of_measurement: text,
  },
  select: { 'command_topic!': topic, 'options!': texts, state_topic: topic, value_template: template },
  light: {
    'schema!': { const: 'json' },
    'command_topic!': topic,
    state_topic: topic,
    brightness: { type: 'boolean' },
    supported_color_modes: { type: 'array', items: { enum: ['onoff', 'brightness', 'color_temp', 'hs', 'xy', 'rgb', 'rgbw', 'rgbww', 'white'] } },
    effect: { type: 'boolean' },
    effect_list: texts,
  },
  siren: {
    'command_topic!': topic,
    state_topic: topic,
    available_tones: texts,
    support_duration: { type: 'boolean' },
    support_volume_set: { type: 'boolean' },
  },
  sensor: {
    'state_topic!': topic,
    value_template: template,
    device_class: { enum: ['battery', 'illuminance', 'temperature', 'signal_strength', 'voltage'] },
    state_class: { enum: ['measurement', 'total', 'total_increasing'] },
    unit_of_measurement: { enum: ['%', 'lx', '°C', 'dBm', 'V'] },
  },
  binary_sensor: {
    'state_topic!': topic,
    value_template: template,
    payload_on: text,
    payload_off: text,
    device_class: { enum: ['battery_charging', 'plug', 'connectivity'] },
  },
  event: { 'state_topic!': topic, 'event_types!': texts },
};

const { platform, qos } = entity;
/** These are no entities, and have neither name nor id. */
const others = [
  {
    properties: {
      platform: { const: 'device_automation' },
      automation_type: { const: 'trigger' },
      topic,
      payload: text,
      type: text,
      subtype: text,
      value_template: template,
      qos,
    },
    required: ['platform', 'automation_type', 'topic', 'type', 'subtype'],
    additionalProperties: false,
  },
  { properties: { platform: { const: 'tag' }, topic, value_template: template, qos }, required: ['platform', 'topic'], additionalProperties: false },
];

const byPlatform = Object.entries(entities).map(([name, options]) => ({
  properties: {
    ...entity,
    ...Object.fromEntries(Object.entries(options).map(([option, schema]) => [option.replace('!', ''), schema])),
    platform: { ...platform, const: name },
  },
  required: ['platform', 'unique_id', ...Object.keys(options).flatMap((option) => (option.endsWith('!') ? [option.slice(0, -1)] : []))],
  additionalProperties: false,
}));

export const deviceSchema = {
  type: 'object',
  properties: {
    device: {
      type: 'object',
      properties: {
        identifiers: texts,
        name: text,
        manufacturer: text,
        model: text,
        sw_version: text,
        configuration_url: { type: 'string', pattern: '^https?://' },
      },
      required: ['identifiers'],
      additionalProperties: false,
    },
    origin: { type: 'object', properties: { name: text, sw_version: text }, required: ['name'], additionalProperties: false },
    availability,
    availability_mode: { enum: ['all', 'any', 'latest'] },
    components: {
      type: 'object',
      propertyNames: { pattern: '^[a-zA-Z0-9_-]+$' },
      additionalProperties: { type: 'object', oneOf: [...byPlatform, ...others] },
    },
  },
  required: ['device', 'origin', 'components'],
  additionalProperties: false,
};
