import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { LinkAddress } from '../../src/console/robots/link-address.js';

describe('where robots dial', () => {
  const request = (host?: string): IncomingMessage => ({ headers: host === undefined ? {} : { host } }) as IncomingMessage;
  const living = (...addresses: string[]): ConstructorParameters<typeof LinkAddress>[0] => ({ offered: async () => addresses });

  it("is the operator's word, with the link's path where that was left out", async () => {
    assert.equal(
      await new LinkAddress(living('ws://10.0.0.1:8081/robot/v1/link'), 'wss://robots.example').for(request()),
      'wss://robots.example/robot/v1/link',
    );
    assert.equal(await new LinkAddress(living(), 'wss://robots.example:444/links').for(request()), 'wss://robots.example:444/links');
  });

  it('is where a robot-link that lives says it listens; one that listens everywhere is reached where the page is', async () => {
    assert.equal(
      await new LinkAddress(living('ws://10.0.0.1:8081/robot/v1/link'), null).for(request('a.example')),
      'ws://10.0.0.1:8081/robot/v1/link',
    );
    for (const everywhere of ['0.0.0.0', '[::]']) {
      const links = new LinkAddress(living(`ws://${everywhere}:8081/robot/v1/link`), null);
      assert.equal(await links.for(request('perch.local:8080')), 'ws://perch.local:8081/robot/v1/link');
      assert.deepEqual(await links.originsFor(request('[fd00::1]:8080')), ['ws://[fd00::1]:8081']);
      assert.equal(await links.for(request()), `ws://${everywhere}:8081/robot/v1/link`);
    }
  });

  it('is the first of many that live; a page may have to go on with any of them', async () => {
    const links = new LinkAddress(living('ws://a:1/robot/v1/link', 'ws://b:2/robot/v1/link', 'ws://a:1/other'), null);
    assert.equal(await links.for(request()), 'ws://a:1/robot/v1/link');
    assert.deepEqual(await links.originsFor(request()), ['ws://a:1', 'ws://b:2']);
  });

  it('is not known while none lives, and where Redis cannot be asked', async () => {
    assert.equal(await new LinkAddress(living(), null).for(request()), null);
    assert.deepEqual(await new LinkAddress({ offered: () => Promise.reject(new Error('away')) }, null).originsFor(request()), []);
  });
});
