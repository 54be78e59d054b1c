/** HttpOnly and SameSite=Lax: no script reads them, no other site's form sends them. Over https, `__Host-` keeps other hosts from setting them. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../../http/exchange.js';

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
