import assert from 'node:assert/strict';
import { type ResolveAll, publicLookup, RefusedAddress, refuseLiteral } from '../../src/http/host-names.js';

const answering =
  (...addresses: string[]): ResolveAll =>
  (_host, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

function looked(resolve: ResolveAll, all: boolean): Promise<unknown> {
  return new Promise((done, fail) => publicLookup(resolve)('a.example', { all }, (error, address) => (error ? fail(error) : done(address))));
}

describe('name resolution for URLs of users', () => {
  it('resolves a name to its public addresses, and rejects a name that has none', async () => {
    const mixed = answering('10.0.0.1', '93.184.216.34', '::1', '2606:2800:220:1::1');
    assert.deepEqual(await looked(mixed, true), [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::1', family: 6 },
    ]);
    assert.equal(await looked(mixed, false), '93.184.216.34');
    await assert.rejects(looked(answering('127.0.0.1', 'fe80::1'), true), RefusedAddress);
    await assert.rejects(looked(answering(), false), RefusedAddress);
  });

  it('rejects private addresses in place of names', () => {
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '0.0.0.0']) assert.throws(() => refuseLiteral(host), RefusedAddress, host);
    for (const host of ['example.com', '93.184.216.34', '[2606:2800:220:1::1]']) refuseLiteral(host);
  });
});
