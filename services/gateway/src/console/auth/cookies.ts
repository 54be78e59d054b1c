/** HttpOnly and SameSite=Lax: no script reads them, no other site's form sends them. Over https, `__Host-` keeps other hosts from setting them. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../../http/exchange.js';
import { timingSafeEqual } from 'node:crypto';
import { sha256Short } from '@perch/runtime';
import { ConsoleError } from '@perch/schema';

export class Cookies {
  readonly #secure: boolean;

  /** @param publicUrl public base URL of the service, or null if it is reached by http, on this machine or a local network */
  constructor(publicUrl: string | null) {
    this.#secure = publicUrl?.startsWith('https:') ?? false;
  }

  /** Returns the cookie's value; null if it is missing or sent more than once, since it is unknown which of them is genuine. */
  read({ headers }: IncomingMessage, name: CookieName): string | null {
    const opening = `${this.#nameOf(name)}=`;
    const found = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(opening));
    return found.length === 1 ? found[0]!.slice(opening.length) : null;
  }

  /** @param value URL-safe base64 and dots only @param maxAgeS lifetime in the browser, seconds */
  set(exchange: Exchange, name: CookieName, value: string, maxAgeS: number): void {
    const secure = this.#secure ? '; Secure' : '';
    exchange.addHeader('set-cookie', `${this.#nameOf(name)}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`);
  }

  remove(exchange: Exchange, name: CookieName): void {
    this.set(exchange, name, '', 0);
  }

  #nameOf(name: CookieName): string {
    const [secure, plain] = cookieNames[name];
    return this.#secure ? secure : plain;
  }
}

/** Names over https and over http. `oidc` identifies a pending sign-in with the provider, `device` the browser. */
const cookieNames = {
  session: ['__Host-perch', 'perch_session'],
  oidc: ['__Host-perch-oidc', 'perch_oidc'],
  device: ['__Host-perch-device', 'perch_device'],
} as const;

export type CookieName = keyof typeof cookieNames;

// CSRF token of requests that change something: only a page of this service can have read it from a response of this service.

/** @param secret secret of the session; the token does not reveal it */
export function csrfToken(secret: string): string {
  return sha256Short(`csrf:${secret}`);
}

/** @throws {ConsoleError} forbidden, if the token is missing or belongs to another session */
export function requireCsrf({ headers }: IncomingMessage, secret: string): void {
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''));
  const own = Buffer.from(csrfToken(secret));
  if (sent.length !== own.length || !timingSafeEqual(sent, own))
    throw new ConsoleError('forbidden', 'The page is out of date: its X-CSRF-Token is missing or belongs to another session. Reload the page.');
}
