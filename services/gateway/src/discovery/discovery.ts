/** What programs read to know the interface: the OpenAPI description, the list of actions, llms.txt. Built once, from the schema. */
import type { IncomingMessage } from 'node:http';
import { actionsDocument, openApiDocument } from '@perch/schema';
import { LRUCache } from 'lru-cache';
import { llmsTxt } from './llms-txt.js';

/** The base address as a request's sender should use it, without a slash at its end. */
export type BaseUrl = (request: IncomingMessage) => string;

/** @param publicUrl the base address programs use; null takes what each request names */
export function baseUrls(publicUrl: string | null): BaseUrl {
  const fixed = publicUrl?.replace(/\/+$/, '');
  return (request) => fixed ?? baseUrlOf(request);
}

export class Discovery {
  readonly #baseUrl: BaseUrl;
  /** By base address, which comes with the request: bounded. */
  readonly #openApi = new LRUCache<string, string>({ max: 8 });
  readonly #llmsTxt = new LRUCache<string, string>({ max: 8 });
  #actions: string | null = null;

  constructor(baseUrl: BaseUrl) {
    this.#baseUrl = baseUrl;
  }

  /** As JSON. */
  openApi(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let json = this.#openApi.get(baseUrl);
    if (json === undefined) this.#openApi.set(baseUrl, (json = JSON.stringify(openApiDocument(baseUrl))));
    return json;
  }

  /** As Markdown. */
  llmsTxt(request: IncomingMessage): string {
    const baseUrl = this.#baseUrl(request);
    let text = this.#llmsTxt.get(baseUrl);
    if (text === undefined) this.#llmsTxt.set(baseUrl, (text = llmsTxt(baseUrl)));
    return text;
  }

  /** As JSON. */
  actions(): string {
    this.#actions ??= JSON.stringify(actionsDocument());
    return this.#actions;
  }
}

/** As the client addressed us, through a proxy too; the answer goes to that client alone. */
function baseUrlOf(request: IncomingMessage): string {
  const forwarded = request.headers['x-forwarded-proto'];
  const scheme = typeof forwarded === 'string' && forwarded.split(',')[0]?.trim() === 'https' ? 'https' : 'http';
  const host = request.headers.host ?? '';
  return `${scheme}://${/^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost'}`;
}
