/**
 * Sends e-mails, a few at a time. What waits is kept in memory only: a process that dies loses it, and people ask for another. Logs name the kind of
 * e-mail and a code, since texts of SMTP servers repeat addresses.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withinMs, type Logger, type MailKind, type MailOutcome, Lazy } from '@perch/runtime';
import pLimit from 'p-limit';
import { isEmailAddress, nameProblem } from '@perch/schema';

export interface MailDeliveryOptions {
  sender: Pick<SmtpSender, 'send'>;
  counted: (kind: MailKind, outcome: MailOutcome) => void;
  log: Logger;
  /** For one e-mail, from its connection to its acceptance. Default: 20,000. */
  deadlineMs?: number;
  /** E-mails that are being composed, waiting and being sent. Default: 200. */
  pendingMax?: number;
}

const sentAtOnce = 4;
const settledMs = 5000;

/** The e-mail was not sent, or the server did not confirm it. The cause is in the log. */
export class MailFailed extends Error {
  override readonly name = 'MailFailed';
}

export class MailDelivery {
  readonly #options: Required<MailDeliveryOptions>;
  readonly #limit = pLimit(sentAtOnce);
  readonly #pending = new Set<Promise<void>>();

  constructor(options: MailDeliveryOptions) {
    this.#options = { deadlineMs: 20_000, pendingMax: 200, ...options };
  }

  /** Composes and sends in the background; a failure is logged and counted. @param compose returns null if nothing is to be sent */
  later(kind: MailKind, compose: () => Promise<Mail | null>): void {
    void this.now(kind, compose).catch(() => {});
  }

  /** As `later`, and resolves when the server has accepted the e-mail. @throws {MailFailed} */
  async now(kind: MailKind, compose: () => Promise<Mail | null>): Promise<void> {
    const { counted, log, pendingMax } = this.#options;
    if (this.#pending.size >= pendingMax) {
      counted(kind, 'dropped');
      log.warn({ mail: kind }, 'an e-mail was dropped: too many wait to be sent');
      throw new MailFailed('too many e-mails wait to be sent');
    }
    const work = this.#deliver(kind, compose);
    this.#pending.add(work);
    try {
      await work;
    } finally {
      this.#pending.delete(work);
    }
  }

  /** Waits for pending e-mails, up to 5 s; for the stop of the gateway. */
  async settle(signal: AbortSignal): Promise<void> {
    const late = sleep(settledMs, undefined, { signal, ref: false }).catch(() => {});
    await Promise.race([Promise.allSettled(this.#pending), late]);
  }

  async #deliver(kind: MailKind, compose: () => Promise<Mail | null>): Promise<void> {
    const { sender, counted, log, deadlineMs } = this.#options;
    try {
      const mail = await compose();
      if (mail === null) return;
      await this.#limit(() => withinMs(sender.send(mail), deadlineMs, tooLate));
    } catch (error) {
      counted(kind, 'failed');
      log.warn({ mail: kind, ...reasonOf(error) }, 'an e-mail could not be sent');
      throw new MailFailed('the e-mail was not sent');
    }
    counted(kind, 'sent');
  }
}

function tooLate(): never {
  throw Object.assign(new Error('the deadline passed'), { code: 'DEADLINE' });
}

/** Returns no message, which may contain an address. */
function reasonOf(error: unknown): object {
  if (!(error instanceof Error)) return {};
  const { code, responseCode } = error as Error & { code?: unknown; responseCode?: unknown };
  return {
    reason: typeof code === 'string' ? code : error.name,
    ...(typeof responseCode === 'number' ? { response_code: responseCode } : {}),
  };
}

/** Checks of PERCH_SMTP_URL and PERCH_MAIL_FROM. Texts about problems contain no part of a value. */
interface MailAddress {
  /** '' if it has none. */
  name: string;
  address: string;
}

export interface MailSettings {
  smtpUrl: string;
  from: MailAddress;
}

/** As nodemailer names its options. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean;
  /** Whether to send nothing without TLS. */
  requireTLS: boolean;
  auth?: { user: string; pass: string };
  tls: { rejectUnauthorized: boolean; ca?: string };
}

const portDefault = { 'smtp:': 587, 'smtps:': 465 } as const;
const hostShape = /^(?:\[[\da-f:.]+\]|[\w.-]+)$/i;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** @param url with one of the two schemes @returns what is wrong with it, or null */
export function smtpUrlProblem(url: string): string | null {
  const { hostname, pathname, search, hash, username, password } = new URL(url);
  if (!hostShape.test(hostname)) return 'must name one host';
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '') return 'must have nothing after the host and the port';
  if ((username === '') !== (password === '')) return 'must have both a user and a password, or neither';
  return decoded(username) === null || decoded(password) === null ? 'user and password must be percent-encoded' : null;
}

/** @param url without a problem */
export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const stays = loopback.test(hostname);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? portDefault[secure ? 'smtps:' : 'smtp:'] : Number(port),
    secure,
    // Links in e-mails sign in to accounts, so nobody on the way may read them. What stays on this machine needs no protection.
    requireTLS: !secure && !stays,
    ...(username === '' ? {} : { auth: { user: decoded(username) ?? '', pass: decoded(password) ?? '' } }),
    tls: { rejectUnauthorized: secure || !stays },
  };
}

/** Reads `perch@example.org` or `Perch <perch@example.org>`; null: neither. */
export function mailAddressOf(text: string): MailAddress | null {
  const [, quoted, plain, inBrackets, alone] = /^(?:(?:"([^"<>]*)"|([^"<>]*?))\s*<([^<>]+)>|([^<>]+))$/.exec(text.trim()) ?? [];
  const [name, address] = [quoted ?? plain ?? '', inBrackets ?? alone ?? ''];
  return isMailable(address) && nameProblem(name) === null ? { name, address } : null;
}

/**
 * Returns whether an address can be written into a header and an SMTP command as it is. Accounts may have others, such as `a,b@example.org`, which
 * are sign-in names only.
 */
export function isMailable(address: string): boolean {
  return isEmailAddress(address) && /^[^\p{C}\p{Z}"(),:;<>@[\\\]]+@[^\p{C}\p{Z}"(),:;<>@[\\\]]+$/u.test(address);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Sends one e-mail over one connection. nodemailer is loaded with the first e-mail, since most services send none. */
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
