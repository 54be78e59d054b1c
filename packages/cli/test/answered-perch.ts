/** Runs `perch` against an HTTP server that answers what a test sets and records what it was asked. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '@perch/cli';

type Environment = Record<string, string | undefined>;

export interface AskedRequest {
  path: string;
  key: string | undefined;
  body: unknown;
  idempotencyKey: string | string[] | undefined;
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Everything is set anew before each test of the suite that called `answeredPerch`. */
export interface AnsweredPerch {
  folder: string;
  environment: Environment;
  asked: AskedRequest[];
  answer: { status: number; body: object };
  /** Standard input. */
  input: string;
  isTerminal: boolean;
  perch(...args: string[]): Promise<Ended>;
  /** @returns the body that an action sent */
  sent(...args: string[]): Promise<unknown>;
}

export function answeredPerch(): AnsweredPerch {
  let server: Server;
  const at: AnsweredPerch = {
    folder: '',
    environment: {},
    input: '',
    isTerminal: false,
    asked: [],
    answer: { status: 200, body: {} },
    async perch(...args) {
      let out = '';
      let err = '';
      const code = await runProgram(args, {
        environment: at.environment,
        out: (text) => (out += text),
        err: (text) => (err += text),
        isTerminal: at.isTerminal,
        readInput: async () => at.input,
      });
      return { code, out, err };
    },
    async sent(...args) {
      at.asked = [];
      const { code, err } = await at.perch(...args);
      assert.equal(code, 0, err);
      assert.equal(at.asked[0]?.path, `/v1/robots/r-1/${args[0]}`);
      return at.asked[0]?.body;
    },
  };

  before(async () => {
    at.folder = await mkdtemp(join(tmpdir(), 'perch-cli-'));
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const { url, headers } = request;
        at.asked.push({
          path: url!,
          key: headers.authorization,
          body: text === '' ? null : headers['content-type'] === 'application/json' ? JSON.parse(text) : text,
          idempotencyKey: headers['idempotency-key'],
        });
        response.writeHead(at.answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(at.answer.body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    at.asked = [];
    at.answer = { status: 200, body: { ok: true, outcome: 'answered', results: [], events: [] } };
    const { port } = server.address() as AddressInfo;
    at.environment = { HOME: at.folder, PERCH_BASE_URL: `http://127.0.0.1:${port}`, PERCH_API_KEY: 'pk_test', PERCH_ROBOT: 'r-1' };
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(at.folder, { recursive: true });
  });
  return at;
}
