import assert from 'node:assert/strict';
import { loadConfig, settingRows } from '@perch/runtime';
import { documentedSettings } from '@perch/testkit';
import { keyIdOf, mqttBridgeSettings, settingsProblems } from '../src/config.js';

const least = { PERCH_BASE_URL: 'https://perch.example.org', PERCH_API_KEY: 'pk_secret', PERCH_MQTT_URL: 'mqtt://broker' };

describe('settings of the MQTT bridge', () => {
  it('has the settings that docs/operate.md lists, with their defaults', () => {
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

  it('names each setting that no topic can be made of, and a CA without TLS', () => {
    const config = loadConfig(mqttBridgeSettings, { ...least, PERCH_MQTT_TOPIC: 'a/#', PERCH_MQTT_PREFIX: '+', PERCH_MQTT_CLIENT_ID: 'a/b' });
    assert.deepEqual(
      settingsProblems({ ...config, mqttCa: 'x' }).map((problem) => problem.split(':')[0]),
      ['PERCH_MQTT_TOPIC', 'PERCH_MQTT_PREFIX', 'PERCH_MQTT_CLIENT_ID', 'PERCH_MQTT_CA_FILE'],
    );
  });

  it('derives the same id from the same key at the same address, however it is written, and never contains the key', () => {
    const id = keyIdOf({ baseUrl: 'https://perch.example.org', apiKey: 'pk_secret' });
    assert.equal(id, keyIdOf({ baseUrl: 'https://PERCH.example.org/', apiKey: 'pk_secret' }));
    assert.notEqual(id, keyIdOf({ baseUrl: 'https://perch.example.org', apiKey: 'pk_other' }));
    assert.match(id, /^[0-9a-f]{12}$/);
  });
});
