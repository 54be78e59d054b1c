/**
 * The cookie by which a browser is known to the accounts that signed in on it. It holds a secret per account, newest first, and opens nothing:
 * it only gives the browser a count of password attempts of its own (packages/store/src/auth/devices.ts).
 */
import type { IncomingMessage } from 'node:http';
import { deviceLifeMs, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { Cookies } from './cookies.js';

/** Accounts per browser: a family at one computer. */
const secretsMax = 4;
const secretShape = /^pd_[\w-]{43}$/;

export class DeviceCookie {
  readonly #cookies: Cookies;
  readonly #store: Pick<Store, 'devices' | 'accounts'>;

  constructor(cookies: Cookies, store: Pick<Store, 'devices' | 'accounts'>) {
    this.#cookies = cookies;
    this.#store = store;
  }

  /** Returns the secret of this browser's device at the account with this address, or null. */
  async find({ request }: Exchange, email: string): Promise<string | null> {
    const secrets = this.#secretsOf(request);
    if (secrets.length === 0) return null;
    const account = await this.#store.accounts.findByEmail(email);
    return this.#store.devices.find(account?.id ?? null, secrets);
  }

  /** Makes this browser a device of the account that signed in on it. */
  async remember(exchange: Exchange, account: string): Promise<void> {
    const secrets = this.#secretsOf(exchange.request);
    const own = await this.#store.devices.remember(account, secrets);
    const value = [own, ...secrets.filter((secret) => secret !== own)].slice(0, secretsMax).join('.');
    this.#cookies.set(exchange, 'device', value, deviceLifeMs / 1000);
  }

  /** Revokes all devices of the account but this browser. */
  revokeOthers({ request }: Exchange, account: string): Promise<void> {
    return this.#store.devices.revokeAll(account, this.#secretsOf(request));
  }

  #secretsOf(request: IncomingMessage): string[] {
    const value = this.#cookies.read(request, 'device') ?? '';
    return value.split('.', secretsMax).filter((secret) => secretShape.test(secret));
  }
}
