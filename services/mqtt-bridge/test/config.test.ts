import assert from 'node:assert/strict';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { keyIdOf, mqttBridgeSettings, settingsProblems } from '../src/config.js';

const least = { PERCH_BASE_URL: 'https://perch.example.org', PERCH_API_KEY: 'pk_secret', PERCH_MQTT_URL: 'mqtt://broker' };

describe('settings of the MQTT bridge', () => {
  it('has the settings that docs/operate lists, with their defaults', () => {
    const rows = settingRows(mqttBridgeSettings).map(({ env, default: value, unit, description }) => ({
      env,
      default: unit === '' ? value : `${value} ${unit}`,
      description,
    }));
    const own = new Set(rows.map(({ env }) => env));
    const documented = documentedSettings('mqtt-bridge');
    assert.deepEqual(
      documented.filter(({ env }) => own.has(env)),
      rows,
    );
    // The others are those of the services that share Redis.
    assert.deepEqual(
      documented.filter(({ env }) => /BASE_URL|API_KEY|MQTT/.test(env)),
      rows.slice(3),
    );
  });

  it('needs the address of Perch, a key and the address of the broker, and no Redis', () => {
    assert.deepEqual(settingsProblems(loadConfig(mqttBridgeSettings, least)), []);
    for (const name of Object.keys(least))
      assert.throws(() => loadConfig(mqttBridgeSettings, { ...least, [name]: '' }), new RegExp(`${name}: not set`));
  });

  it('takes the broker by its host alone, and the names that other clients have for the same connections', () => {
    // home-assistant/core, components/mqtt asks for host and port; paho.mqtt.golang and Mosquitto's bridges of others write tcp:// and ssl://.
    const urlOf = (given: string): string => loadConfig(mqttBridgeSettings, { ...least, PERCH_MQTT_URL: given }).mqttUrl;
    assert.equal(urlOf('homeassistant.local'), 'mqtt://homeassistant.local');
    assert.equal(urlOf('192.168.1.5:1884'), 'mqtt://192.168.1.5:1884');
    assert.equal(urlOf('[fd00::5]:1883'), 'mqtt://[fd00::5]:1883');
    for (const url of ['tcp://broker:1883', 'ssl://broker', 'wss://broker/mqtt']) assert.equal(urlOf(url), url);
    for (const wrong of ['http://broker', 'mqtt://', 'a b', 'broker:port']) assert.throws(() => urlOf(wrong), /PERCH_MQTT_URL/, wrong);
  });

  it('names a certificate without TLS or without its key', () => {
    const config = loadConfig(mqttBridgeSettings, { ...least, PERCH_MQTT_URL: 'ssl://broker' });
    assert.deepEqual(settingsProblems({ ...config, mqttCa: 'x', mqttCert: 'x', mqttKey: 'x' }), []);
    assert.match(settingsProblems({ ...config, mqttCert: 'x' }).join(), /set both or neither/);
    assert.match(settingsProblems({ ...config, mqttUrl: 'mqtt://broker', mqttCert: 'x', mqttKey: 'x' }).join(), /PERCH_MQTT_CERT_FILE: set, though/);
  });

  it('names each setting that no topic can be made of, and a CA without TLS', () => {
    const config = loadConfig(mqttBridgeSettings, {
      ...least,
      PERCH_MQTT_TOPIC: 'a/#',
      PERCH_MQTT_PREFIX: '+',
      PERCH_MQTT_BIRTH_TOPIC: '#',
      PERCH_MQTT_CLIENT_ID: 'a/b',
    });
    assert.deepEqual(
      settingsProblems({ ...config, mqttCa: 'x' }).map((problem) => problem.split(':')[0]),
      ['PERCH_MQTT_TOPIC', 'PERCH_MQTT_PREFIX', 'PERCH_MQTT_BIRTH_TOPIC', 'PERCH_MQTT_CLIENT_ID', 'PERCH_MQTT_CA_FILE'],
    );
  });

  it('derives the same id from the same key at the same address, however it is written, and never contains the key', () => {
    const id = keyIdOf({ baseUrl: 'https://perch.example.org', apiKey: 'pk_secret' });
    assert.equal(id, keyIdOf({ baseUrl: 'https://PERCH.example.org/', apiKey: 'pk_secret' }));
    assert.notEqual(id, keyIdOf({ baseUrl: 'https://perch.example.org', apiKey: 'pk_other' }));
    assert.match(id, /^[0-9a-f]{12}$/);
  });
});
