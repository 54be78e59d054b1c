/**
 * Holds the app (add-on) for Home Assistant OS against the settings of the bridge and what the Supervisor accepts. No Home Assistant OS can be installed
 * from npm or Debian, so the rules are written from its sources:
 * - home-assistant/supervisor, supervisor/addons/validate.py (commit 00788af): fields of config.yaml and of translations; addons/options.py (0306915):
 *   types of options, and that an option without a default must be set; validate.py (07c827f): names of images; store/validate.py (07c827f): repository
 * - home-assistant/supervisor, services/modules/mqtt.py (0afff9a) and api/services.py (0636e49): what the service `mqtt` answers;
 *   api/middleware/security.py (0636e49): each app may ask for it; utils/json.py (10a5216): options.json has the mode 600
 * - frenck/action-addon-linter, src/config.schema.json (2a251d7), the published schema: fields, and that none is set to its default
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { loadConfig, settingRows, type Setting } from '@perch/runtime';
import { release } from '@perch/schema';
import { parse } from 'yaml';
import { mqttBridgeSettings, settingsProblems } from '../src/config.js';

const repository = fileURLToPath(new URL('../../../deploy/home-assistant/', import.meta.url));
const app = join(repository, 'perch_mqtt_bridge');
const yaml = (file: string): Record<string, any> => parse(readFileSync(file, 'utf8')) as Record<string, any>;
const config = yaml(join(app, 'config.yaml'));

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const optionType =
  /^(?:bool|email|url|port|device(?:\(subsystem=[a-z]+\))?|(?:str|password)(?:\(\d*,\d*\))?|int(?:\(\d*,\d*\))?|float(?:\([\d.]*,[\d.]*\))?|match\(.*\)|list\(.+\))\??$/;
/** Fields that this app uses, of those that the Supervisor knows. */
const fields: Record<string, (value: any) => boolean> = {
  name: isText,
  version: (value) => /^\d+\.\d+\.\d+$/.test(value),
  slug: (value) => /^[-_.A-Za-z0-9]+$/.test(value),
  description: isText,
  arch: (value: string[]) => value.length > 0 && value.every((each) => ['aarch64', 'amd64', 'armhf', 'armv7', 'i386'].includes(each)),
  services: (value: string[]) => value.every((each) => /^(?:mqtt|mysql):(?:provide|want|need)$/.test(each)),
  map: (value: object[]) => value.every((each) => 'type' in each && each.type === 'ssl' && Object.keys(each).length === 1),
  schema: (value: object) => Object.values(value).every((type) => optionType.test(String(type))),
};
const required = ['name', 'version', 'slug', 'description', 'arch'];

/** Returns the type of the option that stands for a setting. */
function typeOf(setting: Setting): string {
  const optional = setting.default === undefined ? '' : '?';
  if (setting.secret === true) return `password${optional}`;
  // A host alone is no URL for the Supervisor.
  if (setting.type === 'url') return `${setting.defaultScheme === undefined ? 'url' : 'str'}${optional}`;
  if (setting.type === 'int') return `int(${setting.min},${setting.max})${optional}`;
  if (setting.type === 'choice') return `list(${setting.choices.join('|')})${optional}`;
  if (setting.type === 'string' && setting.max !== undefined) return `str(,${setting.max})${optional}`;
  return `${setting.type === 'bool' ? 'bool' : 'str'}${optional}`;
}
/** The image sets these. */
const ofTheImage = ['PERCH_ADMIN_HOST', 'PERCH_ADMIN_PORT'];
/** Required of the bridge, and known from the Supervisor. */
const ofTheSupervisor = ['PERCH_MQTT_URL'];

describe('the app for Home Assistant OS', () => {
  it('has a repository.yaml and a config.yaml that the Supervisor reads', () => {
    assert.ok(isText(yaml(join(repository, 'repository.yaml'))['name']));
    for (const name of required) assert.ok(name in config, name);
    for (const [name, value] of Object.entries(config)) {
      assert.ok(fields[name], `${name} is no field of config.yaml that this test knows`);
      assert.ok(fields[name](value), `${name}: ${JSON.stringify(value)}`);
    }
  });

  it('is of this release, and so is the image that it is built on', () => {
    assert.equal(config['version'], release);
    const dockerfile = readFileSync(join(app, 'Dockerfile'), 'utf8');
    assert.ok(dockerfile.includes(`\nARG PERCH_IMAGE=perch/mqtt-bridge:${release}\nFROM \${PERCH_IMAGE}\n`));
    assert.match(dockerfile, /^ENTRYPOINT \["node", "run\.mjs", "\/data\/options\.json", "services\/mqtt-bridge\/dist\/main\.js"\]$/m);
    assert.match(dockerfile, /^COPY run\.mjs \/perch\/run\.mjs$/m);
  });

  it('has an option for each setting of the bridge, with its type, and requires what the bridge requires', () => {
    const expected = Object.values<Setting>(mqttBridgeSettings)
      .filter(({ env }) => !ofTheImage.includes(env))
      .map((setting) => [setting.env.replace('PERCH_', '').toLowerCase(), `${typeOf(setting)}${ofTheSupervisor.includes(setting.env) ? '?' : ''}`]);
    assert.deepEqual(Object.fromEntries(Object.entries(config['schema']).toSorted()), Object.fromEntries(expected.toSorted()));
  });

  it('names and describes each option in every language', () => {
    const files = readdirSync(join(app, 'translations'));
    assert.deepEqual(files.toSorted(), ['de.yaml', 'en.yaml']);
    for (const file of files) {
      const { configuration, ...more } = yaml(join(app, 'translations', file));
      assert.deepEqual([Object.keys(configuration), more], [Object.keys(config['schema']), {}], file);
      for (const [option, { name, description, ...rest }] of Object.entries<Record<string, unknown>>(configuration))
        assert.deepEqual([isText(name), isText(description), rest], [true, true, {}], `${file}: ${option}`);
    }
  });

  it('is described as untried, with what the operator and the user do', () => {
    assert.match(readFileSync(join(app, 'DOCS.md'), 'utf8'), /has not been tried on a real Home Assistant OS/);
  });
});

describe('the start of the app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perch-add-on-'));
  let supervisor: Server;
  let asked: { url: string; authorization: string }[];
  let answer: { status: number; body: object };
  before(async () => {
    // In place of the bridge: prints its settings.
    writeFileSync(
      join(folder, 'main.mjs'),
      'process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("PERCH_")))));',
    );
    supervisor = createServer(({ url = '', headers: { authorization = '' } }, response) => {
      asked.push({ url, authorization });
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body));
    }).listen(0, '127.0.0.1');
    await once(supervisor, 'listening');
  });
  beforeEach(() => {
    asked = [];
    const data = {
      host: 'core-mosquitto',
      port: 1883,
      ssl: false,
      protocol: '3.1.1',
      username: 'addons',
      password: 'secret',
      addon: 'core_mosquitto',
    };
    answer = { status: 200, body: { result: 'ok', data } };
  });
  after(() => {
    supervisor.close();
    rmSync(folder, { recursive: true });
  });

  async function start(options: object): Promise<{ code: number; env: Record<string, string>; error: string }> {
    const file = join(folder, 'options.json');
    writeFileSync(file, JSON.stringify(options));
    const address = `http://127.0.0.1:${(supervisor.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, [join(app, 'run.mjs'), file, join(folder, 'main.mjs'), address], {
      env: { PATH: process.env['PATH'], SUPERVISOR_TOKEN: 'token-of-the-app' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number]>]);
    return { code, env: JSON.parse(output === '' ? '{}' : output) as Record<string, string>, error };
  }
  const least = { base_url: 'https://perch.example.org', api_key: 'pk_secret' };

  it('takes the broker from the Supervisor, which each app may ask, unless its options name one', async () => {
    const { env } = await start({ ...least, mqtt_prefix: '', mqtt_topic: null });
    assert.deepEqual(env, {
      PERCH_BASE_URL: least.base_url,
      PERCH_API_KEY: least.api_key,
      PERCH_MQTT_URL: 'mqtt://core-mosquitto:1883',
      PERCH_MQTT_USERNAME: 'addons',
      PERCH_MQTT_PASSWORD: 'secret',
    });
    assert.deepEqual(settingsProblems(loadConfig(mqttBridgeSettings, env)), []);
    assert.deepEqual(asked, [{ url: '/services/mqtt', authorization: 'Bearer token-of-the-app' }]);
    const named = await start({ ...least, mqtt_url: 'broker.local' });
    assert.deepEqual([named.env['PERCH_MQTT_URL'], named.env['PERCH_MQTT_USERNAME'], asked.length], ['broker.local', undefined, 1]);
  });

  it('gives the bridge every option as its setting', async () => {
    const values: Record<string, unknown> = {
      mqtt_url: 'mqtts://broker',
      mqtt_poll_ms: 5000,
      mqtt_network: true,
      log_level: 'debug',
      mqtt_topic: 'house',
    };
    const { env } = await start({ ...least, ...values });
    assert.deepEqual(
      Object.entries(env).filter(([name]) => !['PERCH_BASE_URL', 'PERCH_API_KEY'].includes(name)),
      Object.entries(values).map(([name, value]) => [`PERCH_${name.toUpperCase()}`, String(value)]),
    );
    const known = new Set(settingRows(mqttBridgeSettings).map(({ env: name }) => name));
    for (const option of Object.keys(config['schema'])) assert.ok(known.has(`PERCH_${option.toUpperCase()}`), option);
  });

  it('says what to do where there is no broker', async () => {
    answer = { status: 400, body: { result: 'error', message: 'Service not enabled' } };
    const { code, error } = await start(least);
    assert.deepEqual([code, error], [1, 'No MQTT broker (Service not enabled). Install and start the app Mosquitto broker, or set mqtt_url.\n']);
  });
});
