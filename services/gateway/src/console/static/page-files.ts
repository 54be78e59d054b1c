/** Reads files on request, so that a new build is served without a restart; caches /assets/ until room is needed, others for a second. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { sha256Short } from '@perch/runtime';
import { LRUCache } from 'lru-cache';

export interface PageFile {
  type: string;
  immutable: boolean;
  forms: readonly PageFileForm[];
}

export interface PageFileForm {
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
