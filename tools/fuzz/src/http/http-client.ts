import { Pool } from 'undici';
import type { Answer } from '../answer-problems.js';

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  key: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

const connections = 64;
const withinMs = 20_000;

export class HttpClient {
  readonly base: string;
  readonly #pool: Pool;

  constructor(base: string) {
    this.base = base;
    this.#pool = new Pool(base, { connections, pipelining: 1, headersTimeout: withinMs, bodyTimeout: withinMs });
  }

  /** @param hangUpMs after which an unanswered call is cancelled and null returned @throws if the connection breaks, or there is no answer in time */
  async call({ method = 'POST', path, key, body, headers: more = {} }: Call, hangUpMs: number | null): Promise<Answer | null> {
    const startedAt = performance.now();
    const abort = new AbortController();
    const timer = hangUpMs === null ? undefined : setTimeout(() => abort.abort(), hangUpMs);
    try {
      const {
        statusCode,
        headers,
        body: sent,
      } = await this.#pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more },
        body: body ?? null,
        signal: abort.signal,
      });
      const text = await sent.text();
      return { status: statusCode, headers: headers as Record<string, string>, text, tookMs: performance.now() - startedAt };
    } catch (error) {
      if (abort.signal.aborted) return null;
      throw new Error(`${error instanceof Error ? error.message : String(error)}: ${method} ${path} ${body ?? ''}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
