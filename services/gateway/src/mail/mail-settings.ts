/** Checks of PERCH_SMTP_URL and PERCH_MAIL_FROM. Texts about problems contain no part of a value. */
import { isEmailAddress, nameProblem } from '@perch/schema';

export interface MailAddress {
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
