import assert from 'node:assert/strict';
import { renderChart, type KubernetesObject } from '../src/render-chart.ts';
import { problemsOf } from '../src/strict-models.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { containerOf, deploymentsOf, type Deployment } from './containers.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything, routes } from './values.ts';

type PodSpec = Deployment['spec']['template']['spec'];

describe('the pods and Services of the chart', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  /** Objects that Kubernetes accepts. */
  const rendered = (values: object): KubernetesObject[] => {
    const objects = renderChart(engine, { ...defaults, ...values });
    assert.deepEqual(objects.flatMap(problemsOf), []);
    return objects;
  };
  const podsOf = (objects: KubernetesObject[]): Record<string, PodSpec> =>
    Object.fromEntries([
      ...deploymentsOf(objects).map(({ metadata, spec }) => [metadata.name, spec.template.spec] as const),
      ...objects.flatMap(({ kind, metadata, spec }) => (kind === 'Pod' ? [[metadata.name, spec as PodSpec] as const] : [])),
    ]);
  const specOf = (objects: KubernetesObject[], kind: string, name: string): Record<string, unknown> =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)!['spec'] as Record<string, unknown>;

  it('mount further volumes in every service, an authority for NODE_EXTRA_CA_CERTS among them', () => {
    const further = {
      extraVolumes: [{ name: 'my-ca', configMap: { name: 'my-ca' } }],
      extraVolumeMounts: [{ name: 'my-ca', mountPath: '/etc/my-ca', readOnly: true }],
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/my-ca/ca.crt' }],
    };
    const keys = ['gateway', 'robotLink', 'renderer', 'webhooks', 'mqttBridge', 'probe', 'cli'];
    const objects = rendered({ ...everything, ...Object.fromEntries(keys.map((key) => [key, { ...(everything[key] as object), ...further }])) });
    const names = deploymentsOf(objects).map(({ metadata }) => metadata.name);
    assert.equal(names.length, keys.length);
    for (const name of names) {
      assert.deepEqual(podsOf(objects)[name]!.volumes?.at(-1), further.extraVolumes[0], name);
      assert.deepEqual(containerOf(objects, name).volumeMounts?.at(-1), further.extraVolumeMounts[0], name);
      assert.deepEqual(containerOf(objects, name).env.at(-1), further.extraEnv[0], name);
    }
  });

  it('of robot-links and gateways alone read the signed robot program from a ConfigMap, where one is named', () => {
    const objects = rendered(everything);
    for (const name of deploymentsOf(objects).map(({ metadata }) => metadata.name)) {
      const { env, volumeMounts = [] } = containerOf(objects, name);
      const program = env.find((variable) => variable.name === 'PERCH_ROBOT_PROGRAM');
      const mount = volumeMounts.find((one) => one.name === 'robot-program');
      const volume: unknown = podsOf(objects)[name]!.volumes?.find((one) => one.name === 'robot-program');
      if (name !== 'perch-gateway' && name !== 'perch-robot-link')
        assert.deepEqual([program, mount, volume], [undefined, undefined, undefined], name);
      else {
        assert.equal(program?.value, '/etc/perch/robot-program/robot-program.json', name);
        assert.deepEqual(mount, { name: 'robot-program', mountPath: '/etc/perch/robot-program', readOnly: true }, name);
        const configMap = { name: 'robot-program-0-4', items: [{ key: 'signed.json', path: 'robot-program.json' }] };
        assert.deepEqual(volume, { name: 'robot-program', configMap }, name);
      }
    }
    const none = rendered({});
    for (const { metadata } of deploymentsOf(none))
      assert.ok(!containerOf(none, metadata.name).env.some(({ name }) => name === 'PERCH_ROBOT_PROGRAM'), metadata.name);
  });

  it('run where every service, the command-line tool and helm test are told to, with their priority and annotations', () => {
    const objects = rendered(everything);
    const clients = ['perch-mqtt-bridge', 'perch-probe'];
    for (const [name, pod] of Object.entries(podsOf(objects))) {
      if (clients.includes(name)) continue;
      assert.deepEqual(pod['nodeSelector'], { pool: 'perch' }, name);
      assert.equal((pod['tolerations'] as unknown[]).length, 1, name);
      assert.ok(pod['affinity'] !== undefined && pod['priorityClassName'] === 'important', name);
    }
    for (const { metadata, spec } of deploymentsOf(objects).filter(({ metadata }) => !clients.includes(metadata.name))) {
      assert.equal(spec.template.metadata.labels['team'], 'robots', metadata.name);
      assert.equal(spec.template.metadata.annotations?.['example.com/note'], 'x', metadata.name);
    }
  });

  it('leave user and groups to OpenShift, which refuses others than its own, if they are empty, and then mount Secrets that every user reads', () => {
    for (const none of ['', null]) {
      const podSecurityContext = { runAsUser: none, runAsGroup: none, fsGroup: none };
      const pods = podsOf(rendered({ ...everything, podSecurityContext }));
      for (const [name, { securityContext, volumes = [] }] of Object.entries(pods)) {
        assert.deepEqual(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }, name);
        for (const { secret } of volumes) if (secret !== undefined) assert.equal(secret.defaultMode, 0o444, name);
      }
    }
    const own = podsOf(rendered({ podSecurityContext: { runAsUser: 1000, fsGroup: 2000 } }))['perch-gateway']!;
    assert.deepEqual(own.securityContext, {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 65532,
      fsGroup: 2000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    const none = podsOf(rendered({ podSecurityContext: null, containerSecurityContext: null }));
    for (const pod of Object.values(none)) assert.ok(pod.securityContext === undefined && pod.containers[0]!.securityContext === undefined);
  });

  it('have further fields, such as names of hosts and sidecars', () => {
    const extraPodSpec = {
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['redis.example.org'] }],
      dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
      initContainers: [{ name: 'tunnel', image: 'tunnel:1', restartPolicy: 'Always' }],
    };
    const objects = rendered({ gateway: { extraPodSpec }, cli: { enabled: true, extraPodSpec }, test: { extraPodSpec } });
    for (const name of ['perch-gateway', 'perch-cli', 'perch-test'])
      for (const [field, value] of Object.entries(extraPodSpec)) assert.deepEqual(podsOf(objects)[name]![field], value, `${name}: ${field}`);
  });

  it('have each label once, the version of their image among them', () => {
    const objects = rendered({
      commonLabels: { team: 'a', 'app.kubernetes.io/part-of': 'school' },
      gateway: { podLabels: { team: 'b' } },
      image: { tag: '0.11.1', digests: { gateway: `sha256:${'a'.repeat(64)}` } },
    });
    const labels = deploymentsOf(objects).find(({ metadata }) => metadata.name === 'perch-gateway')!.spec.template.metadata.labels;
    assert.deepEqual([labels['team'], labels['app.kubernetes.io/part-of'], labels['app.kubernetes.io/version']], ['b', 'school', '0.11.1']);
    const versionOf = (values: object, name: string): unknown =>
      deploymentsOf(rendered(values)).find(({ metadata }) => metadata.name === name)!.metadata.labels?.['app.kubernetes.io/version'];
    assert.equal(versionOf({ image: { tag: `_${'1'.repeat(70)}` } }, 'perch-renderer'), '1'.repeat(62));
    assert.equal(versionOf({ image: { digests: { gateway: `sha256:${'b'.repeat(64)}` } } }, 'perch-gateway'), 'sha256-bbbbbbbbbbbb');
  });

  it('have names of at most 63 characters, and labels that Kubernetes accepts, under the longest name of a release', () => {
    for (const object of renderChart(engine, everything, 'a'.repeat(53))) {
      assert.deepEqual(problemsOf(object), []);
      assert.ok(object.metadata.name.length <= 63, object.metadata.name);
      for (const [name, value] of Object.entries(object.metadata.labels ?? {})) assert.ok(value.length <= 63, `${name}: ${value}`);
    }
  });

  it('are reached through load balancers that keep the addresses of clients, and have addresses of both families', () => {
    const service = {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      loadBalancerClass: 'service.k8s.aws/nlb',
      loadBalancerSourceRanges: ['203.0.113.0/24', '2001:db8::/32'],
      ipFamilyPolicy: 'PreferDualStack',
      ipFamilies: ['IPv6', 'IPv4'],
      nodePort: 30080,
    };
    const { nodePort, ...fields } = service;
    const objects = rendered({ gateway: { service }, robotLink: { service } });
    for (const name of ['perch-gateway', 'perch-robot-link']) {
      const { ports, selector, ...rest } = specOf(objects, 'Service', name);
      assert.deepEqual(rest, fields);
      assert.equal((ports as { nodePort: number }[])[0]!.nodePort, nodePort);
      assert.ok(selector !== undefined);
    }
    assert.deepEqual(Object.keys(specOf(rendered({}), 'Service', 'perch-gateway')), ['type', 'selector', 'ports']);
  });

  it('are reached through HTTPRoutes without a time limit, with other limits, or with those of the Gateway', () => {
    const limits = (httpRoute: object): unknown[] =>
      ['perch-gateway', 'perch-robot-link'].map((name) => {
        const objects = rendered({ ...routes, httpRoute: { ...(routes['httpRoute'] as object), ...httpRoute } });
        return (specOf(objects, 'HTTPRoute', name)['rules'] as { timeouts?: object }[])[0]!.timeouts;
      });
    assert.deepEqual(limits({}), [{ request: '0s' }, { request: '0s' }]);
    const own = { request: '1h', backendRequest: '150s' };
    assert.deepEqual(limits({ timeouts: own }), [own, own]);
    for (const timeouts of [null, { request: '' }]) assert.deepEqual(limits({ timeouts }), [undefined, undefined]);
  });
});
