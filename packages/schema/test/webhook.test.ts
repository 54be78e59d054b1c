import assert from 'node:assert/strict';
import { ApiError, isPublicAddress, limits, validateWebhook } from '../src/index.js';

const problem = (body: unknown, allowPrivate = false): [string?, string?] => {
  try {
    validateWebhook(body, allowPrivate);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'bad_argument');
    return [error.field ?? '', error.message];
  }
};

describe('a webhook', () => {
  it('accepts only public addresses, in any notation', () => {
    for (const address of ['93.184.216.34', '8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']) assert.ok(isPublicAddress(address), address);
    const others =
      '127.0.0.1 127.8.8.8 10.0.0.1 172.16.3.4 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1 ' +
      ':: ::1 fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:127.0.0.1 ::ffff:a00:1 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1 fe80::1%eth0 ::7f00:1 4000::1 nonsense';
    for (const address of others.split(' ')) assert.ok(!isPublicAddress(address), address);
  });

  it('rejects webhook URLs without https or with a private host', () => {
    for (const url of ['https://example.com', 'https://example.com:8443/a?b=c', 'https://8.8.8.8/']) assert.deepEqual(problem({ url }), [], url);
    for (const url of [
      'example.com',
      'http://example.com',
      'ftp://example.com',
      'javascript:1',
      'https://user:word@example.com',
      'https://127.0.0.1',
      'https://127.1',
      'https://0x7f000001',
      'https://[::1]',
      'https://[::ffff:10.0.0.1]',
      'https://localhost',
      'https://LOCALHOST.',
      'https://a.localhost',
      'https://printer.local',
      'https://redis',
      'https://x.internal',
    ])
      assert.equal(problem({ url })[0], 'url', url);
  });

  it('names the setting that allows receivers on this machine, where it would, and not where it does', () => {
    const receivers = ['http://127.0.0.1:9000/', 'https://localhost/', 'https://10.1.2.3/', 'https://example.com:9000/'];
    for (const url of receivers) assert.match(problem({ url })[1]!, /need PERCH_WEBHOOK_ALLOW_PRIVATE=true, which npm start without --lan sets/, url);
    for (const url of receivers) assert.deepEqual(problem({ url }, true), [], url);
    for (const url of ['ftp://127.0.0.1/', 'example.com', 'http://user@127.0.0.1/']) assert.doesNotMatch(problem({ url }, true)[1]!, /PERCH_/, url);
    assert.doesNotMatch(problem({ url: 'https://user@example.com/' })[1]!, /PERCH_/);
  });

  it('rejects a webhook URL on a port other than 443 and 8443 unless the operator allows private addresses', () => {
    for (const url of ['https://example.com:443/', 'https://example.com:8443']) assert.deepEqual(problem({ url }), [], url);
    for (const url of ['https://example.com:22', 'https://example.com:6379/x', 'https://8.8.8.8:80', 'https://example.com:80']) {
      assert.equal(problem({ url })[0], 'url', url);
      assert.match(problem({ url })[1]!, /only 443 and 8443/);
      assert.deepEqual(problem({ url }, true), [], url);
    }
  });

  it('normalises the URL of a webhook, so that one address has one spelling', () => {
    const normalized = (url: string) => validateWebhook({ url }, false).url;
    assert.equal(normalized('HTTPS://EXAMPLE.com:443'), 'https://example.com/');
    assert.equal(normalized('https://example.com/a/../b/./c?d=e#fragment'), 'https://example.com/b/c?d=e');
    assert.equal(normalized('https://b\u00fccher.example/'), 'https://xn--bcher-kva.example/');
    assert.equal(normalized(' https://example.com\n/x '), 'https://example.com/x');
  });

  it('rejects a webhook URL that exceeds the length limit once normalised', () => {
    const url = `https://example.com/${'\u00fc'.repeat(limits.webhooks.urlCharsMax - 100)}`;
    assert.match(problem({ url })[1]!, /longer than 2000 characters/);
  });

  it('accepts http, loopback and private addresses if the operator allows them', () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://localhost', 'https://10.0.0.1']) assert.deepEqual(problem({ url }, true), [], url);
    for (const url of ['ftp://localhost', 'http://user@localhost']) assert.equal(problem({ url }, true)[0], 'url', url);
  });

  it('names the field of a problem', () => {
    const url = 'https://example.com';
    assert.equal(problem({})[0], 'url');
    assert.equal(problem({ url: `${url}/${'a'.repeat(limits.webhooks.urlCharsMax)}` })[0], 'url');
    assert.equal(problem({ url, names: ['tap', 'tapp'] })[0], 'names[1]');
    assert.equal(problem({ url, names: [] })[0], 'names');
    assert.equal(problem({ url, robots: [] })[0], 'robots');
    assert.equal(problem({ url, robots: Array(limits.webhooks.robotsMax + 1).fill('r') })[0], 'robots');
    assert.equal(problem({ url, secret: 'x' })[0], 'secret');
    for (const body of [null, [], 'x', 1]) assert.deepEqual(problem(body)[0], '');
  });
});
