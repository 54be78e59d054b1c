import assert from 'node:assert/strict';
import { clientAddress } from '../../src/console/client-address.js';

const from = (remoteAddress: string, forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress } as never,
});

describe('the address of a client', () => {
  it('is the socket’s where no proxy of ours stands before us, whatever it says of itself', () => {
    assert.equal(clientAddress(from('192.0.2.1', '198.51.100.9'), 0), '192.0.2.1');
  });

  it('is what the outermost of our proxies saw, and not what came before', () => {
    assert.equal(clientAddress(from('10.0.0.1', '203.0.113.5, 198.51.100.9'), 1), '198.51.100.9');
    assert.equal(clientAddress(from('10.0.0.1', '203.0.113.5, 198.51.100.9'), 2), '203.0.113.5');
    assert.equal(clientAddress(from('10.0.0.1', '198.51.100.9'), 2), '10.0.0.1');
  });

  it('of IPv6 is the network that a client has to itself, however it is written', () => {
    for (const address of ['2001:db8:1:2::7', '2001:DB8:1:2:ffff::', '2001:0db8:0001:0002:3:4:5:6'])
      assert.equal(clientAddress(from(address), 0), '2001:db8:1:2::/64');
    assert.equal(clientAddress(from('::1'), 0), '0:0:0:0::/64');
    assert.equal(clientAddress(from('fe80::1%eth0'), 0), 'fe80:0:0:0::/64');
    assert.equal(clientAddress(from('::ffff:192.0.2.1'), 0), '192.0.2.1');
  });
});
