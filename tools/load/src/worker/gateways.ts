/** HTTP to the gateways, in turn. A call uses a free connection or a new one, so that it never waits for another answer. */
import { Pool, type Dispatcher } from 'undici';

export interface Answer {
  status: number;
  /** `ok`, the code of an error answer, or of a failed connection. */
  code: string;
  body: Record<string, unknown>;
}

export interface Request {
  path: string;
  apiKey: string;
  body?: string;
  headers?: Record<string, string>;
}

export class Gateways {
  readonly #pools: readonly Pool[];
  #next = 0;

  /** @param withinMs timeout for the head of an answer, and between two parts of its body */
  constructor(bases: readonly string[], withinMs: number) {
    const options = { connections: null, pipelining: 1, headersTimeout: withinMs, bodyTimeout: withinMs, connect: { timeout: 20_000 } };
    this.#pools = bases.map((base) => new Pool(base, options));
  }

  /** Never rejects: a failed connection is returned as an answer with status 0. */
  async call(request: Request): Promise<Answer> {
    try {
      const { statusCode: status, body } = await this.open(request);
      const read = JSON.parse(await body.text()) as Record<string, unknown>;
      const code = status === 200 && read['ok'] === true ? 'ok' : typeof read['code'] === 'string' ? read['code'] : `status ${status}`;
      return { status, code, body: read };
    } catch (error) {
      return { status: 0, code: codeOf(error), body: {} };
    }
  }

  open({ path, apiKey, body, headers = {} }: Request, signal?: AbortSignal): Promise<Dispatcher.ResponseData> {
    const pool = this.#pools[this.#next++ % this.#pools.length]!;
    return pool.request({
      method: body === undefined ? 'GET' : 'POST',
      path,
      headers: { authorization: `Bearer ${apiKey}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'connection';
}
