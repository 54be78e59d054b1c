/**
 * The cookies of the console. A session's secret travels in one alone, which no script can read and no other site's form can send.
 * Where the service is reached by https its name is bound to this host (`__Host-`), so that no neighbour below the same domain can set it.
 */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../../http/exchange.js';

export class Cookies {
  readonly #secure: boolean;

  /** @param publicUrl the base address of the service, or null: reached by http, on this machine or in a house */
  constructor(publicUrl: string | null) {
    this.#secure = publicUrl?.startsWith('https:') ?? false;
  }

  /** @param name of `cookieNames` @returns null where there is none, or more than one: which one counts would be a guess */
  read({ headers }: IncomingMessage, name: CookieName): string | null {
    const opening = `${this.#nameOf(name)}=`;
    const found = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(opening));
    return found.length === 1 ? found[0]!.slice(opening.length) : null;
  }

  /** @param value URL-safe base64 and dots only @param maxAgeS how long the browser keeps it, seconds */
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

/** Over https, and without. `oidc` names the sign-in with the provider that is under way in this browser, `device` the browser itself. */
const cookieNames = {
  session: ['__Host-perch', 'perch_session'],
  oidc: ['__Host-perch-oidc', 'perch_oidc'],
  device: ['__Host-perch-device', 'perch_device'],
} as const;

export type CookieName = keyof typeof cookieNames;
