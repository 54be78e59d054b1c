import { ConsoleError } from '@perch/schema';
import type { RegisteredClient, Store } from '@perch/store';
import type { ClientDocuments } from './client-documents.js';
import { OAuthError } from './oauth-error.js';

export interface KnownClient extends RegisteredClient {
  id: string;
  /** Host that vouches for its metadata; null: nobody does, it registered itself. */
  host: string | null;
}

export class KnownClients {
  readonly #store: Pick<Store, 'oauthClients' | 'attempts'>;
  readonly #documents: ClientDocuments;

  constructor(store: Pick<Store, 'oauthClients' | 'attempts'>, documents: ClientDocuments) {
    this.#store = store;
    this.#documents = documents;
  }

  /** @param account that asks @throws {OAuthError} invalid_client @throws {ConsoleError} too_many_attempts */
  async find(id: string, account: string): Promise<KnownClient> {
    if (/^https?:/i.test(id)) {
      const found = await this.#documents.find(id, () => this.#count(account));
      return { ...found, id, host: new URL(id).host };
    }
    const found = await this.#store.oauthClients.find(id);
    if (found === null) throw unknownClient();
    return { ...found, id, host: null };
  }

  /** Whether a client with this id may still be known; those of documents always are. */
  async isForgotten(id: string): Promise<boolean> {
    return !/^https?:/i.test(id) && (await this.#store.oauthClients.find(id)) === null;
  }

  async #count(account: string): Promise<void> {
    const retryAfterS = await this.#store.attempts.count('clientDocument', account);
    if (retryAfterS !== null) throw new ConsoleError('too_many_attempts', 'Too many clients were looked up. Try again later.', { retryAfterS });
  }
}

export function unknownClient(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'The client is not known here, or was not used for long. Remove the connection in the client and add it again.',
  );
}
