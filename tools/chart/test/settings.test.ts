import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { skipTest } from '@perch/testkit';
import { parse } from 'yaml';
import { chartFiles, chartFilesThere } from '../src/chart-files.ts';
import { checkedValues, type Values } from '../src/chart-values.ts';
import { chartFolder, renderChart, type KubernetesObject } from '../src/render-chart.ts';
import { clientServices, secretSettings, services, settingNames } from '../src/setting-services.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { containerOf, deploymentsOf } from './containers.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything } from './values.ts';

const fileOf = (name: string): string => readFileSync(join(chartFolder, 'files', name), 'utf8');

describe("the chart's generated files", () => {
  it('the settings, rules and dashboards of the chart match docs/operate, deploy/prometheus/rules and deploy/grafana (otherwise: npx pnpm run -r generate)', () => {
    const [made, there] = [chartFiles(), chartFilesThere()];
    assert.deepEqual([...there.keys()], [...made.keys()]);
    for (const [path, text] of made) assert.ok(there.get(path) === text, path);
    assert.ok(made.size > 1);
  });
});

describe("the chart's tables of settings", () => {
  it('the settings that the chart lists as determined by other values exist', () => {
    const known = new Set(services.flatMap((service) => settingNames(service)));
    assert.deepEqual(
      Object.keys(parse(fileOf('managed-settings.yaml')) as object).filter((name) => !known.has(name)),
      [],
    );
  });
});

/** Skips with an engine that has no notes. */
function notesOf(context: Context, engine: TemplateEngine): (values: Values) => string {
  if (engine.notes === undefined) skipTest(context, 'Helm prints no notes without a cluster');
  return (values) => engine.notes!({ chart: chartFolder, release: 'perch', namespace: 'robots', values: checkedValues(chartFolder, values) });
}

describe('the environment of the rendered pods', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  const pods = (objects: KubernetesObject[], service: string): { name: string; value?: string }[] => containerOf(objects, `perch-${service}`).env;

  it('contains only settings that the service has, since it rejects others at startup', () => {
    for (const values of [defaults, everything]) {
      const objects = renderChart(engine, values);
      for (const service of values === defaults ? services.filter((name) => !clientServices.has(name)) : services) {
        const known = settingNames(service);
        const set = pods(objects, service).flatMap(({ name }) => (name.startsWith('PERCH_') ? [name] : []));
        assert.ok(set.length >= 5, `${service}: ${set.length} settings`);
        assert.deepEqual(
          set.filter((name, i) => !known.includes(name) || set.indexOf(name) !== i),
          [],
          service,
        );
      }
    }
  });

  it('contains each value of `settings` in the services that have it and in no other, large numbers written out', () => {
    const objects = renderChart(engine, everything);
    const having = (name: string): string[] =>
      services.flatMap((service) => pods(objects, service).flatMap((variable) => (variable.name === name ? [`${service}=${variable.value}`] : [])));
    assert.deepEqual(having('PERCH_SIGN_UP'), ['gateway=invitation']);
    assert.deepEqual(having('PERCH_ACCOUNT_STORAGE_MB'), ['gateway=60', 'robot-link=60', 'webhooks=60']);
    assert.deepEqual(having('PERCH_GATEWAY_BODY_BYTES'), ['gateway=268435456']);
    assert.deepEqual(having('PERCH_LOG_LEVEL'), [
      'gateway=warn',
      'robot-link=warn',
      'renderer=warn',
      'webhooks=warn',
      'mqtt-bridge=warn',
      'probe=warn',
    ]);
  });

  it('contains every secret setting as a file from a Secret that a value names, and none as text', () => {
    const objects = renderChart(engine, everything);
    // All secrets that services read: a new one needs a value, or is one of secretSettings.
    const secrets = secretSettings();
    assert.ok(secrets.length >= 8, `${secrets.length} secrets`);
    const env = services.flatMap((service) => pods(objects, service));
    const managed = Object.keys(parse(fileOf('managed-settings.yaml')) as object);
    for (const name of secrets) {
      if (managed.includes(name)) assert.ok(managed.includes(`${name}_FILE`), `${name}_FILE is missing in managed-settings.yaml`);
      else assert.ok(name in (everything['secretSettings'] as object), `${name}: add it to secretSettings of the values of this test`);
      assert.ok(
        env.some((variable) => variable.name === `${name}_FILE`),
        `${name}: no value of the chart puts it into a Secret`,
      );
      assert.ok(!env.some((variable) => variable.name === name), `${name} stands in a Deployment`);
    }
  });

  it('mounts the Secret of secretSettings in the services that have the setting, and in no other', () => {
    const objects = renderChart(engine, { ...defaults, secretSettings: { PERCH_SPEECH_KEY: { name: 'perch-speech', key: 'api-key' } } });
    for (const { metadata, spec } of deploymentsOf(objects)) {
      const { volumes = [], containers } = spec.template.spec;
      const file = containers[0]!.env.find(({ name }) => name === 'PERCH_SPEECH_KEY_FILE')?.value;
      const isRenderer = metadata.name === 'perch-renderer';
      assert.equal(file, isRenderer ? '/etc/perch/speech-key/value' : undefined);
      const secret = { secretName: 'perch-speech', defaultMode: 0o440, items: [{ key: 'api-key', path: 'value' }] };
      assert.deepEqual(volumes, isRenderer ? [{ name: 'speech-key', secret }] : []);
    }
  });

  it('accepts a secret in settings in this release, and warns of it without its value', function () {
    const notes = notesOf(this, engine);
    const own = { ...defaults, settings: { PERCH_SPEECH_KEY: 'hunter2' } };
    assert.match(notes(own), /WARNING: settings\.PERCH_SPEECH_KEY is a secret[^]*secretSettings\.PERCH_SPEECH_KEY\. The next release refuses/);
    assert.ok(!notes(own).includes('hunter2'));
    assert.doesNotMatch(notes({ ...defaults, secretSettings: { PERCH_SPEECH_KEY: { name: 's', key: 'k' } } }), /PERCH_SPEECH_KEY/);
  });

  it('is followed by the ports that pods may use, where the URL of Redis is in a Secret', function () {
    const notes = notesOf(this, engine);
    const existingSecret = { name: 'perch-redis' };
    assert.match(notes({ redis: { existingSecret } }), /Secret perch-redis[^]*on these ports:\n6379\.[^]*set networkPolicy\.redis\.ports/);
    assert.match(
      notes({ redis: { existingSecret }, networkPolicy: { redis: { ports: [6380, '8500-8599'] } } }),
      /on these ports:\n6380, 8500-8599\./,
    );
    assert.doesNotMatch(notes(defaults), /networkPolicy/);
    assert.doesNotMatch(notes({ redis: { existingSecret }, networkPolicy: { enabled: false } }), /networkPolicy/);
  });

  it('contains the collector of traces in each of the four services, and the sample share as a decimal fraction', () => {
    const objects = renderChart(engine, everything);
    for (const service of services.filter((name) => !clientServices.has(name))) {
      const valueOf = (name: string): unknown => pods(objects, service).find((variable) => variable.name === name)?.value;
      assert.deepEqual(
        [valueOf('PERCH_TRACES_ENDPOINT'), valueOf('PERCH_TRACES_SAMPLE')],
        ['http://otel-collector.monitoring:4318', '0.05'],
        service,
      );
    }
    assert.ok(!pods(renderChart(engine, defaults), 'gateway').some(({ name }) => name.startsWith('PERCH_TRACES')));
  });

  it('counts one trusted proxy behind an Ingress and none without, unless trustProxy overrides it', () => {
    const trusted = (values: object): unknown =>
      pods(renderChart(engine, { ...defaults, ...values }), 'gateway').find(({ name }) => name === 'PERCH_TRUST_PROXY')?.value;
    const ingress = { enabled: true, gateway: { host: 'a.example' }, robotLink: { host: 'b.example' } };
    assert.equal(trusted({}), '0');
    assert.equal(trusted({ ingress }), '1');
    assert.equal(trusted({ ingress, trustProxy: 2 }), '2');
    assert.equal(trusted({ ingress, trustProxy: 0 }), '0');
  });

  it('contains public URLs derived from the hosts of an Ingress with TLS', () => {
    const ingress = {
      enabled: true,
      gateway: { host: 'a.example' },
      robotLink: { host: 'b.example' },
      tls: [{ secretName: 'tls', hosts: ['a.example'] }],
    };
    const env = pods(renderChart(engine, { ...defaults, ingress }), 'gateway');
    assert.equal(env.find(({ name }) => name === 'PERCH_PUBLIC_URL')?.value, 'https://a.example');
    assert.equal(env.find(({ name }) => name === 'PERCH_LINK_PUBLIC_URL')?.value, 'wss://b.example');
  });
});
