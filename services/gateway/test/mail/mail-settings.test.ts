import assert from 'node:assert/strict';
import { isMailable, mailAddressOf, smtpServerOf, smtpUrlProblem } from '../../src/mail/mail-delivery.js';

describe('settings of e-mail', () => {
  it('a URL with a path, a query, several hosts, half a login or broken escapes is refused, without repeating it', () => {
    const wrong: Record<string, RegExp> = {
      'smtp://mail.example/inbox': /nothing after the host/,
      'smtp://mail.example?pool=true': /nothing after the host/,
      'smtp://mail.example#x': /nothing after the host/,
      'smtp://one.example,two.example': /one host/,
      'smtp://ann@mail.example': /both a user and a password/,
      'smtp://:secret@mail.example': /both a user and a password/,
      'smtps://ann:%zz@mail.example': /percent-encoded/,
    };
    for (const [url, problem] of Object.entries(wrong)) {
      const found = smtpUrlProblem(url);
      assert.match(found ?? '', problem, url);
      for (const part of ['ann', 'secret', 'example']) assert.ok(!found!.includes(part), found!);
    }
    for (const url of ['smtp://mail.example', 'smtp://mail.example:2525/', 'smtps://ann%40b:p%3Aw@mail.example', 'smtp://[::1]:25'])
      assert.equal(smtpUrlProblem(url), null, url);
  });

  it('a URL gives host, port, login and the need of TLS: only connections that stay on the machine go without', () => {
    const part = (url: string): unknown[] => {
      const { host, port, secure, requireTLS, tls, auth } = smtpServerOf(url);
      return [host, port, secure, requireTLS, tls.rejectUnauthorized, auth ?? null];
    };
    assert.deepEqual(part('smtp://mail.example'), ['mail.example', 587, false, true, true, null]);
    assert.deepEqual(part('smtps://ann%40b:p%3Aw@mail.example'), ['mail.example', 465, true, false, true, { user: 'ann@b', pass: 'p:w' }]);
    assert.deepEqual(part('smtp://127.0.0.1:2525'), ['127.0.0.1', 2525, false, false, false, null]);
    assert.deepEqual(part('smtp://[::1]'), ['::1', 587, false, false, false, null]);
    assert.deepEqual(part('smtps://localhost'), ['localhost', 465, true, false, true, null]);
    for (const other of ['smtp://127.0.0.1.example', 'smtp://localhost.example', 'smtp://10.0.0.1'])
      assert.equal(smtpServerOf(other).requireTLS, true);
  });

  it('a sender is an address, alone or behind a name', () => {
    assert.deepEqual(mailAddressOf('perch@example.org'), { name: '', address: 'perch@example.org' });
    assert.deepEqual(mailAddressOf('Perch <perch@example.org>'), { name: 'Perch', address: 'perch@example.org' });
    assert.deepEqual(mailAddressOf('"Perch, at home" <perch@example.org>'), { name: 'Perch, at home', address: 'perch@example.org' });
    for (const wrong of [
      'perch',
      'Perch perch@example.org',
      '<perch@example.org',
      'a@b.example, c@d.example',
      'Perch <a@b.example> <c@d.example>',
      'Perch\r\nBcc: c@d.example <a@b.example>',
      `${'x'.repeat(65)} <a@b.example>`,
    ])
      assert.equal(mailAddressOf(wrong), null, wrong);
  });

  it('an address that a header or a command could read as something else is not written into an e-mail', () => {
    for (const address of ['ann@example.org', 'ann+perch@mail.example.org', "o'hara@example.org", 'ä@bücher.example'])
      assert.ok(isMailable(address), address);
    for (const address of [
      'ann',
      'a,b@example.org',
      'ann@example.org,bob@example.org',
      '<ann@example.org>',
      '"ann bob"@example.org',
      'ann@example.org\r\nBcc: bob@example.org',
      'ann\r\n@example.org',
      'ann@[127.0.0.1]',
      'ann@example.org\u0000',
      'ann@example.org\u2028',
      'ann\u00a0bob@example.org',
      'ann(bob)@example.org',
      'a\\b@example.org',
      'group:ann@example.org;',
    ])
      assert.equal(isMailable(address), false, JSON.stringify(address));
  });
});
