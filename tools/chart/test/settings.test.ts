import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { chartFiles, chartFilesThere } from '../src/chart-files.ts';
import { chartFolder, renderChart, type KubernetesObject } from '../src/render-chart.ts';
import { services, settingNames } from '../src/setting-services.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { containerOf } from './containers.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything } from './values.ts';

const fileOf = (name: string): string => readFileSync(join(chartFolder, 'files', name), 'utf8');

describe("the chart's generated files", () => {
  it('the settings, rules and dashboards of the chart match docs/operate.md, deploy/prometheus/rules and deploy/grafana (otherwise: npx pnpm run -r generate)', () => {
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

describe('the environment of the rendered pods', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  const pods = (objects: KubernetesObject[], service: string): { name: string; value?: string }[] => containerOf(objects, `perch-${service}`).env;

  it('contains only settings that the service has, since it rejects others at startup', () => {
    for (const values of [defaults, everything]) {
      const objects = renderChart(engine, values);
      for (const service of values === defaults ? services.filter((name) => name !== 'mqtt-bridge') : services) {
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
    assert.deepEqual(having('PERCH_LOG_LEVEL'), ['gateway=warn', 'robot-link=warn', 'renderer=warn', 'webhooks=warn', 'mqtt-bridge=warn']);
  });

  it('contains the collector of traces in each of the four services, and the sample share as a decimal fraction', () => {
    const objects = renderChart(engine, everything);
    for (const service of services.filter((name) => name !== 'mqtt-bridge')) {
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
