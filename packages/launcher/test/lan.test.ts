import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { lanAddress, lanEnvironment, lanText, loopbackEnvironment } from '../src/lan.js';

const at = (address: string, internal = false): NetworkInterfaceInfo[] => [
  { address, internal, family: 'IPv4', netmask: '255.255.255.0', mac: '', cidr: null },
];

describe('the local network of npm start -- --lan', () => {
  it('takes a private address of a real interface before those of containers and tunnels', () => {
    const lo = at('127.0.0.1', true);
    assert.equal(
      lanAddress(null, { lo, docker0: at('172.17.0.1'), tun0: at('192.168.9.9'), eth0: at('203.0.113.7'), wlan0: at('192.168.1.20') }),
      '192.168.1.20',
    );
    assert.equal(lanAddress(null, { lo, docker0: at('172.17.0.1'), eth0: at('203.0.113.7') }), '203.0.113.7');
    assert.equal(lanAddress(null, { lo, docker0: at('172.17.0.1') }), '172.17.0.1');
  });

  it('rejects --lan on a machine without an address, and an address that the machine does not have', () => {
    assert.throws(() => lanAddress(null, { lo: at('127.0.0.1', true), eth0: at('169.254.3.4') }), /--lan: this machine has no IPv4 address/);
    assert.throws(() => lanAddress('192.168.1.21', { wlan0: at('192.168.1.20') }), /no such IPv4 address; it has 192\.168\.1\.20/);
    assert.equal(lanAddress('10.0.0.2', { wlan0: at('192.168.1.20'), eth0: at('10.0.0.2') }), '10.0.0.2');
  });

  it('lets services listen on loopback, behind one proxy more, and nobody sign up without an invitation unless the setting says so', () => {
    const env = lanEnvironment({ PERCH_GATEWAY_HOST: '10.0.0.2', OTHER: '1' });
    const loopback = { PERCH_GATEWAY_HOST: '127.0.0.1', PERCH_LINK_HOST: '127.0.0.1' };
    assert.deepEqual(env, { PERCH_SIGN_UP: 'invitation', OTHER: '1', PERCH_TRUST_PROXY: '1', ...loopback });
    assert.equal(lanEnvironment({ PERCH_SIGN_UP: 'open' })['PERCH_SIGN_UP'], 'open');
    assert.equal(lanEnvironment({ PERCH_TRUST_PROXY: '1' })['PERCH_TRUST_PROXY'], '2');
  });

  it('sets no PERCH_WEBHOOK_ALLOW_PRIVATE; without --lan it is set unless the settings let others reach the gateways, or say otherwise', () => {
    const allowed = (env: NodeJS.ProcessEnv): string | undefined => loopbackEnvironment(env)['PERCH_WEBHOOK_ALLOW_PRIVATE'];
    assert.equal('PERCH_WEBHOOK_ALLOW_PRIVATE' in lanEnvironment({}), false);
    for (const env of [{}, { PERCH_GATEWAY_HOST: '127.0.0.2' }, { PERCH_GATEWAY_HOST: 'localhost', PERCH_PUBLIC_URL: '' }])
      assert.equal(allowed(env), 'true');
    for (const env of [
      { PERCH_GATEWAY_HOST: '0.0.0.0' },
      { PERCH_GATEWAY_HOST: '127.0.0.1.example' },
      { PERCH_PUBLIC_URL: 'https://perch.example' },
      { PERCH_TRUST_PROXY: '1' },
    ])
      assert.equal(allowed(env), undefined, JSON.stringify(env));
    assert.equal(allowed({ PERCH_WEBHOOK_ALLOW_PRIVATE: 'false' }), 'false');
  });

  it('prints what is encrypted, the address and the authority for robots, and a QR code that fits a terminal', () => {
    const robotUrl = 'wss://perch-1a2b3c.local:8081/robot/v1/link';
    const shared = { robotUrl, caUrl: 'http://192.168.1.20:8080/ca.crt', fingerprint: 'AB:CD' };
    const secret = '#sign-in=pl_0123456789abcdefghijklmnopqrstuvwxyzABCDEF';
    const text = lanText({ signInUrl: `http://192.168.1.20:8080/${secret}`, ...shared });
    assert.match(text, /can read what the page, programs and their keys send/);
    for (const shown of Object.values(shared)) assert.ok(text.includes(shown), shown);
    const code = text.split('\n').filter((line) => /[█▀▄]/.test(line));
    assert.ok(code.length > 15 && code.length < 30, `${code.length} lines`);
    assert.ok(code.every((line) => line.length < 60));
    assert.match(lanText({ signInUrl: `https://perch-1a2b3c.local:8080/${secret}`, ...shared }), /The page is encrypted/);
  });
});
