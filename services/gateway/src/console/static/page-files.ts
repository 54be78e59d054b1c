/**
 * The files of the built page, looked up when they are asked for: a page that is built while the gateway runs is served from then on, and one
 * that is missing is missing. What was read is kept for a while, so that the disk is asked seldom; a name outside the folder is no file of it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { LRUCache } from 'lru-cache';

export interface PageFile {
  type: string;
  /** Named by its content: it never changes under this name. */
  immutable: boolean;
  forms: readonly PageFileForm[];
}

export interface PageFileForm {
  /** As Content-Encoding has it; null as it is. */
  encoding: 'br' | 'gzip' | null;
  bytes: Buffer;
  etag: string;
}

/** What the build makes. Anything else in its folder is nobody's to read. */
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
/** No segment begins with a dot, so that none leads out. */
const inFolder = /^(?:\/[\w-][\w.-]*)+$/;
const assets = '/assets/';
const keptBytesMax = 32 * 1024 * 1024;
/** What may change under its name, ms. */
const keptMs = 1000;

export class PageFiles {
  readonly #folder: string;
  readonly #kept = new LRUCache<string, PageFile>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ forms }) => forms.reduce((sum, { bytes }) => sum + bytes.length, 1),
  });

  /** @param folder with index.html; it may not be there, or not yet */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param path from a URL, with its slash */
  async get(path: string): Promise<PageFile | null> {
    const type = types[extname(path)];
    if (type === undefined || path.length > 200 || !inFolder.test(path)) return null;
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const file = await this.#read(path, type);
    if (file !== null) this.#kept.set(path, file, file.immutable ? {} : { ttl: keptMs });
    return file;
  }

  async #read(path: string, type: string): Promise<PageFile | null> {
    const forms = await Promise.all(encodings.map(([encoding, ending]) => this.#readForm(path + ending, encoding)));
    if (forms.at(-1) === null) return null;
    return { type, immutable: path.startsWith(assets), forms: forms.filter((form) => form !== null) };
  }

  async #readForm(path: string, encoding: PageFileForm['encoding']): Promise<PageFileForm | null> {
    try {
      const bytes = await readFile(join(this.#folder, path));
      return { encoding, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
    } catch {
      return null;
    }
  }
}
