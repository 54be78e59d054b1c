/** Stores, once a key and instance, that an agent connected with a key, for the page's first steps. An agent lists the tools when it connects. */
import type { Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import { LRUCache } from 'lru-cache';

const keysMax = 10_000;

export class AgentNotes {
  readonly #apiKeys: Pick<Store['apiKeys'], 'noteAgent'>;
  readonly #log: Logger;
  readonly #noted = new LRUCache<string, true>({ max: keysMax });

  constructor(apiKeys: Pick<Store['apiKeys'], 'noteAgent'>, log: Logger) {
    this.#apiKeys = apiKeys;
    this.#log = log;
  }

  /** Does not delay the call. If Redis fails, the next listing tries again. */
  note(keyHash: string): void {
    if (this.#noted.has(keyHash)) return;
    this.#noted.set(keyHash, true);
    this.#apiKeys.noteAgent(keyHash).catch((error: unknown) => {
      this.#noted.delete(keyHash);
      this.#log.debug({ err: error }, 'the connection of an agent could not be stored');
    });
  }
}
