import { baseUrl, defineSettings, processSettings, sha256, type ConfigOf } from '@perch/runtime';
import { Topics } from './topics.js';

export const mqttBridgeSettings = defineSettings({
  ...processSettings,
  baseUrl,
  apiKey: {
    env: 'PERCH_API_KEY',
    type: 'string',
    secret: true,
    description: 'API key whose robots the bridge publishes, with the scopes read, act and ask.',
  },
  mqttUrl: {
    env: 'PERCH_MQTT_URL',
    type: 'url',
    schemes: ['mqtt', 'mqtts', 'tcp', 'ssl', 'ws', 'wss'],
    defaultScheme: 'mqtt',
    description:
      'URL of the MQTT broker, which must support MQTT 5, such as mqtt://homeassistant.local:1883, or its host alone. tcp:// is mqtt://, and ssl:// is mqtts://.',
  },
  mqttUsername: { env: 'PERCH_MQTT_USERNAME', type: 'string', default: null, description: 'User name at the MQTT broker.' },
  mqttPassword: { env: 'PERCH_MQTT_PASSWORD', type: 'string', secret: true, default: null, description: 'Password at the MQTT broker.' },
  mqttCa: {
    env: 'PERCH_MQTT_CA_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the CA certificates that the MQTT broker is verified with. If unset, the CAs built into Node.js.',
  },
  mqttCert: {
    env: 'PERCH_MQTT_CERT_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the certificate by which the bridge identifies itself to the MQTT broker, and its intermediate certificates.',
  },
  mqttKey: {
    env: 'PERCH_MQTT_KEY_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the private key of PERCH_MQTT_CERT_FILE, without a passphrase.',
  },
  discoveryPrefix: {
    env: 'PERCH_MQTT_PREFIX',
    type: 'string',
    default: 'homeassistant',
    description: 'Discovery prefix of Home Assistant, under which the devices are announced.',
  },
  birthTopic: {
    env: 'PERCH_MQTT_BIRTH_TOPIC',
    type: 'string',
    default: 'homeassistant/status',
    description:
      "Topic of Home Assistant's birth message, after which the bridge sends everything again. Home Assistant has it as a setting of its own.",
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
  network: {
    env: 'PERCH_MQTT_NETWORK',
    type: 'bool',
    default: false,
    description: 'Publish the Wi-Fi name and the IP address of each robot, which everyone who may read the broker then sees.',
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

export function settingsProblems({ topic, discoveryPrefix, birthTopic, clientId, mqttCa, mqttCert, mqttKey, mqttUrl }: MqttBridgeConfig): string[] {
  const problems: string[] = [];
  for (const [env, text] of Object.entries({ PERCH_MQTT_TOPIC: topic, PERCH_MQTT_PREFIX: discoveryPrefix, PERCH_MQTT_BIRTH_TOPIC: birthTopic }))
    if (!Topics.isTopic(text)) problems.push(`${env}: must consist of letters, digits, - and _, in parts separated by /`);
  if (clientId !== null && !/^[a-zA-Z0-9_-]+$/.test(clientId)) problems.push('PERCH_MQTT_CLIENT_ID: must consist of letters, digits, - and _');
  const usesTls = /^(?:mqtts|ssl|wss):/i.test(mqttUrl);
  for (const [env, file] of Object.entries({ PERCH_MQTT_CA_FILE: mqttCa, PERCH_MQTT_CERT_FILE: mqttCert, PERCH_MQTT_KEY_FILE: mqttKey }))
    if (file !== null && !usesTls) problems.push(`${env}: set, though PERCH_MQTT_URL uses no TLS.`);
  if ((mqttCert === null) !== (mqttKey === null)) problems.push('PERCH_MQTT_CERT_FILE, PERCH_MQTT_KEY_FILE: set both or neither');
  return problems;
}

/** Returns an id that bridges with the same key at the same Perch share. It cannot be turned back into the key. */
export function keyIdOf({ baseUrl, apiKey }: Pick<MqttBridgeConfig, 'baseUrl' | 'apiKey'>): string {
  return sha256(`${new URL(baseUrl).href} ${apiKey}`).slice(0, 12);
}
