import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { LinkAddress } from '../../src/console/robots/link-address.js';

describe('LinkAddress', () => {
  const request = (host?: string): IncomingMessage => ({ headers: host === undefined ? {} : { host } }) as IncomingMessage;
  const live = (...addresses: string[]): ConstructorParameters<typeof LinkAddress>[0] => ({ offered: async () => addresses });

  it("returns the operator's setting, adding the path if it has none", async () => {
    assert.equal(
      await new LinkAddress(live('ws://10.0.0.1:8081/robot/v1/link'), 'wss://robots.example').for(request()),
      'wss://robots.example/robot/v1/link',
    );
    assert.equal(await new LinkAddress(live(), 'wss://robots.example:444/links').for(request()), 'wss://robots.example:444/links');
  });

  it("returns the address of a live robot-link, replacing a wildcard address by the page's host", async () => {
    assert.equal(await new LinkAddress(live('ws://10.0.0.1:8081/robot/v1/link'), null).for(request('a.example')), 'ws://10.0.0.1:8081/robot/v1/link');
    for (const wildcard of ['0.0.0.0', '[::]']) {
      const links = new LinkAddress(live(`ws://${wildcard}:8081/robot/v1/link`), null);
      assert.equal(await links.for(request('perch.local:8080')), 'ws://perch.local:8081/robot/v1/link');
      assert.deepEqual(await links.originsFor(request('[fd00::1]:8080')), ['ws://[fd00::1]:8081']);
      assert.equal(await links.for(request()), `ws://${wildcard}:8081/robot/v1/link`);
    }
  });

  it('returns the first of several live robot-links, and the origins of all', async () => {
    const links = new LinkAddress(live('ws://a:1/robot/v1/link', 'ws://b:2/robot/v1/link', 'ws://a:1/other'), null);
    assert.equal(await links.for(request()), 'ws://a:1/robot/v1/link');
    assert.deepEqual(await links.originsFor(request()), ['ws://a:1', 'ws://b:2']);
  });

  it('returns no address when no robot-link is live or Redis is unavailable', async () => {
    assert.equal(await new LinkAddress(live(), null).for(request()), null);
    assert.deepEqual(await new LinkAddress({ offered: () => Promise.reject(new Error('away')) }, null).originsFor(request()), []);
  });
});
