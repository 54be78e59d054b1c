/** Has a secret for each account that signed in here, newest first. It authenticates nobody: it gives the browser its own attempt count. */
import { deviceLifeMs, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';
import { parse } from 'bowser';

/** Accounts per browser, enough for a shared computer. */
const secretsMax = 4;
const secretShape = /^pd_[\w-]{43}$/;

export class DeviceCookie {
  readonly #cookies: Cookies;
  readonly #store: Pick<Store, 'devices' | 'accounts'>;

  constructor(cookies: Cookies, store: Pick<Store, 'devices' | 'accounts'>) {
    this.#cookies = cookies;
    this.#store = store;
  }

  /** Returns the secret by which the account with this e-mail address knows the browser, or null. */
  async find(exchange: Exchange, email: string): Promise<string | null> {
    const secrets = this.secretsOf(exchange);
    if (secrets.length === 0) return null;
    const account = await this.#store.accounts.findByEmail(email);
    return this.#store.devices.find(account?.id ?? null, secrets);
  }

  async remember(exchange: Exchange, account: string): Promise<void> {
    const secrets = this.secretsOf(exchange);
    const own = await this.#store.devices.remember(account, secrets);
    const value = [own, ...secrets.filter((secret) => secret !== own)].slice(0, secretsMax).join('.');
    this.#cookies.set(exchange, 'device', value, deviceLifeMs / 1000);
  }

  /** Returns those of all accounts that signed in here. */
  secretsOf({ request }: Pick<Exchange, 'request'>): string[] {
    const value = this.#cookies.read(request, 'device') ?? '';
    return value.split('.', secretsMax).filter((secret) => secretShape.test(secret));
  }
}

/** A user agent may name a browser that is not known; such names are cut. */
const nameCharsMax = 40;

/** @param userAgent as a browser sent it, unchecked @returns such as `Chrome on Android`; null if it names neither browser nor system */
export function deviceName(userAgent: string): string | null {
  if (userAgent === '') return null;
  const { browser, os } = parse(userAgent);
  const parts = [browser.name, os.name].flatMap((name) => (name === undefined || name === '' ? [] : [name.slice(0, nameCharsMax)]));
  return parts.length === 0 ? null : parts.join(' on ');
}
