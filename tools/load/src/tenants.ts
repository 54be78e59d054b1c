/** The accounts of a run: created in the store before it, removed after it. Their email addresses distinguish them from real accounts. */
import type { Random } from '@perch/chaos';
import type { Store } from '@perch/store';
import { readerKinds, type Mix, type ReaderKind } from './mix.js';
import type { AccountSeed, RobotSeed } from './worker/plan.js';

export interface TenantsOptions {
  store: Store;
  run: string;
  robots: number;
  ratePerS: number;
  mix: Mix;
  /** false: robots whose events would go to a webhook are polled. */
  webhooks: boolean;
  random: Random;
}

const domain = 'load.invalid';
const atOnce = 50;
/** A removal takes at least three seconds and scans all keys several times. */
const removalsAtOnce = 8;
/** A key allows 10 calls per second. */
const callsPerKeyS = 4;
/** Gateways check the key of every open call twice a second, so that fewer keys cost less, as with real programs. */
const robotsPerReadKey = 24;
const robotsPerWebhook = 100;

export class Tenants {
  readonly accounts: AccountSeed[] = [];
  readonly #store: Store;
  readonly #made: string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Creates accounts with keys and robots. If it fails, `remove` removes what was created. */
  async make(options: TenantsOptions, signal: AbortSignal): Promise<void> {
    const { robots, mix, ratePerS } = options;
    const count = Math.ceil(robots / mix.robots_per_account);
    const callKeys = Math.max(1, Math.ceil(ratePerS / count / callsPerKeyS));
    for (let from = 0; from < count; from += 1) {
      signal.throwIfAborted();
      const size = Math.min(mix.robots_per_account, robots - from * mix.robots_per_account);
      this.accounts.push(await this.#makeOne(options, from, size, callKeys));
    }
  }

  async sendWebhooksTo(receiverOf: (account: string) => string): Promise<void> {
    for (const { account, robots } of this.accounts) {
      const ids = robots.filter(({ reader }) => reader === 'webhook').map(({ id }) => id);
      for (let from = 0; from < ids.length; from += robotsPerWebhook) {
        await this.#store.webhooks.create(account, { url: receiverOf(account), robots: ids.slice(from, from + robotsPerWebhook), names: ['tap'] });
      }
    }
  }

  async remove(): Promise<void> {
    await removeAccounts(this.#store, this.#made.splice(0));
  }

  async #makeOne(options: TenantsOptions, index: number, size: number, callKeys: number): Promise<AccountSeed> {
    const { store, run } = options;
    const email = `load-${run}-${index}@${domain}`;
    this.#made.push(email);
    const { account } = await store.accounts.create({ email });
    const newKey = async (): Promise<string> => (await store.apiKeys.create({ account, name: 'load' })).apiKey;
    const places = Array.from({ length: size }, (_, i) => i);
    const robots: RobotSeed[] = [];
    for (let from = 0; from < size; from += atOnce) {
      robots.push(...(await Promise.all(places.slice(from, from + atOnce).map(() => this.#robot(options, account)))));
    }
    return {
      account,
      callKeys: await Promise.all(Array.from({ length: callKeys }, newKey)),
      readKeys: await Promise.all(Array.from({ length: Math.ceil(size / robotsPerReadKey) }, newKey)),
      robots,
    };
  }

  async #robot({ store, mix, random, webhooks }: TenantsOptions, account: string): Promise<RobotSeed> {
    const { robot: id, token } = await store.robots.create({ account });
    const drawn = readerOf(mix, random);
    return { id, token, reader: drawn === 'webhook' && !webhooks ? 'poll' : drawn };
  }
}

function readerOf({ readers }: Mix, random: Random): ReaderKind {
  let drawn = random.next() * readerKinds.reduce((sum, kind) => sum + readers[kind], 0);
  return readerKinds.find((kind) => (drawn -= readers[kind]) < 0) ?? 'poll';
}

/** Removes the accounts of all runs. @returns their number */
export async function removeLeftovers(store: Store): Promise<number> {
  const emails = (await store.accounts.list()).map(({ email }) => email).filter((email) => /^load-[0-9a-f]+-\d+@load\.invalid$/.test(email));
  await removeAccounts(store, emails);
  return emails.length;
}

async function removeAccounts(store: Store, emails: readonly string[]): Promise<void> {
  for (let from = 0; from < emails.length; from += removalsAtOnce) {
    await Promise.all(emails.slice(from, from + removalsAtOnce).map((email) => store.accountRemoval.remove(email)));
  }
}
