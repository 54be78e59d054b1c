import assert from 'node:assert/strict';
import { AllowedHosts } from '../src/http/allowed-hosts.js';

const local = new AllowedHosts(null, '127.0.0.1');
const known = new AllowedHosts('https://robots.example/base', '0.0.0.0');

describe('allowed hosts', () => {
  it('accepts loopback names, IP addresses and the host of the public URL, with any port', () => {
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', '10.0.0.7:8080', 'perch.localhost', 'localhost.']) {
      assert.equal(local.problem({ host }), null, host);
      assert.equal(known.problem({ host }), null, host);
    }
    assert.equal(known.problem({ host: 'robots.example' }), null);
    assert.equal(known.problem({ host: 'Robots.Example:443' }), null);
  });

  it('rejects any other host name and a missing or malformed Host', () => {
    for (const host of ['evil.example', 'localhost.evil.example', 'robots.example.evil.example', '', 'a b', '@', undefined]) {
      assert.match(known.problem(host === undefined ? {} : { host }) ?? '', /PERCH_PUBLIC_URL/, host);
    }
    assert.match(local.problem({ host: 'robots.example' }) ?? '', /PERCH_PUBLIC_URL/);
  });
});
