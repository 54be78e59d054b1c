/** The policy allows only the page's own scripts and connections. A browser at an unknown address gets the page with 404; programs get JSON. */
import { targetOf, sha256Short } from '@perch/runtime';
import { consolePaths, ConsoleError } from '@perch/schema';
import type { Drain } from '../http/drain.js';
import type { Exchange } from '../http/exchange.js';
import type { LinkAddress } from './robots/link-address.js';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage } from 'node:http';
import type { AllowedHosts } from '../http/allowed-hosts.js';

interface PageOptions {
  files: PageFiles;
  links: LinkAddress;
  drain: Drain;
  https: boolean;
  /** The authority of the robot link in PEM, for those who are to trust it. */
  ca?: string | null;
}

const ownPath = new RegExp(`^(?:${consolePaths.map((path) => path.replace(':robot', 'r-[0-9a-z]{10}')).join('|')})$`);
/** Phones open a file of this name and type as a certificate to install. */
const caPath = '/ca.crt';
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
    if (path === caPath && this.#options.ca) {
      exchange.action = 'page';
      exchange.answerBytes(200, Buffer.from(`${this.#options.ca}\n`), ['content-type', 'application/x-x509-ca-cert', 'cache-control', 'no-cache']);
      return true;
    }
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

/** Reads files on request, so that a new build is served without a restart; caches /assets/ until room is needed, others for a second. */
interface PageFile {
  type: string;
  immutable: boolean;
  forms: readonly PageFileForm[];
}

interface PageFileForm {
  encoding: 'br' | 'gzip' | null;
  bytes: Buffer;
  etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
  [null, ''],
] as const;
/** Matches paths in which no segment begins with a dot, so that none leaves the folder. */
const inFolder = /^(?:\/[\w-][\w.-]*)+$/;
/** The build adds a hash of the content to the names of these files. */
const assets = '/assets/';
const pathCharsMax = 200;
const cachedBytesMax = 32 * 1024 * 1024;
const cachedMs = 1000;

export class PageFiles {
  readonly #folder: string;
  readonly #cache = new LRUCache<string, PageFile>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ forms }) => forms.reduce((sum, { bytes }) => sum + bytes.length, 1),
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(path: string): Promise<PageFile | null> {
    const type = types[extname(path)];
    if (type === undefined || path.length > pathCharsMax || !inFolder.test(path)) return null;
    const cached = this.#cache.get(path);
    if (cached !== undefined) return cached;
    const file = await this.#read(path, type);
    if (file !== null) this.#cache.set(path, file, file.immutable ? {} : { ttl: cachedMs });
    return file;
  }

  async #read(path: string, type: string): Promise<PageFile | null> {
    const forms = await Promise.all(encodings.map(([encoding, ending]) => this.#readForm(path + ending, encoding)));
    const found = forms.filter((form) => form !== null);
    if (!found.some(({ encoding }) => encoding === null)) return null;
    return { type, immutable: path.startsWith(assets), forms: found };
  }

  async #readForm(path: string, encoding: PageFileForm['encoding']): Promise<PageFileForm | null> {
    try {
      const bytes = await readFile(join(this.#folder, path));
      return { encoding, bytes, etag: `"${sha256Short(bytes).slice(0, 22)}"` };
    } catch {
      return null;
    }
  }
}

/** A browser sends the cookie with requests of any site, but no site can forge Origin and Sec-Fetch-Site. Others have only their own cookies. */
export class PageOriginCheck {
  readonly #hosts: AllowedHosts;
  readonly #publicOrigin: string | null;

  constructor(hosts: AllowedHosts, publicUrl: string | null) {
    this.#hosts = hosts;
    this.#publicOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  }

  require({ headers }: IncomingMessage): void {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
    const { host, origin } = headers;
    // DNS rebinding: an attacker's name may resolve to this machine.
    const problem = this.#hosts.problem({ host });
    if (problem !== null) throw new ConsoleError('forbidden', problem);
    if (origin !== undefined && !this.#isOurs(origin, host ?? '')) throw foreign();
  }

  /** Compares the port too: browsers send the same cookies to all ports of a host, but another port is another origin. */
  #isOurs(origin: string, host: string): boolean {
    if (origin === this.#publicOrigin) return true;
    const url = URL.canParse(origin) ? new URL(origin) : null;
    // An http page of a host that serves https comes from an attacker in the network.
    if (this.#publicOrigin !== null && url?.host === new URL(this.#publicOrigin).host) return false;
    return url !== null && url.host !== '' && URL.canParse(`${url.protocol}//${host}`) && url.host === new URL(`${url.protocol}//${host}`).host;
  }
}

function foreign(): ConsoleError {
  return new ConsoleError('forbidden', 'Only pages of this service may send this request. Open the service in a browser and use its pages.');
}
