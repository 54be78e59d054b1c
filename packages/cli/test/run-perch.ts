import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { runProgram } from '@perch/cli';
import { openStore, type Store } from '@perch/store';
import { redisUrl } from '@perch/testkit';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export async function runPerch(environment: Record<string, string>, args: readonly string[], input = ''): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runProgram(args, { environment, out: (text) => (out += text), err: (text) => (err += text), readSecret: async () => input });
  return { code, out, err };
}

/** Runs with --json, and returns the parsed line. */
export async function runPerchJson<T>(environment: Record<string, string>, args: readonly string[], codeWanted = 0): Promise<T> {
  const { code, out, err } = await runPerch(environment, [...args, '--json']);
  assert.equal(code, codeWanted, err);
  assert.equal(out.indexOf('\n'), out.length - 1, 'exactly one line');
  return JSON.parse(out) as T;
}

/** Runs perch with a store of the test run's Redis; a line of arguments is separated at blanks. */
export class PerchWithStore {
  readonly store: Store;
  readonly #url: string;

  private constructor(store: Store, url: string) {
    this.store = store;
    this.#url = url;
  }

  static async open(): Promise<PerchWithStore> {
    const url = await redisUrl();
    return new PerchWithStore(await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` }), url);
  }

  run(line: string, redis = this.#url, input = ''): Promise<Ran> {
    return runPerch({ PERCH_REDIS_URL: redis }, line.split(' '), input);
  }

  json<T>(line: string): Promise<T> {
    return runPerchJson<T>({ PERCH_REDIS_URL: this.#url }, line.split(' '));
  }

  async addAccount(): Promise<string> {
    return (await this.json<{ account: string }>(`account add --email ${randomUUID()}@example.org`)).account;
  }
}
