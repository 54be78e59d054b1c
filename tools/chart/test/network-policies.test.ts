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
  egress: { to?: Peer[]; ports: { port: number; protocol: string }[] }[];
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
      'perch-renderer',
      'perch-robot-link',
      'perch-webhooks',
    ]);
    for (const { policyTypes, egress } of Object.values(policies)) {
      assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
      // A rule without peers would allow every address.
      for (const { to, ports } of egress) assert.ok(to !== undefined && to.length > 0 && ports.length > 0);
    }
  });

  it('the network policies allow only Prometheus to reach the admin ports', () => {
    for (const [name, { ingress = [] }] of Object.entries(policiesOf(defaults)).filter(([name]) => name !== 'perch-cli')) {
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

  it('the network policies allow connections to the internet from webhooks and gateways only', () => {
    const outside = (policies: Record<string, Policy>): string[] =>
      Object.entries(policies).flatMap(([name, { egress }]) =>
        egress.some(({ to = [] }) => allows(to, '93.184.215.14') || allows(to, '2606:4700::1111')) ? [name] : [],
      );
    assert.deepEqual(outside(policiesOf(defaults)).toSorted(), ['perch-gateway', 'perch-webhooks']);
    assert.deepEqual(outside(policiesOf(everything)).toSorted(), ['perch-gateway', 'perch-webhooks']);
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
    assert.deepEqual(ports, [53, 53, 8080, 1883, 8883]);
    const componentOf = (peer: unknown): unknown => (peer as { podSelector?: { matchLabels?: object } }).podSelector?.matchLabels;
    const bridge = { 'app.kubernetes.io/name': 'perch', 'app.kubernetes.io/instance': 'perch', 'app.kubernetes.io/component': 'mqtt-bridge' };
    assert.deepEqual(policies['perch-gateway']!.ingress![0]!.from!.map(componentOf), [undefined, bridge]);
    assert.equal(policies['perch-robot-link']!.ingress![0]!.from!.length, 1);
    assert.equal(policiesOf({ ...everything, networkPolicy: {} })['perch-gateway']!.ingress![0]!.from, undefined);
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
