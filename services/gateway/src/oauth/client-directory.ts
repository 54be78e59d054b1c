import { ConsoleError, isObject, nameProblem, interfaceVersion, outsideUrl } from '@perch/schema';
import type { RegisteredClient, Store } from '@perch/store';
import { OAuthError } from './oauth-error.js';
import { placeOf, redirectUriProblem } from './redirect-uri.js';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connectionFailure, publicLookup, refuseLiteral, type ResolveAll } from '@perch/runtime';
import { LRUCache } from 'lru-cache';

export interface ClientDescription extends RegisteredClient {
  id: string;
  /** Host that vouches for its metadata; null: nobody does, it registered itself. */
  host: string | null;
}

export class ClientDirectory {
  readonly #store: Pick<Store, 'oauthClients' | 'attempts'>;
  readonly #documents: ClientDocuments;

  constructor(store: Pick<Store, 'oauthClients' | 'attempts'>, documents: ClientDocuments) {
    this.#store = store;
    this.#documents = documents;
  }

  /** @param account that asks @throws {OAuthError} invalid_client @throws {ConsoleError} too_many_attempts */
  async find(id: string, account: string): Promise<ClientDescription> {
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

/** Metadata of a client, as it registers itself (RFC 7591) or as its document says. Unknown members are ignored. */
const redirectUrisMax = 10;

/** @throws {OAuthError} invalid_client_metadata, invalid_redirect_uri */
export function clientMetadataOf(given: unknown): RegisteredClient {
  if (!isObject(given)) throw new OAuthError('invalid_client_metadata', 'Client metadata is a JSON object.');
  const { redirect_uris: uris, client_name: name, grant_types: grants, response_types: responses } = given;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > redirectUrisMax || !uris.every((uri) => typeof uri === 'string'))
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${redirectUrisMax} URIs.`);
  for (const uri of uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== null) throw new OAuthError('invalid_redirect_uri', `A redirect URI ${problem}.`);
  }
  if (Array.isArray(grants) && !grants.includes('authorization_code'))
    throw new OAuthError('invalid_client_metadata', 'grant_types must include authorization_code.');
  if (Array.isArray(responses) && !responses.includes('code')) throw new OAuthError('invalid_client_metadata', 'response_types must include code.');
  const redirectUris = [...new Set(uris)];
  return { name: shownName(name) ?? placeOf(redirectUris[0]!).name, redirectUris };
}

/** A name that could not be shown as one line of text is as good as none. */
function shownName(name: unknown): string | null {
  if (typeof name !== 'string' || name.trim() === '') return null;
  const short = [...name.trim()].slice(0, nameCharsMax).join('').trim();
  return nameProblem(short) === null ? short : null;
}

const nameCharsMax = 60;

/** Client ID Metadata Documents: the id of a client is the address of its metadata. Fetched as webhooks are sent, to public addresses only, without
 * redirects, and kept for some minutes, for signed-in users alone. */
const charsMax = 500;
const bytesMax = 10_240;
const withinMs = 5000;
const keptMs = 300_000;
const keptMax = 500;

export class ClientDocuments {
  readonly #allowPrivate: boolean;
  readonly #resolve: ResolveAll | undefined;
  readonly #kept = new LRUCache<string, RegisteredClient>({ max: keptMax, ttl: keptMs });

  /** @param resolve changed by tests only */
  constructor(allowPrivate: boolean, resolve?: ResolveAll) {
    this.#allowPrivate = allowPrivate;
    this.#resolve = resolve;
  }

  /** @param count called before a document is fetched; it may throw @throws {OAuthError} invalid_client */
  async find(id: string, count: () => Promise<void>): Promise<RegisteredClient> {
    const url = this.#urlOf(id);
    const kept = this.#kept.get(id);
    if (kept !== undefined) return kept;
    await count();
    const found = metadataOf(id, await this.#fetch(url));
    this.#kept.set(id, found);
    return found;
  }

  #urlOf(id: string): URL {
    const parsed = id.length > charsMax ? { problem: `is longer than ${charsMax} characters` } : outsideUrl(id, this.#allowPrivate);
    if ('problem' in parsed) throw new OAuthError('invalid_client', `The address that the client names as its id ${parsed.problem}.`);
    // Compared as a text elsewhere: only one spelling, and a path of its own.
    if (parsed.url.href !== id || parsed.url.pathname === '/')
      throw new OAuthError(
        'invalid_client',
        'The address that the client names as its id has a fragment, no path, or another spelling than the usual one.',
      );
    return parsed.url;
  }

  async #fetch(url: URL): Promise<unknown> {
    const late = AbortSignal.timeout(withinMs);
    try {
      const response = await this.#get(url, late);
      if (response.statusCode !== 200) {
        response.destroy();
        throw unreadable(`Its server answered ${response.statusCode}.`);
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of response as AsyncIterable<Buffer>) {
        bytes += part.length;
        if (bytes > bytesMax) throw unreadable(`It has more than ${bytesMax} bytes.`);
        parts.push(part);
      }
      return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      if (error instanceof SyntaxError) throw unreadable('It is not JSON.');
      throw unreadable(late.aborted ? `Its server did not send it within ${withinMs / 1000} s.` : connectionFailure(error));
    }
  }

  #get(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    if (!this.#allowPrivate) refuseLiteral(url.hostname);
    return new Promise((resolve, reject) => {
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      // No keep-alive: a connection kept open would go to an address checked long ago.
      const sent = request(url, { headers, signal, agent: false, ...(this.#allowPrivate ? {} : { lookup: publicLookup(this.#resolve) }) });
      sent.on('response', resolve).on('error', reject);
      // A response that switches protocols (101) closes the connection without a further event.
      sent.on('close', () => reject(new Error('The connection was closed.')));
      sent.end();
    });
  }
}

const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': `Perch/${interfaceVersion.replace(/^v/, '')}` };

function metadataOf(id: string, document: unknown): RegisteredClient {
  if (!isObject(document) || document['client_id'] !== id) throw unreadable('It does not name its own address as client_id.');
  // Clients prove themselves with PKCE; one that must authenticate must not be taken for anybody who knows its address.
  if (!['none', undefined].includes(document['token_endpoint_auth_method'] as string | undefined))
    throw unreadable('It asks for another token_endpoint_auth_method than none.');
  return clientMetadataOf(document);
}

function unreadable(why: string): OAuthError {
  return new OAuthError('invalid_client', `The metadata of the client cannot be used. ${why}`);
}
