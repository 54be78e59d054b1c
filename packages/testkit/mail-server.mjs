/**
 * An SMTP server on a free port of 127.0.0.1, as a process of its own. Its only argument is JSON, see `MailServerOptions`. It prints its port, then each
 * e-mail that it accepts, as lines of JSON, and exits when standard input closes.
 */
import { readFileSync } from 'node:fs';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

const { user, password, tls = 'none', certificate, key, refuses = false } = JSON.parse(process.argv[2] ?? '{}');
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const server = new SMTPServer({
  secure: tls === 'implicit',
  ...(tls === 'none' ? {} : { cert: readFileSync(certificate), key: readFileSync(key) }),
  disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(user === undefined ? ['AUTH'] : [])],
  // Without it, AUTH is offered only over TLS.
  allowInsecureAuth: true,
  authOptional: user === undefined,
  onAuth(auth, _session, done) {
    if (auth.username === user && auth.password === password) done(null, { user });
    else done(new Error('wrong user or password'));
  },
  onRcptTo(address, _session, done) {
    done(refuses ? Object.assign(new Error(`no mailbox ${address.address} here`), { responseCode: 550 }) : null);
  },
  async onData(stream, session, done) {
    let problem = null;
    try {
      await received(stream, session);
    } catch (error) {
      problem = error;
    }
    done(problem);
  },
});

async function received(stream, { envelope, secure, user: signedIn }) {
  const { headerLines, subject = '', text = '', html } = await simpleParser(stream, { skipTextToHtml: true, skipHtmlToText: true });
  print({
    from: envelope.mailFrom.address,
    to: envelope.rcptTo.map(({ address }) => address),
    headers: headerLines.map(({ line }) => line),
    subject,
    text,
    html: html === false ? '' : html,
    tls: secure,
    user: signedIn ?? null,
  });
}

// A client that does not accept the certificate ends the connection.
server.on('error', () => {});
server.listen(0, '127.0.0.1', () => print({ port: server.server.address().port }));
process.stdin.on('end', () => process.exit(0)).resume();
