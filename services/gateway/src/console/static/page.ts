/**
 * The web page: files of packages/console/dist, under a policy that runs no script but its own and fetches nothing from elsewhere.
 * The page's own paths answer index.html, which is asked for anew each time; what is named by its content is kept for ever.
 * Anything else is not the page's, and answered as ever.
 */
import { targetOf } from '@perch/runtime';
import { consolePaths } from '@perch/schema';
import type { Drain } from '../../http/drain.js';
import type { Exchange } from '../../http/exchange.js';
import type { LinkAddress } from '../robots/link-address.js';
import type { PageFile, PageFileForm, PageFiles } from './page-files.js';

export interface PageOptions {
  files: PageFiles;
  links: LinkAddress;
  drain: Drain;
  /** Whether browsers are to come by https from now on. */
  https: boolean;
}

const ownPath = new RegExp(`^(?:${consolePaths.map((path) => path.replace(':robot', 'r-[0-9a-z]{10}')).join('|')})$`);
const immutable = 'public, max-age=31536000, immutable';
const always = [
  ['referrer-policy', 'no-referrer'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['vary', 'accept-encoding'],
] as const;
const hstsMaxAgeS = 365 * 86_400;

export class Page {
  readonly #options: PageOptions;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  /** Whether there is one to serve. */
  async isThere(): Promise<boolean> {
    return (await this.#options.files.get('/index.html')) !== null;
  }

  /** @returns whether the request was for the page, and is answered */
  async answer(exchange: Exchange): Promise<boolean> {
    const { method, headers } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const path = targetOf(exchange.request).path.replace(/(?<=.)\/$/, '');
    const name = ownPath.test(path) ? '/index.html' : /\.\w+$/.test(path) ? path : `${path}.html`;
    const file = await this.#options.files.get(name);
    if (file === null) return false;
    this.#options.drain.refuseNew();
    exchange.action = 'page';
    const form = formFor(file, headers['accept-encoding'] ?? '');
    const answered = [...always.flat(), ...(await this.#headersOf(file, form, name, exchange))];
    if (this.#options.drain.announced) answered.push('connection', 'close');
    if (headers['if-none-match']?.includes(form.etag) === true) exchange.answerBytes(304, null, answered);
    else exchange.answerBytes(200, form.bytes, answered);
    return true;
  }

  async #headersOf(
    { type, immutable: isImmutable }: PageFile,
    { encoding, etag }: PageFileForm,
    name: string,
    exchange: Exchange,
  ): Promise<string[]> {
    const headers = ['content-type', type, 'etag', etag, 'cache-control', isImmutable ? immutable : 'no-cache'];
    if (encoding !== null) headers.push('content-encoding', encoding);
    if (this.#options.https) headers.push('strict-transport-security', `max-age=${hstsMaxAgeS}`);
    const links = type.startsWith('text/html') ? await this.#options.links.originsFor(exchange.request) : [];
    headers.push('content-security-policy', policy(name, links));
    return headers;
  }
}

/** @param links where a robot in the page dials, as far as anybody knows */
function policy(name: string, links: readonly string[]): string {
  // The viewer of the reference sets styles on its elements as text.
  const style = name === '/docs.html' ? "'self' 'unsafe-inline'" : "'self'";
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${style}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    ["connect-src 'self'", ...links].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** The smallest that the browser takes: they stand in this order. */
function formFor({ forms }: PageFile, accepted: string): PageFileForm {
  const taken = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]!.trim()),
  );
  return forms.find(({ encoding }) => encoding === null || taken.has(encoding))!;
}
