import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PageOriginCheck } from '../../src/console/page.js';
import { AllowedHosts } from '../../src/http/allowed-hosts.js';

describe('PageOriginCheck', () => {
  const accepts = (publicUrl: string | null, headers: Record<string, string>): boolean => {
    try {
      new PageOriginCheck(new AllowedHosts(publicUrl, '127.0.0.1'), publicUrl).require({ headers } as unknown as IncomingMessage);
      return true;
    } catch {
      return false;
    }
  };

  it('accepts only the public origin, including its scheme and port', () => {
    const host = 'perch.example';
    const acceptsOrigin = (origin: string): boolean => accepts('https://perch.example', { host, origin });
    assert.equal(acceptsOrigin('https://perch.example'), true);
    for (const origin of ['http://perch.example', 'https://perch.example:8443', 'http://perch.example:80', 'https://perch.example.evil.example']) {
      assert.equal(acceptsOrigin(origin), false, origin);
    }
  });

  it("accepts the request's own host and port if no public URL is set", () => {
    assert.equal(accepts(null, { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }), true);
    assert.equal(accepts(null, { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8081' }), false);
  });
});
