/** Sends one e-mail over one connection. nodemailer is loaded with the first e-mail, since most services send none. */
import { Lazy } from '@perch/runtime';
import { isMailable, type MailAddress, type SmtpServer } from './mail-settings.js';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Without progress, ms; `MailDelivery` limits the whole. */
const timeouts = { dnsTimeout: 5000, connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 10_000 };

async function openTransport(server: SmtpServer) {
  const { createTransport } = await import('nodemailer');
  return createTransport({ ...server, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
}

export class SmtpSender {
  readonly #from: MailAddress;
  readonly #transport: Lazy<Awaited<ReturnType<typeof openTransport>>>;

  constructor(server: SmtpServer, from: MailAddress) {
    this.#from = from;
    this.#transport = new Lazy(() => openTransport(server));
  }

  /** Resolves when the server has accepted the e-mail. @throws if it did not, or the address cannot be written into an e-mail */
  async send({ to, ...content }: Mail): Promise<void> {
    if (!isMailable(to)) throw new Error('the address cannot be written into an e-mail');
    const transport = await this.#transport.get();
    await transport.sendMail({
      ...content,
      from: { ...this.#from },
      // An object, since a text would be parsed and could name several addresses.
      to: { name: '', address: to },
      // Keeps out-of-office replies from being sent to it (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  }
}
