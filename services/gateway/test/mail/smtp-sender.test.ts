/** E-mails through an SMTP server that is a process of its own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MailServer, needsOpenssl, testCertificates, type MailServerOptions, type TestCertificates } from '@perch/testkit';
import { smtpServerOf, type SmtpServer, SmtpSender } from '../../src/mail/mail-delivery.js';
import { passwordResetMail } from '../../src/mail/account-mails.js';

const run = promisify(execFile);
const from = { name: 'Perch', address: 'perch@example.org' };
const login = { user: 'perch@example.org', password: 'a secret: of two' };

describe('the SMTP sender', () => {
  const servers: MailServer[] = [];
  let certificates: TestCertificates;
  /** Each is a process. */
  let plain: MailServer;
  let starttls: MailServer;
  let implicit: MailServer;
  before(async function () {
    needsOpenssl(this);
    certificates = testCertificates();
    [plain, starttls, implicit] = await Promise.all([serve(), serve({ ...login, tls: 'starttls' }), serve({ ...login, tls: 'implicit' })]);
  });
  beforeEach(() => {
    for (const { received } of servers) received.length = 0;
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    certificates?.remove();
  });

  async function serve(options: MailServerOptions = {}): Promise<MailServer> {
    const { certificate, key } = certificates.server;
    const server = await MailServer.start({ certificate, key, ...options });
    servers.push(server);
    return server;
  }

  const senderTo = (url: string, more: Partial<SmtpServer> = {}): SmtpSender => new SmtpSender({ ...smtpServerOf(url), ...more }, from);
  const urlWith = (server: MailServer, scheme: 'smtp' | 'smtps', password = login.password): string =>
    `${scheme}://${encodeURIComponent(login.user)}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
  const mailTo = (to: string) => passwordResetMail({ to, baseUrl: 'https://perch.example', token: 'pr_token', isProven: true });
  const trusted = (): SmtpServer['tls'] => ({ rejectUnauthorized: true, ca: readFileSync(certificates.ca, 'utf8') });

  it('sends plain text and HTML from the configured sender to the one recipient', async () => {
    await senderTo(plain.url).send(mailTo('ann@example.org'));
    const mail = await plain.mailTo('ann@example.org');
    assert.deepEqual([mail.from, mail.to, mail.subject], ['perch@example.org', ['ann@example.org'], 'Set a new password for Perch']);
    assert.ok(mail.headers.includes('From: Perch <perch@example.org>'), mail.headers.join('\n'));
    assert.ok(mail.headers.includes('To: ann@example.org'), mail.headers.join('\n'));
    assert.ok(mail.headers.includes('Auto-Submitted: auto-generated'), mail.headers.join('\n'));
    assert.match(mail.text, /^https:\/\/perch\.example\/reset-password#reset=pr_token$/m);
    assert.match(mail.html, /<a href="https:\/\/perch\.example\/reset-password#reset=pr_token">Set a new password<\/a>/);
    assert.doesNotMatch(mail.html, /<(?:img|script|link|style|iframe)/);
  });

  it('signs in with user and password over STARTTLS, and sends nothing with a wrong password', async () => {
    await senderTo(urlWith(starttls, 'smtp'), { requireTLS: true, tls: trusted() }).send(mailTo('ann@example.org'));
    const { tls, user } = await starttls.mailTo('ann@example.org');
    assert.deepEqual([tls, user], [true, login.user]);
    await assert.rejects(senderTo(urlWith(starttls, 'smtp', 'wrong')).send(mailTo('bob@example.org')), { code: 'EAUTH' });
    assert.deepEqual(starttls.to('bob@example.org'), []);
  });

  it('uses TLS from the first byte with smtps://', async () => {
    await senderTo(urlWith(implicit, 'smtps'), { tls: trusted() }).send(mailTo('ann@example.org'));
    const { tls, user } = await implicit.mailTo('ann@example.org');
    assert.deepEqual([tls, user], [true, login.user]);
  });

  it('sends neither password nor e-mail to a server with an unknown certificate', async () => {
    const otherCa = { rejectUnauthorized: true, ca: readFileSync(certificates.otherCa, 'utf8') };
    for (const tls of [otherCa, smtpServerOf('smtps://127.0.0.1').tls])
      await assert.rejects(senderTo(urlWith(implicit, 'smtps'), { tls }).send(mailTo('ann@example.org')), /certificate/);
    await assert.rejects(senderTo(urlWith(starttls, 'smtp'), { requireTLS: true, tls: otherCa }).send(mailTo('ann@example.org')), /certificate/);
    assert.deepEqual([...implicit.received, ...starttls.received], []);
  });

  it('trusts the authority that NODE_EXTRA_CA_CERTS names, beside those of Node.js', async () => {
    const program = fileURLToPath(new URL('../programs/send-mail.ts', import.meta.url));
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificates.ca };
    await run(process.execPath, [...process.execArgv, program, urlWith(implicit, 'smtps'), 'ann@example.org'], { env });
    assert.equal(implicit.to('ann@example.org').length, 1);
  });

  it('sends nothing to a server on another machine that offers no TLS', async () => {
    const server = await serve(login);
    const { requireTLS } = smtpServerOf('smtp://mail.example');
    await assert.rejects(senderTo(urlWith(server, 'smtp'), { requireTLS }).send(mailTo('ann@example.org')), { code: 'ETLS' });
    assert.deepEqual(server.received, []);
  });

  it('fails when the server refuses the recipient, refuses the connection, or is silent', async () => {
    const server = await serve({ refuses: true });
    await assert.rejects(senderTo(server.url).send(mailTo('ann@example.org')), { responseCode: 550 });
    await server.stop();
    await assert.rejects(senderTo(server.url).send(mailTo('ann@example.org')), { code: 'ESOCKET' });
    const silent = await silentServer();
    try {
      await assert.rejects(senderTo(silent.url).send(mailTo('ann@example.org')), { code: 'ETIMEDOUT' });
    } finally {
      silent.close();
    }
  });

  it('writes no address into an e-mail that would add a header, a command or a recipient', async () => {
    const sender = senderTo(plain.url);
    for (const to of [
      'ann@example.org\r\nBcc: eve@example.org',
      'ann@example.org\nBcc: eve@example.org',
      'ann@example.org>\r\nRCPT TO:<eve@example.org',
      'ann@example.org, eve@example.org',
      'Ann <eve@example.org>',
      'ann@example.org\r\n\r\n<script>',
    ])
      await assert.rejects(sender.send(mailTo(to)), /cannot be written into an e-mail/, JSON.stringify(to));
    const odd = '{ann}$&`=?^|~!#%*/@example.org';
    await sender.send(mailTo(odd));
    const { to, headers } = await plain.mailTo(odd);
    assert.deepEqual(to, [odd]);
    assert.deepEqual(
      headers.filter((line) => /^(?:bcc|cc|to):/i.test(line)).map((line) => line.slice(0, 3)),
      ['To:'],
    );
    assert.equal(plain.received.length, 1);
  });

  it('a name of the sender stays one header line, whatever characters it has', async () => {
    const sender = new SmtpSender(smtpServerOf(plain.url), { name: 'Perch\r\nBcc: eve@example.org', address: 'perch@example.org' });
    await sender.send(mailTo('ann@example.org'));
    const mail = await plain.mailTo('ann@example.org');
    assert.deepEqual(mail.to, ['ann@example.org']);
    assert.ok(!mail.headers.some((line) => /^bcc:/i.test(line)), mail.headers.join('\n'));
  });
});

interface Silent {
  url: string;
  close(): void;
}

/** Accepts connections and says nothing. */
async function silentServer(): Promise<Silent> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
