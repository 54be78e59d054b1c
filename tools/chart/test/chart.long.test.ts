import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { Values } from '../src/chart-values.ts';
import { chartFolder, renderChart, type KubernetesObject } from '../src/render-chart.ts';
import { problemsOf } from '../src/strict-models.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { containerOf, deploymentsOf, type Container } from './containers.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything, minimal, routes } from './values.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const idsOf = (objects: KubernetesObject[]): string[] => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe('the chart', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  const sets = {
    'default values and a Redis': defaults,
    'everything switched on': everything,
    'as little as possible': minimal,
    'the Gateway API': routes,
  };
  for (const [title, values] of Object.entries(sets)) {
    it(`renders objects without fields unknown to Kubernetes, with ${title}`, () => {
      const objects = renderChart(engine, values);
      assert.ok(objects.length >= 5, `${objects.length} objects`);
      assert.deepEqual(objects.flatMap(problemsOf), []);
      const ids = idsOf(objects);
      assert.deepEqual(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        [],
      );
      assert.deepEqual([...new Set(objects.map(({ metadata }) => metadata.namespace))], ['robots']);
    });
  }

  it('renders every kind of object if everything is switched on', () => {
    const kinds = new Set(renderChart(engine, everything).map(({ kind }) => kind));
    const expected =
      'Deployment HorizontalPodAutoscaler Ingress NetworkPolicy Pod PodDisruptionBudget PrometheusRule Service ServiceAccount ServiceMonitor';
    for (const kind of expected.split(' ')) assert.ok(kinds.has(kind), kind);
  });

  it('replaces pods one at a time and never has fewer than requested', () => {
    const deployments = deploymentsOf(renderChart(engine, defaults));
    assert.deepEqual(deployments.map(({ metadata }) => metadata.name).toSorted(), [
      'perch-gateway',
      'perch-renderer',
      'perch-robot-link',
      'perch-webhooks',
    ]);
    for (const { spec } of deployments) {
      assert.equal(spec.replicas, 2);
      assert.deepEqual(spec.strategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    }
  });

  it("gives pods more time to stop than the drain delay, the drain and the services' 10 s, whatever the values", () => {
    for (const drain of [{}, { delayMs: 0, ms: 0, marginSeconds: 10 }, { delayMs: 1, ms: 130_000 }, { delayMs: 600_000, ms: 3_600_000 }]) {
      for (const { metadata, spec } of deploymentsOf(renderChart(engine, { ...defaults, drain }))) {
        const env = spec.template.spec.containers[0]!.env;
        const ms = (name: string): number => Number(env.find((variable) => variable.name === name)!.value);
        const neededMs = ms('PERCH_DRAIN_DELAY_MS') + ms('PERCH_DRAIN_MS') + 10_000;
        assert.ok(spec.template.spec.terminationGracePeriodSeconds * 1000 >= neededMs, `${metadata.name}: ${JSON.stringify(drain)}`);
      }
    }
  });

  it('runs every pod as a numeric user on a read-only root, without capabilities and without a token for Kubernetes', () => {
    const objects = renderChart(engine, everything);
    const pods = [
      ...deploymentsOf(objects).map(({ spec }) => spec.template.spec),
      ...objects.flatMap(({ kind, spec }) => (kind === 'Pod' ? [spec as never] : [])),
    ];
    assert.equal(pods.length, 8);
    for (const pod of pods) {
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.enableServiceLinks, false);
      assert.deepEqual(pod.securityContext, {
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        fsGroup: 65532,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { securityContext, resources } of pod.containers) {
        assert.deepEqual(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
        assert.ok(resources.requests !== undefined && resources.limits !== undefined);
      }
    }
  });

  it('asks /readyz for readiness and /healthz for liveness, on the admin port', () => {
    for (const { spec } of deploymentsOf(renderChart(engine, defaults))) {
      const [container] = spec.template.spec.containers;
      const of = (probe: string): unknown => (container![probe] as { httpGet: object }).httpGet;
      assert.deepEqual(of('readinessProbe'), { path: '/readyz', port: 'admin' });
      assert.deepEqual(of('livenessProbe'), { path: '/healthz', port: 'admin' });
      assert.deepEqual(of('startupProbe'), { path: '/healthz', port: 'admin' });
      assert.ok(container!.ports.some(({ name, containerPort }) => name === 'admin' && containerPort === 9464));
    }
  });

  it('spreads the pods of a service over zones and over hosts', () => {
    for (const { spec } of deploymentsOf(renderChart(engine, everything)).filter(({ spec }) => spec.strategy.type !== 'Recreate')) {
      const constraints = spec.template.spec['topologySpreadConstraints'] as {
        topologyKey: string;
        whenUnsatisfiable: string;
        labelSelector: object;
      }[];
      assert.deepEqual(
        constraints.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable]),
        [
          ['topology.kubernetes.io/zone', 'DoNotSchedule'],
          ['kubernetes.io/hostname', 'ScheduleAnyway'],
        ],
      );
      for (const { labelSelector } of constraints) assert.deepEqual(labelSelector, spec.selector);
    }
  });

  it('selects with each Service, PodDisruptionBudget and NetworkPolicy the pods of one service and no others', () => {
    const objects = renderChart(engine, everything);
    const labels = [
      ...deploymentsOf(objects).map(({ spec }) => spec.template.metadata.labels),
      ...objects.flatMap(({ kind, metadata }) => (kind === 'Pod' ? [metadata.labels!] : [])),
    ];
    for (const object of objects) {
      const spec = object['spec'] as { selector?: Record<string, unknown>; podSelector?: { matchLabels: object } };
      const selector = {
        PodDisruptionBudget: spec?.selector?.['matchLabels'],
        NetworkPolicy: spec?.podSelector?.matchLabels,
        Service: spec?.selector,
      }[object.kind];
      if (selector === undefined || selector === null) continue;
      const selected = labels.filter((pod) => Object.entries(selector).every(([name, value]) => pod[name] === value));
      assert.equal(selected.length, object.metadata.name === 'perch-metrics' ? 6 : 1, `${object.kind} ${object.metadata.name}`);
    }
  });

  it('leaves the number of replicas to the autoscaler if it is enabled', () => {
    const objects = renderChart(engine, everything);
    const counts = deploymentsOf(objects).map(({ metadata, spec }) => [metadata.name, spec.replicas]);
    assert.deepEqual(Object.fromEntries(counts), {
      'perch-gateway': undefined,
      'perch-robot-link': undefined,
      'perch-renderer': undefined,
      'perch-webhooks': 2,
      'perch-mqtt-bridge': 1,
      'perch-probe': 1,
      'perch-cli': 1,
    });
  });

  it("uses an image's digest if given, else the tag, which defaults to the chart's version", () => {
    const objects = renderChart(engine, everything);
    const { appVersion } = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as { appVersion: string };
    assert.equal(containerOf(objects, 'perch-gateway').image, `registry.example.com/team/perch/gateway@sha256:${'a'.repeat(64)}`);
    assert.equal(containerOf(objects, 'perch-renderer').image, `registry.example.com/team/perch/renderer:${appVersion}`);
  });

  it('has the version of the project', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const chart = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as { appVersion: string; version: string };
    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  });

  it('mounts secrets as files readable only by the services that need them, and puts none into a variable', () => {
    const objects = renderChart(engine, everything);
    const expected = {
      PERCH_REDIS_URL_FILE: '/etc/perch/redis/url',
      PERCH_REDIS_CA_FILE: '/etc/perch/redis-ca/ca.crt',
      PERCH_REDIS_CERT_FILE: '/etc/perch/redis-client/tls.crt',
      PERCH_REDIS_KEY_FILE: '/etc/perch/redis-client/tls.key',
      PERCH_REDIS_SENTINEL_PASSWORD_FILE: '/etc/perch/redis-sentinel/password',
    };
    for (const { metadata, spec } of deploymentsOf(objects)) {
      const { containers, volumes = [] } = spec.template.spec;
      const [{ env, volumeMounts = [] }] = containers as [Container];
      const bridge = {
        PERCH_API_KEY_FILE: '/etc/perch/api-key/api-key',
        PERCH_MQTT_PASSWORD_FILE: '/etc/perch/mqtt/password',
        PERCH_MQTT_CA_FILE: '/etc/perch/mqtt-ca/ca.crt',
      };
      const probe = { PERCH_PROBE_API_KEY_FILE: '/etc/perch/probe/api-key', PERCH_PROBE_ROBOT_TOKEN_FILE: '/etc/perch/probe/robot-token' };
      const ofClients: Record<string, object> = { 'perch-mqtt-bridge': bridge, 'perch-probe': probe };
      const own = {
        ...(metadata.name === 'perch-gateway' && {
          PERCH_OIDC_CLIENT_SECRET_FILE: '/etc/perch/oidc/client-secret',
          PERCH_SMTP_URL_FILE: '/etc/perch/mail/smtp-url',
        }),
        ...(metadata.name === 'perch-renderer' && { PERCH_SPEECH_KEY_FILE: '/etc/perch/speech-key/value' }),
        ...(metadata.name !== 'perch-cli' && { PERCH_TRACES_HEADERS_FILE: '/etc/perch/traces/headers' }),
      };
      const files = Object.fromEntries(env.flatMap(({ name, value }) => (name.endsWith('_FILE') ? [[name, value]] : [])));
      assert.deepEqual(files, ofClients[metadata.name] ?? { ...expected, ...own }, metadata.name);
      assert.deepEqual(
        env.filter(
          ({ name, valueFrom }) =>
            valueFrom !== undefined || /^PERCH_(?:REDIS_URL|API_KEY|PROBE_API_KEY|.*TOKEN|SMTP_URL|TRACES_HEADERS|.*SECRET|.*PASSWORD)$/.test(name),
        ),
        [],
      );
      const mounted = volumes.flatMap(({ name, secret }) => {
        if (secret === undefined) return [];
        assert.equal(secret.defaultMode, 0o440);
        const mount = volumeMounts.find((mount) => mount.name === name);
        return secret.items.map(({ path }) => `${mount?.mountPath}/${path}`);
      });
      assert.deepEqual(mounted.toSorted(), Object.values(files).toSorted(), metadata.name);
    }
  });

  it('installs the probe only if probe.enabled, as one pod that calls the public addresses and is replaced, not doubled', () => {
    assert.ok(!idsOf(renderChart(engine, defaults)).some((id) => id.includes('probe')));
    const objects = renderChart(engine, everything);
    assert.deepEqual(
      idsOf(objects).filter((id) => id.includes('probe')),
      ['Deployment/perch-probe', 'NetworkPolicy/perch-probe'],
    );
    const { spec } = deploymentsOf(objects).find(({ metadata }) => metadata.name === 'perch-probe')!;
    assert.deepEqual([spec.replicas, spec.strategy], [1, { type: 'Recreate' }]);
    const { env } = containerOf(objects, 'perch-probe');
    assert.deepEqual(Object.fromEntries(env.flatMap(({ name, value }) => (name.endsWith('_FILE') ? [] : [[name, value]]))), {
      PERCH_BASE_URL: 'https://perch.example.com',
      PERCH_LINK_PUBLIC_URL: 'wss://robots.example.com',
      PERCH_ADMIN_HOST: '0.0.0.0',
      PERCH_ADMIN_PORT: '9464',
      PERCH_LOG_LEVEL: 'warn',
    });
    const own = renderChart(engine, { ...everything, probe: { ...(everything['probe'] as object), baseUrl: 'https://other.example.com' } });
    assert.equal(containerOf(own, 'perch-probe').env.find(({ name }) => name === 'PERCH_BASE_URL')?.value, 'https://other.example.com');
  });

  it('installs the MQTT bridge only if mqttBridge is enabled, as one pod that calls the Service of the gateway and is replaced, not doubled', () => {
    assert.ok(!idsOf(renderChart(engine, defaults)).some((id) => id.includes('mqtt-bridge')));
    const objects = renderChart(engine, everything);
    assert.deepEqual(
      idsOf(objects).filter((id) => id.includes('mqtt-bridge')),
      ['Deployment/perch-mqtt-bridge', 'NetworkPolicy/perch-mqtt-bridge'],
    );
    const { spec } = deploymentsOf(objects).find(({ metadata }) => metadata.name === 'perch-mqtt-bridge')!;
    assert.deepEqual([spec.replicas, spec.strategy], [1, { type: 'Recreate' }]);
    const { env, image } = containerOf(objects, 'perch-mqtt-bridge');
    const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'perch-gateway')!;
    const [{ port }] = (service['spec'] as { ports: [{ port: number }] }).ports;
    assert.match(image, /^registry\.example\.com\/team\/perch\/mqtt-bridge:/);
    assert.deepEqual(
      Object.fromEntries(env.flatMap(({ name, value }) => (name.endsWith('_FILE') || name === 'NODE_OPTIONS' ? [] : [[name, value]]))),
      {
        PERCH_BASE_URL: `http://perch-gateway:${port}`,
        PERCH_MQTT_URL: 'mqtts://mosquitto.home.svc:8883',
        PERCH_MQTT_USERNAME: 'bridge',
        PERCH_MQTT_TOPIC: 'robots',
        PERCH_ADMIN_HOST: '0.0.0.0',
        PERCH_ADMIN_PORT: '9464',
        PERCH_LOG_LEVEL: 'warn',
      },
    );
  });

  it('scrapes each robot in a separate job, from robot-links only, and only if monitoring.robots is enabled', () => {
    const monitors = (values: Values) =>
      renderChart(engine, values).filter(({ kind }) => kind === 'ServiceMonitor') as unknown as {
        metadata: { name: string };
        spec: { endpoints: { path: string; relabelings: { action?: string; regex?: string; targetLabel?: string; replacement?: string }[] }[] };
      }[];
    const jobs = (values: Values): unknown[] =>
      monitors(values).map(({ metadata, spec }) => [
        metadata.name,
        spec.endpoints[0]!.path,
        spec.endpoints[0]!.relabelings.find(({ targetLabel }) => targetLabel === 'job')?.replacement,
        spec.endpoints[0]!.relabelings.find(({ action }) => action === 'keep')?.regex,
      ]);
    const isOn = (values: Values): unknown =>
      containerOf(renderChart(engine, values), 'perch-robot-link').env.find(({ name }) => name === 'PERCH_METRICS_ROBOTS')?.value;
    const all = ['perch', '/metrics', 'perch', undefined];
    assert.deepEqual(jobs(everything), [all, ['perch-robots', '/metrics/robots', 'perch-robots', 'robot-link']]);
    assert.deepEqual(jobs({ ...defaults, monitoring: { serviceMonitor: { enabled: true } } }), [all]);
    assert.deepEqual([isOn(everything), isOn(defaults)], ['true', 'false']);
  });

  it("contains each dashboard of deploy/grafana, unchanged, in a ConfigMap with the label of Grafana's sidecar", () => {
    const maps = renderChart(engine, { ...defaults, monitoring: { dashboards: { enabled: true } } }).filter(({ kind }) => kind === 'ConfigMap');
    const dashboards = maps.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1');
    const contents = Object.assign({}, ...dashboards.map((map) => map['data'] as object)) as Record<string, string>;
    const files = readdirSync(join(root, 'deploy/grafana'));
    assert.ok(files.length > 0);
    assert.deepEqual(Object.keys(contents).toSorted(), files.toSorted());
    for (const file of files) assert.equal(contents[file], readFileSync(join(root, 'deploy/grafana', file), 'utf8'), file);
  });
});
