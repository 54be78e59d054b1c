import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { Authority, type Certificate } from '@perch/authority';

const dayMs = 86_400_000;
const names = { dns: ['localhost', 'perch-1a2b3c.local'], addresses: ['127.0.0.1', '192.168.1.20'] };

describe('the authority of a home installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perch-authority-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is made once, also by two starts at a time, and its key lies in a file that only its owner may read', async () => {
    const own = join(folder, 'own');
    const [one, other] = await Promise.all([Authority.open(own), Authority.open(own)]);
    assert.equal(one.pem, other.pem);
    assert.equal((await Authority.open(own)).pem, one.pem);
    assert.equal(statSync(join(own, 'authority.pem')).mode & 0o777, 0o600);
    assert.equal(one.fingerprint, new X509Certificate(one.pem).fingerprint256);
    assert.match(one.localName, /^perch-[0-9a-f]{6}\.local$/);
    assert.ok(!one.pem.includes('PRIVATE'));
  });

  it('is not replaced where its file cannot be read, since robots trust it', async () => {
    const broken = join(folder, 'own', 'authority.pem');
    const before = readFileSync(broken);
    writeFileSync(broken, 'nothing');
    await assert.rejects(Authority.open(join(folder, 'own')), /authority\.pem is no authority/);
    writeFileSync(broken, before);
    await Authority.open(join(folder, 'own'));
  });

  it('certifies the link for longer than a clock that is 30 years ahead, and the page for as long as browsers take', async () => {
    const authority = await Authority.open(folder);
    const [link, page, ca] = [await authority.forLink(names), await authority.forPage(names), authority.pem].map(
      (one) => new X509Certificate(typeof one === 'string' ? one : one.cert),
    );
    for (const certificate of [link!, ca!]) {
      assert.ok(Date.parse(certificate.validFrom) < Date.parse('2000-01-02'), certificate.validFrom);
      assert.ok(Date.parse(certificate.validTo) > Date.parse('2200-01-01'), certificate.validTo);
    }
    const days = (Date.parse(page!.validTo) - Date.parse(page!.validFrom)) / dayMs;
    assert.ok(days > 300 && days <= 398, `${days} days`);
    assert.ok(Date.parse(page!.validFrom) < Date.now());
    for (const certificate of [link!, page!]) {
      assert.ok(certificate.verify(ca!.publicKey));
      for (const name of names.dns) assert.equal(certificate.checkHost(name), name);
      for (const address of names.addresses) assert.equal(certificate.checkIP(address), address);
      assert.equal(certificate.checkHost('example.com'), undefined);
    }
  });

  /** Returns the error of OpenSSL, in Node, or null. */
  async function refusalOf(certificate: Certificate, authority: Authority, servername: string): Promise<string | null> {
    const server = createServer(certificate, (socket) => socket.end()).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      await once(connect({ port: (server.address() as AddressInfo).port, ca: authority.pem, servername }), 'secureConnect');
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      server.close();
    }
  }

  it('is trusted for names and addresses of a home network alone', async () => {
    const authority = await Authority.open(folder);
    const tried = async (dns: string[], addresses: string[], name: string) => refusalOf(await authority.forPage({ dns, addresses }), authority, name);
    assert.equal(
      await tried(['desk.local'], ['10.1.2.3', '172.31.0.1', '192.168.9.9', '169.254.1.1', 'fd00::1', 'fe80::1', '::1'], 'desk.local'),
      null,
    );
    for (const name of ['bank.example', 'notlocal', 'local.example.com'])
      assert.equal(await tried([name], [], name), 'permitted subtree violation', name);
    for (const address of ['8.8.8.8', '172.32.0.1', '192.169.0.1', '2001:db8::1'])
      assert.equal(await tried(['desk.local'], [address], 'desk.local'), 'permitted subtree violation', address);
  });

  it('is trusted for what it signed alone', async () => {
    const [own, other] = [await Authority.open(folder), await Authority.open(join(folder, 'other'))];
    assert.match((await refusalOf(await other.forLink(names), own, 'localhost'))!, /self-signed certificate in certificate chain/);
    assert.equal(await refusalOf(await own.forLink(names), own, 'localhost'), null);
  });
});
