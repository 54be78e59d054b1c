import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { OwnPage } from '../../src/console/static/own-page.js';
import { OwnHosts } from '../../src/http/allowed-hosts.js';

describe('a page of ours', () => {
  const comes = (publicUrl: string | null, headers: Record<string, string>): boolean => {
    try {
      new OwnPage(new OwnHosts(publicUrl, '127.0.0.1'), publicUrl).require({ headers } as unknown as IncomingMessage);
      return true;
    } catch {
      return false;
    }
  };

  it('is one of the public origin, to the scheme and the port', () => {
    const host = 'perch.example';
    const is = (origin: string): boolean => comes('https://perch.example', { host, origin });
    assert.equal(is('https://perch.example'), true);
    for (const origin of ['http://perch.example', 'https://perch.example:8443', 'http://perch.example:80', 'https://perch.example.evil.example']) {
      assert.equal(is(origin), false, origin);
    }
  });

  it('is one of the address that it is asked at, where no name is set', () => {
    assert.equal(comes(null, { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }), true);
    assert.equal(comes(null, { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8081' }), false);
  });
});
