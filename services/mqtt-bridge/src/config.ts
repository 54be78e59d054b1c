import { defineSettings, processSettings, sha256, type ConfigOf } from '@perch/runtime';

export const mqttBridgeSettings = defineSettings({
  ...processSettings,
  baseUrl: {
    env: 'PERCH_BASE_URL',
    type: 'url',
    schemes: ['http', 'https'],
    description: 'Base URL of Perch, such as https://perch.example.org.',
  },
  apiKey: {
    env: 'PERCH_API_KEY',
    type: 'string',
    secret: true,
    description: 'API key whose robots the bridge publishes, with the scopes read, act and ask.',
  },
  mqttUrl: {
    env: 'PERCH_MQTT_URL',
    type: 'url',
    schemes: ['mqtt', 'mqtts', 'ws', 'wss'],
    description: 'URL of the MQTT broker, which must support MQTT 5, such as mqtt://homeassistant.local:1883.',
  },
  mqttUsername: { env: 'PERCH_MQTT_USERNAME', type: 'string', default: null, description: 'User name at the MQTT broker.' },
  mqttPassword: { env: 'PERCH_MQTT_PASSWORD', type: 'string', secret: true, default: null, description: 'Password at the MQTT broker.' },
  mqttCa: {
    env: 'PERCH_MQTT_CA_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the CA certificates that the MQTT broker is verified with. If unset, the CAs built into Node.js.',
  },
  discoveryPrefix: {
    env: 'PERCH_MQTT_PREFIX',
    type: 'string',
    default: 'homeassistant',
    description: 'Discovery prefix of Home Assistant, under which the devices are announced.',
  },
  topic: {
    env: 'PERCH_MQTT_TOPIC',
    type: 'string',
    default: 'perch',
    description: 'First part of the topics of states, events and commands.',
  },
  clientId: {
    env: 'PERCH_MQTT_CLIENT_ID',
    type: 'string',
    max: 64,
    default: null,
    description: 'MQTT client id of this bridge. If unset, it is derived from the API key, so that a second bridge with the key replaces the first.',
  },
  pollMs: {
    env: 'PERCH_MQTT_POLL_MS',
    type: 'int',
    unit: 'ms',
    min: 200,
    max: 600_000,
    default: 10_000,
    description:
      'How often the bridge reads the list of robots and the state of each that is online. With many robots it reads less often, to use at most 2 of the 10 actions a second of the key.',
  },
});

export type MqttBridgeConfig = ConfigOf<typeof mqttBridgeSettings>;

/** Characters that no topic contains, or that Home Assistant does not accept in one. */
const topicPart = /^[a-zA-Z0-9_-]+(?:\/[a-zA-Z0-9_-]+)*$/;

export function settingsProblems({ topic, discoveryPrefix, clientId, mqttCa, mqttUrl }: MqttBridgeConfig): string[] {
  const problems: string[] = [];
  for (const [env, text] of Object.entries({ PERCH_MQTT_TOPIC: topic, PERCH_MQTT_PREFIX: discoveryPrefix }))
    if (!topicPart.test(text)) problems.push(`${env}: must consist of letters, digits, - and _, in parts separated by /`);
  if (clientId !== null && !/^[a-zA-Z0-9_-]+$/.test(clientId)) problems.push('PERCH_MQTT_CLIENT_ID: must consist of letters, digits, - and _');
  if (mqttCa !== null && !/^(?:mqtts|wss):/i.test(mqttUrl)) problems.push('PERCH_MQTT_CA_FILE: set, though PERCH_MQTT_URL uses no TLS.');
  return problems;
}

/** Returns an id that bridges with the same key at the same Perch share. It cannot be turned back into the key. */
export function keyIdOf({ baseUrl, apiKey }: Pick<MqttBridgeConfig, 'baseUrl' | 'apiKey'>): string {
  return sha256(`${new URL(baseUrl).href} ${apiKey}`).slice(0, 12);
}
