import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { clientAddress, ClientAddresses, clientNetwork, clientSite } from '../../src/index.js';

const request = (remoteAddress: string | undefined, forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress },
});

const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 });
/** One IPv6 address and several of its spellings: any run of zeros compressed, leading zeros, upper case, zone. */
const spelled = fc.record({ groups, from: fc.nat(7), length: fc.nat(8), pad: fc.boolean(), upper: fc.boolean(), zone: fc.boolean() }).map((given) => {
  const hex = given.groups.map((group) => group.toString(16).padStart(given.pad ? 4 : 1, '0'));
  const end = Math.min(8, given.from + given.length);
  const canCompress = end > given.from && given.groups.slice(given.from, end).every((group) => group === 0);
  const text = canCompress ? `${hex.slice(0, given.from).join(':')}::${hex.slice(end).join(':')}` : hex.join(':');
  return { groups: given.groups, text: (given.upper ? text.toUpperCase() : text) + (given.zone ? '%eth0' : '') };
});
const isMapped = (parts: readonly number[]) => parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff;

describe('clientAddress', () => {
  it('returns the address of the connection and ignores X-Forwarded-For when no proxy is trusted', () => {
    assert.equal(clientAddress(request('192.0.2.1', '198.51.100.9'), 0), '192.0.2.1');
  });

  it('returns the entry that the outermost trusted proxy appended, whatever the client wrote before it', () => {
    assert.equal(clientAddress(request('10.0.0.1', '203.0.113.5, 198.51.100.9'), 1), '198.51.100.9');
    assert.equal(clientAddress(request('10.0.0.1', '203.0.113.5, 198.51.100.9'), 2), '203.0.113.5');
    fc.assert(fc.property(fc.string(), (forged) => assert.equal(clientAddress(request('10.0.0.1', `${forged},198.51.100.9`), 1), '198.51.100.9')));
  });

  it('returns the address of the connection when the header has fewer entries than trusted proxies or the entry is not an address', () => {
    assert.equal(clientAddress(request('10.0.0.1', '198.51.100.9'), 2), '10.0.0.1');
    for (const entry of ['', 'unknown', '_hidden', '1', '0x7f.1', '198.51.100.300', '2001:db8::g', '<script>'])
      assert.equal(clientAddress(request('10.0.0.1', entry), 1), '10.0.0.1', entry);
    assert.equal(clientAddress(request(undefined, 'unknown'), 1), '');
  });

  it('accepts an entry with a port, as some proxies append it', () => {
    assert.equal(clientAddress(request('10.0.0.1', '198.51.100.9:51234'), 1), '198.51.100.9');
    assert.equal(clientAddress(request('10.0.0.1', '[2001:db8::7]:51234'), 1), '2001:db8::7');
    assert.equal(clientAddress(request('10.0.0.1', '[2001:db8::7]'), 1), '2001:db8::7');
  });

  it('returns the same text for every spelling of an address', () => {
    fc.assert(
      fc.property(spelled, spelled, (one, other) => {
        const [a, b] = [clientAddress(request(one.text), 0), clientAddress(request(other.text), 0)];
        assert.equal(a === b, one.groups.join() === other.groups.join());
        assert.notEqual(isIP(a), 0);
      }),
    );
  });
});

describe('clientNetwork', () => {
  it('returns the /64 prefix of an IPv6 address in one spelling, however the address is compressed', () => {
    for (const address of ['2001:db8:1:2::7', '2001:DB8:1:2:ffff::', '2001:0db8:0001:0002:3:4:5:6'])
      assert.equal(clientNetwork(address), '2001:db8:1:2::/64');
    assert.equal(clientNetwork('2001:db8::1'), '2001:db8::/64');
    assert.equal(clientNetwork('2001:db8::1:2:3:4'), '2001:db8::/64');
    assert.equal(clientNetwork('::1'), '::/64');
    assert.equal(clientNetwork('fe80::1%eth0'), 'fe80::/64');
  });

  it('puts two IPv6 addresses into one network exactly when their first 64 bits are equal', () => {
    fc.assert(
      fc.property(spelled, spelled, fc.boolean(), (one, other, sameFront) => {
        const second = sameFront ? [...one.groups.slice(0, 4), ...other.groups.slice(4)] : other.groups;
        fc.pre(!isMapped(one.groups) && !isMapped(second));
        const text = second.map((group) => group.toString(16)).join(':');
        assert.equal(clientNetwork(one.text) === clientNetwork(text), one.groups.slice(0, 4).join() === second.slice(0, 4).join());
      }),
    );
  });

  it('returns an IPv4 address itself, also when it arrives as IPv4-mapped IPv6 in any spelling', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        for (const text of [address, `::ffff:${address}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`]) assert.equal(clientNetwork(text), address);
      }),
    );
  });

  it('never throws, whatever text it is given', () => {
    fc.assert(fc.property(fc.string(), (text) => assert.equal(typeof clientNetwork(text), 'string')));
  });
});

describe('clientSite', () => {
  it('returns the /24 of an IPv4 address and the /48 of an IPv6 network', () => {
    assert.equal(clientSite('192.0.2.77'), '192.0.2.0/24');
    assert.equal(clientSite(clientNetwork('2001:db8:1:2::7')), '2001:db8:1::/48');
    assert.equal(clientSite('unknown'), 'unknown');
  });
});

describe('ClientAddresses', () => {
  const warnings = (trustedProxies: number, ...headers: (string | undefined)[]) => {
    let count = 0;
    const addresses = new ClientAddresses(trustedProxies, { warn: () => void count++ });
    for (const header of headers) addresses.noteHeader(request('192.0.2.1', header));
    return count;
  };

  it('warns exactly once when X-Forwarded-For arrives and PERCH_TRUST_PROXY is 0', () => {
    assert.equal(warnings(0, undefined, '198.51.100.9', '198.51.100.9'), 1);
  });

  it('does not warn when the header is absent or a proxy is trusted', () => {
    assert.equal(warnings(0, undefined, undefined), 0);
    assert.equal(warnings(1, '198.51.100.9'), 0);
  });
});
