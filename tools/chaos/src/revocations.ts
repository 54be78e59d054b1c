/** Past every proxy, with retries until Redis has acknowledged it. */
import type { Store } from '@perch/store';
import { until } from '@perch/testkit';
import type { History } from './history/history.js';
import type { Tenant } from './programs/traffic.js';

export class Revocations {
  readonly #store: Store;
  readonly #history: History;
  readonly #open: Set<Pick<Tenant, 'account' | 'revoked'>>;

  constructor(store: Store, tenants: readonly Tenant[], history: History) {
    this.#store = store;
    this.#history = history;
    this.#open = new Set(tenants);
  }

  /** @throws {StoreError} if Redis does not acknowledge a revocation; the key may be revoked nevertheless */
  async revoke(): Promise<void> {
    for (const tenant of this.#open) {
      const { account, revoked } = tenant;
      await this.#store.endings.end({ reason: 'key_revoked', account, key: revoked.id, removeWebhooks: false });
      if (this.#open.delete(tenant)) this.#history.revoked({ account, apiKey: revoked.id });
    }
  }

  async finish(withinMs: number): Promise<void> {
    await until(() => this.revoke().then(() => true), { timeoutMs: withinMs, everyMs: 250, what: 'Redis to acknowledge that keys are revoked' });
  }
}
