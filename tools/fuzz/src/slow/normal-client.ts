import { Pool } from 'undici';

export interface Window {
  p50: number;
  p99: number;
  calls: number;
  wrong: string[];
}

export interface NormalClientOptions {
  base: string;
  keys: readonly string[];
  robots: readonly { id: string }[];
  windowMs: number;
}

const everyMs = 10;

export class NormalClient {
  readonly #options: NormalClientOptions;
  readonly #pool: Pool;
  #calls = 0;

  constructor(options: NormalClientOptions) {
    this.#options = options;
    this.#pool = new Pool(options.base, { connections: 16, pipelining: 1 });
  }

  /** Makes the calls of one window; each is measured from when it was due, so that waiting to be sent counts. */
  async window(): Promise<Window> {
    const { windowMs } = this.#options;
    const beganAt = performance.now();
    const took: number[] = [];
    const wrong: string[] = [];
    const calls: Promise<void>[] = [];
    for (let i = 0; i * everyMs < windowMs; i++) {
      const dueAt = beganAt + i * everyMs;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())));
      const call = this.#call().then(
        (status) => {
          took.push(performance.now() - dueAt);
          if (status !== 200) wrong.push(String(status));
        },
        (error: unknown) => void wrong.push(String(error)),
      );
      calls.push(call);
    }
    await Promise.all(calls);
    const sorted = took.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
    return { p50: at(0.5), p99: at(0.99), calls: calls.length, wrong };
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #call(): Promise<number> {
    const { keys, robots } = this.#options;
    const n = this.#calls++;
    const { statusCode, body } = await this.#pool.request({
      method: 'POST',
      path: `/v1/robots/${robots[n % robots.length]!.id}/face`,
      headers: { authorization: `Bearer ${keys[n % keys.length]}`, 'content-type': 'application/json' },
      body: '{"emotion":"happy"}',
    });
    await body.dump();
    return statusCode;
  }
}
