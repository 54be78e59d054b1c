import type { IncomingMessage } from 'node:http';
import { actionsDocument, iconsDocument, openApiDocument } from '@perch/schema';
import { LRUCache } from 'lru-cache';
import { llmsTxt } from './llms-txt.js';

/** Returns the base URL that the sender of a request should use, without a trailing slash. */
export type BaseUrl = (request: IncomingMessage) => string;

/** @param publicUrl public base URL; null: derived from each request */
export function baseUrls(publicUrl: string | null): BaseUrl {
  const fixed = publicUrl?.replace(/\/+$/, '');
  return (request) => fixed ?? baseUrlOf(request);
}

export class Discovery {
  readonly #baseUrl: BaseUrl;
  /** By base URL. Bounded, because the URL comes from the request. */
  readonly #openApi = new LRUCache<string, string>({ max: 8 });
  readonly #llmsTxt = new LRUCache<string, string>({ max: 8 });
  #actions: string | null = null;
  #icons: string | null = null;

  constructor(baseUrl: BaseUrl) {
    this.#baseUrl = baseUrl;
  }

  openApi(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let json = this.#openApi.get(baseUrl);
    if (json === undefined) this.#openApi.set(baseUrl, (json = JSON.stringify(openApiDocument(baseUrl))));
    return json;
  }

  llmsTxt(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let text = this.#llmsTxt.get(baseUrl);
    if (text === undefined) this.#llmsTxt.set(baseUrl, (text = llmsTxt(baseUrl)));
    return text;
  }

  actions(): string {
    this.#actions ??= JSON.stringify(actionsDocument());
    return this.#actions;
  }

  icons(): string {
    this.#icons ??= JSON.stringify(iconsDocument());
    return this.#icons;
  }
}

/** Returns the base URL that the client used, also through a proxy. The client may forge it, but the response goes to that client only. */
function baseUrlOf(request: IncomingMessage): string {
  const forwarded = request.headers['x-forwarded-proto'];
  const scheme = typeof forwarded === 'string' && forwarded.split(',')[0]?.trim() === 'https' ? 'https' : 'http';
  const host = request.headers.host ?? '';
  return `${scheme}://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
}
