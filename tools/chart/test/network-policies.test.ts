import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { isPublicAddress } from '@perch/schema';
import { renderChart } from '../src/render-chart.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { requireEngine } from './engine.ts';
import { defaults, everything } from './values.ts';

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
}
interface Policy {
  policyTypes: string[];
  ingress?: { from?: Peer[]; ports: { port: string | number }[] }[];
  egress: { to?: Peer[]; ports: { port: number; endPort?: number; protocol: string }[] }[];
}

describe('the network policies', function () {
  let engine: TemplateEngine;
  before(function () {
    engine = requireEngine(this);
  });

  const policiesOf = (values: object): Record<string, Policy> =>
    Object.fromEntries(
      renderChart(engine, values as never).flatMap(({ kind, metadata, spec }) => (kind === 'NetworkPolicy' ? [[metadata.name, spec as Policy]] : [])),
    );

  it('network policies exist for the pods of every service and deny what they do not allow, in both directions', () => {
    const policies = policiesOf(everything);
    assert.deepEqual(Object.keys(policies).toSorted(), [
      'perch-cli',
      'perch-gateway',
      'perch-mqtt-bridge',
      'perch-probe',
      'perch-renderer',
      'perch-robot-link',
      'perch-test',
      'perch-webhooks',
    ]);
    for (const { policyTypes, egress } of Object.values(policies)) {
      assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
      // A rule without peers would allow every address.
      for (const { to, ports } of egress) assert.ok(to !== undefined && to.length > 0 && ports.length > 0);
    }
  });

  it('the network policies allow only Prometheus to reach the admin ports', () => {
    for (const [name, { ingress = [] }] of Object.entries(policiesOf(defaults)).filter(([name]) => name !== 'perch-test')) {
      const rules = ingress.filter(({ ports }) => ports.some(({ port }) => port === 'admin' || port === 9464));
      assert.equal(rules.length, 1, name);
      assert.deepEqual(rules[0]!.from, [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
        },
      ]);
      for (const { ports } of ingress) assert.ok(ports.length === 1, `${name} allows one port a rule`);
    }
  });

  it('the network policies allow connections to the internet from webhooks, gateways and the probe only', () => {
    const outside = (policies: Record<string, Policy>): string[] =>
      Object.entries(policies).flatMap(([name, { egress }]) =>
        egress.some(({ to = [] }) => allows(to, '93.184.215.14') || allows(to, '2606:4700::1111')) ? [name] : [],
      );
    assert.deepEqual(outside(policiesOf(defaults)).toSorted(), ['perch-gateway', 'perch-webhooks']);
    assert.deepEqual(outside(policiesOf(everything)).toSorted(), ['perch-gateway', 'perch-probe', 'perch-webhooks']);
    const withoutPictures = { ...defaults, networkPolicy: { pictures: { ports: [] } } };
    assert.deepEqual(outside(policiesOf(withoutPictures)), ['perch-webhooks']);
  });

  it('the network policies allow webhooks and gateways to connect to exactly the addresses that Perch considers public, on the ports that it allows', () => {
    for (const name of ['perch-webhooks', 'perch-gateway']) {
      const rule = policiesOf(defaults)[name]!.egress.find(({ to = [] }) => allows(to, '93.184.215.14'))!;
      assert.deepEqual(
        rule.ports.map(({ port, protocol }) => `${protocol} ${port}`),
        ['TCP 443', 'TCP 8443'],
      );
      const different = addresses().filter((address) => allows(rule.to!, address) !== isPublicAddress(address));
      assert.deepEqual(different, []);
    }
  });

  it('allow gateways to connect to the SMTP server only where e-mail is sent', () => {
    const ports = (values: object): number[] =>
      policiesOf(values)['perch-gateway']!.egress.flatMap(({ ports: open }) => open.map(({ port }) => port));
    assert.ok(!ports(defaults).includes(587));
    assert.ok(ports(everything).includes(587) && ports(everything).includes(465));
  });

  it('let the MQTT bridge connect to the gateway and the broker and not to Redis, and let the gateway accept it beside the clients that are named', () => {
    const policies = policiesOf(everything);
    const ports = policies['perch-mqtt-bridge']!.egress.flatMap(({ ports: open }) => open.map(({ port }) => port));
    assert.deepEqual(ports, [53, 53, 8080, 8883, 1883]);
    assert.deepEqual(policies['perch-gateway']!.ingress![0]!.from!.map(componentOf), [undefined, 'test', 'mqtt-bridge']);
    assert.equal(policies['perch-robot-link']!.ingress![0]!.from!.length, 1);
    assert.equal(policiesOf({ ...everything, networkPolicy: {} })['perch-gateway']!.ingress![0]!.from, undefined);
  });

  it('let the pod of helm test connect to the gateway alone, also where clients are named', () => {
    const clients = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }];
    const policies = policiesOf({ ...defaults, networkPolicy: { clients } });
    assert.deepEqual(policies['perch-gateway']!.ingress![0]!.from!.map(componentOf), [undefined, 'test']);
    assert.equal(policies['perch-robot-link']!.ingress![0]!.from!.length, 1);
    assert.deepEqual(
      policies['perch-test']!.egress.map(({ to, ports }) => [componentOf(to![0]), ports.map(({ port }) => port)]),
      [
        [undefined, [53, 53]],
        ['gateway', [8080]],
      ],
    );
  });

  /** Of the rule to Redis, as `port` or `port-endPort`. */
  const redisPorts = (values: object, service = 'renderer'): string[] => {
    const [, { ports }] = policiesOf(values)[`perch-${service}`]!.egress as [unknown, Policy['egress'][0]];
    return ports.map(({ port, endPort }) => (endPort === undefined ? String(port) : `${port}-${endPort}`));
  };

  const redisUrls: Record<string, string[]> = {
    'redis://redis.data.svc:6379': ['6379'],
    'redis://redis.data.svc': ['6379'],
    'redis://redis.data.svc/3': ['6379'],
    'rediss://perch.redis.cache.windows.net:6380': ['6380', '6379'],
    'rediss://[2001:db8::1]:6380/0': ['6380', '6379'],
    'rediss://[2001:db8::1]': ['6379'],
    'redis-cluster://a:7000,b:7001,c': ['7000', '7001', '6379'],
    'rediss-cluster://[2001:db8::1]:7000,[2001:db8::2]:7000/': ['7000', '6379'],
    'redis-sentinel://a,b:26380,c/mymaster/0': ['26379', '26380', '6379'],
  };
  for (const [url, ports] of Object.entries(redisUrls))
    it(`allow all pods that use Redis to connect to the ports of ${url}, and to 6379`, () => {
      const values = { redis: { url }, cli: { enabled: true } };
      for (const service of ['gateway', 'robot-link', 'renderer', 'webhooks', 'cli']) assert.deepEqual(redisPorts(values, service), ports, service);
    });

  it('add the ports of networkPolicy.redis.ports, ranges included, to those of redis.url', () => {
    const networkPolicy = { redis: { ports: [6380, '8500-8599'] } };
    assert.deepEqual(redisPorts({ redis: { url: 'redis-sentinel://a/m' }, networkPolicy }), ['26379', '6380', '8500-8599']);
    assert.deepEqual(redisPorts({ redis: { url: 'rediss-cluster://a:6380' }, networkPolicy }), ['6380', '8500-8599']);
    assert.deepEqual(redisPorts({ redis: { existingSecret: { name: 's' } }, networkPolicy }), ['6380', '8500-8599']);
    assert.deepEqual(redisPorts({ redis: { existingSecret: { name: 's' } } }), ['6379']);
    assert.deepEqual(redisPorts({ redis: { url: 'rediss://a:6380' }, networkPolicy: { redis: { ports: [] } } }), ['6380']);
  });

  it('allow a Redis that has public addresses of both families, and no other address then', () => {
    const to = [{ ipBlock: { cidr: '203.0.113.7/32' } }, { ipBlock: { cidr: '2001:db8:7::/48' } }];
    const [, rule] = policiesOf({ ...defaults, networkPolicy: { redis: { to } } })['perch-renderer']!.egress;
    assert.deepEqual(rule!.to, to);
    assert.ok(allows(rule!.to!, '2001:db8:7::1') && !allows(rule!.to!, '10.0.0.1'));
  });

  it('allow DNS on the ports of its pods, over UDP and TCP', () => {
    const [dns] = policiesOf({ ...defaults, networkPolicy: { dns: { ports: [5353] } } })['perch-gateway']!.egress;
    assert.deepEqual(dns!.ports, [
      { port: 5353, protocol: 'UDP' },
      { port: 5353, protocol: 'TCP' },
    ]);
  });

  it('allow renderers, where speech is made over http, and no other pods to connect to the port of its URL', () => {
    const settings = { PERCH_SPEECH: 'http', PERCH_SPEECH_URL: 'https://speech.example.com/v1/audio/speech' };
    const ruleOf = (values: object): Policy['egress'][0] | undefined => policiesOf(values)['perch-renderer']!.egress[2];
    assert.equal(ruleOf({ ...defaults, settings: { ...settings, PERCH_SPEECH: 'off' } }), undefined);
    const rule = ruleOf({ ...defaults, settings })!;
    assert.deepEqual([rule.ports, rule.to![0]], [[{ port: 443, protocol: 'TCP' }], { namespaceSelector: {} }]);
    assert.ok(allows(rule.to!, '93.184.215.14') && allows(rule.to!, '2606:4700::1111') && !allows(rule.to!, '169.254.169.254'));
    const to = [{ podSelector: { matchLabels: { app: 'piper' } } }];
    const inside = ruleOf({
      ...defaults,
      settings: { ...settings, PERCH_SPEECH_URL: 'http://piper' },
      networkPolicy: { speech: { to, ports: [5000] } },
    })!;
    assert.deepEqual([inside.to, inside.ports.map(({ port }) => port)], [to, [80, 5000]]);
    assert.equal(policiesOf({ ...defaults, settings })['perch-webhooks']!.egress.length, 3);
  });

  it('allow the ports of the URLs of the broker, the provider of sign-in and the collector of traces without their being listed', () => {
    const policies = policiesOf({
      ...everything,
      mqttBridge: { ...(everything['mqttBridge'] as object), mqttUrl: 'mqtts://broker:18883' },
      oidc: { issuer: 'https://id.example.com:9443/realms/perch', clientId: 'perch' },
      traces: { endpoint: 'https://otlp.example.com' },
    });
    const ports = (service: string): number[] => policies[`perch-${service}`]!.egress.flatMap(({ ports: open }) => open.map(({ port }) => port));
    assert.ok(ports('mqtt-bridge').includes(18_883));
    assert.ok(ports('gateway').includes(9443));
    for (const service of ['gateway', 'robot-link', 'renderer', 'webhooks']) assert.ok(ports(service).includes(443), service);
  });

  it('let the probe connect to the public addresses of the service and not to Redis', () => {
    const ports = policiesOf(everything)['perch-probe']!.egress.flatMap(({ ports: open }) => open.map(({ port }) => port));
    assert.deepEqual(ports, [53, 53, 443, 8443, 10_443]);
    const other = policiesOf({ ...everything, publicUrl: 'http://perch.example.com:8080', linkPublicUrl: 'ws://perch.example.com:8081' })[
      'perch-probe'
    ]!;
    assert.deepEqual(other.egress[1]!.ports.map(({ port }) => port).slice(0, 2), [8080, 8081]);
  });

  it('exceptions of network policies lie within their range, as Kubernetes requires', () => {
    for (const { egress } of Object.values(policiesOf(everything))) {
      for (const { ipBlock } of egress.flatMap(({ to = [] }) => to)) {
        if (ipBlock === undefined) continue;
        for (const exception of ipBlock.except ?? []) {
          const [address, bits] = exception.split('/');
          assert.ok(blockOf(ipBlock.cidr).check(address!, familyOf(address!)) && Number(bits) > Number(ipBlock.cidr.split('/')[1]), exception);
        }
      }
    }
  });
});

const componentOf = (peer: unknown): unknown =>
  (peer as { podSelector?: { matchLabels?: Record<string, string> } }).podSelector?.matchLabels?.['app.kubernetes.io/component'];

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

function blockOf(...ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/');
    list.addSubnet(address!, Number(bits), familyOf(address!));
  }
  return list;
}

/** Pod selectors allow no address. */
function allows(peers: Peer[], address: string): boolean {
  return peers.some(({ ipBlock }) => {
    if (ipBlock === undefined) return false;
    const family = familyOf(address);
    return blockOf(ipBlock.cidr).check(address, family) && !blockOf(...(ipBlock.except ?? [])).check(address, family);
  });
}

/** At and around the borders of all reserved ranges, and one for every first octet. */
function addresses(): string[] {
  const v4 = Array.from({ length: 256 }, (_, octet) => `${octet}.100.50.25`);
  const borders =
    '9.255.255.255 10.0.0.0 10.255.255.255 11.0.0.0 100.63.255.255 100.64.0.0 100.127.255.255 100.128.0.0 126.255.255.255 127.0.0.1 128.0.0.0 169.253.255.255 169.254.169.254 169.255.0.0 172.15.255.255 172.16.0.0 172.31.255.255 172.32.0.0 192.0.0.1 192.0.1.0 192.0.2.1 192.0.3.0 192.31.196.1 192.52.193.1 192.88.99.1 192.167.255.255 192.168.0.0 192.168.255.255 192.169.0.0 192.175.48.1 198.17.255.255 198.18.0.0 198.19.255.255 198.20.0.0 198.51.100.1 203.0.113.1 223.255.255.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255 0.0.0.0';
  const v6 =
    ':: ::1 ::ffff:10.0.0.1 64:ff9b::a00:1 100::1 2001::1 2001:2::1 2001:db8::1 2001:4860::8888 2002:a00:1::1 2003::1 2606:4700::1111 2620:4f:8000::1 2a00:1450::1 3fff::1 3fff:1000::1 4000::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1';
  return [...v4, ...borders.split(' '), ...v6.split(' ')];
}
