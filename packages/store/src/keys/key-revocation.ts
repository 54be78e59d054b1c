/** Revokes API keys, optionally with the webhooks that they created: by default a webhook outlives its key. */
import type { ApiKeys } from './api-keys.js';
import type { WebhookRecord, Webhooks } from '../webhooks/webhooks.js';

export class KeyRevocation {
  readonly #apiKeys: ApiKeys;
  readonly #webhooks: Webhooks;

  constructor(apiKeys: ApiKeys, webhooks: Webhooks) {
    this.#apiKeys = apiKeys;
    this.#webhooks = webhooks;
  }

  /** Revokes the key first, so that it creates no further webhook. Returns its webhooks, oldest first; null: no such key. May throw in between. */
  async revoke(account: string, id: string, { removeWebhooks }: { removeWebhooks: boolean }): Promise<WebhookRecord[] | null> {
    const hashes = await this.#apiKeys.hashesOf(account, id);
    if (hashes.length === 0 || !(await this.#apiKeys.revoke(account, id))) return null;
    const created = (await Promise.all(hashes.map((keyHash) => this.#webhooks.createdBy(account, keyHash)))).flat();
    if (removeWebhooks) for (const webhook of created) await this.#webhooks.remove(account, webhook.id);
    return created;
  }
}
