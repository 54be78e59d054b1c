/** The policy allows only the page's own scripts and connections. A browser at an unknown address gets the page with 404; programs get JSON. */
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
  https: boolean;
}

const ownPath = new RegExp(`^(?:${consolePaths.map((path) => path.replace(':robot', 'r-[0-9a-z]{10}')).join('|')})$`);
const immutable = 'public, max-age=31536000, immutable';
const always = [
  ['referrer-policy', 'no-referrer'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['vary', 'accept-encoding'],
] as const;
const hstsMaxAgeS = 365 * 86_400;

export class Page {
  readonly #options: PageOptions;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  async isBuilt(): Promise<boolean> {
    return (await this.#options.files.get('/index.html')) !== null;
  }

  async answer(exchange: Exchange): Promise<boolean> {
    const { method, headers } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const path = targetOf(exchange.request).path.replace(/(?<=.)\/$/, '');
    const name = ownPath.test(path) ? '/index.html' : /\.\w+$/.test(path) ? path : `${path}.html`;
    const found = await this.#options.files.get(name);
    const file = found ?? (acceptsHtml(headers.accept) ? await this.#options.files.get('/index.html') : null);
    if (file === null) return false;
    this.#options.drain.refuseNew();
    exchange.action = 'page';
    const form = formFor(file, headers['accept-encoding'] ?? '');
    // A client that opens the consent in a window of its own waits for that window, which returns to the client.
    const opener = path === '/authorize' ? 'unsafe-none' : 'same-origin';
    const answered = [...always.flat(), 'cross-origin-opener-policy', opener, ...(await this.#headersOf(file, form, exchange))];
    if (this.#options.drain.announced) answered.push('connection', 'close');
    if (found === null) {
      exchange.code = 'not_found';
      exchange.answerBytes(404, form.bytes, answered);
    } else if (headers['if-none-match']?.includes(form.etag) === true) exchange.answerBytes(304, null, answered);
    else exchange.answerBytes(200, form.bytes, answered);
    return true;
  }

  async #headersOf({ type, immutable: isImmutable }: PageFile, { encoding, etag }: PageFileForm, exchange: Exchange): Promise<string[]> {
    const headers = ['content-type', type, 'etag', etag, 'cache-control', isImmutable ? immutable : 'no-cache'];
    if (encoding !== null) headers.push('content-encoding', encoding);
    if (this.#options.https) headers.push('strict-transport-security', `max-age=${hstsMaxAgeS}`);
    const links = type.startsWith('text/html') ? await this.#options.links.originsFor(exchange.request) : [];
    headers.push('content-security-policy', policy(links));
    return headers;
  }
}

/** Browsers name text/html when they open an address; programs and scripts that fetch a file do not. */
function acceptsHtml(accept = ''): boolean {
  return accept.split(',').some((part) => part.split(';', 1)[0]!.trim().toLowerCase() === 'text/html');
}

/** @param links origins of the known robot-links, which the page's virtual robot connects to */
function policy(links: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    ["connect-src 'self'", ...links].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

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
