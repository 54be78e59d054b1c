/** Ids and names of API keys by their hashes, read once a minute at most. A key that was revoked meanwhile may have none. */
import type { Store } from '@perch/store';

export interface KeyName {
  id: string;
  name: string;
}

const keptMs = 60_000;
const keptMax = 10_000;

export class KeyNames {
  readonly #apiKeys: Pick<Store['apiKeys'], 'named'>;
  #kept = new Map<string, KeyName>();
  #since = 0;

  constructor(apiKeys: Pick<Store['apiKeys'], 'named'>) {
    this.#apiKeys = apiKeys;
  }

  async of(account: string, keyHashes: ReadonlySet<string>): Promise<ReadonlyMap<string, KeyName>> {
    const now = performance.now();
    const former = this.#kept;
    if (now - this.#since > keptMs || former.size > keptMax) {
      this.#kept = new Map();
      this.#since = now;
    }
    const missing = [...keyHashes].filter((hash) => !this.#kept.has(hash));
    const found = missing.length === 0 ? new Map<string, KeyName>() : await this.#apiKeys.named(account, missing);
    for (const [hash, name] of found) this.#kept.set(hash, name);
    const names = new Map<string, KeyName>();
    for (const hash of keyHashes) {
      // A key that is gone now had a name when it was last read.
      const name = this.#kept.get(hash) ?? former.get(hash);
      if (name !== undefined) names.set(hash, name);
    }
    return names;
  }
}
