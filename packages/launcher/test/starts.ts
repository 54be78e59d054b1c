/** Runs `npm start` for tests, each test with a folder of its own for what the start keeps. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRedisServer } from '@perch/local-redis';
import { skipTest, toolCache, until } from '@perch/testkit';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
export const anyPorts = ['--port', '0', '--link-port', '0'];

export interface Ready {
  base_url: string;
  link_url: string;
  gateways: string[];
  links: string[];
  redis_url: string;
  account: string;
  api_key: string;
  robot: string;
  robot_token: string;
  sign_in_url: string;
}

export class Start {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  out = '';
  err = '';

  constructor(args: string[], state: string, env: Record<string, string> = {}) {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERCH_')));
    const ours = { PERCH_STATE_DIR: state, PERCH_TEST_CACHE: toolCache(process.env) };
    this.process = spawn(process.execPath, [main, ...args], { env: { ...clean, ...ours, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(this.process, 'close').then(([code]) => code as number | null);
  }

  async ready(): Promise<Ready> {
    await until(() => this.out.includes('\n') || this.process.exitCode !== null, { timeoutMs: 60_000, what: 'the start to be ready' });
    assert.equal(this.process.exitCode, null, this.err);
    return JSON.parse(this.out) as Ready;
  }

  async end(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.ended;
  }

  async endIfRunning(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.end();
  }
}

export function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const below = (of: number): number[] => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function parentOf(pid: number): number {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function pathWithoutRedis(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => findRedisServer({ PATH: folder, PERCH_TEST_CACHE: '/nowhere' }) === null).join(delimiter);
}

export async function robotOf(ready: Ready, gateway = ready.base_url): Promise<{ online: boolean; firmware: string }> {
  const response = await fetch(`${gateway}/v1/robots/${ready.robot}`, { headers: { authorization: `Bearer ${ready.api_key}` } });
  assert.equal(response.status, 200);
  return (await response.json()) as { online: boolean; firmware: string };
}

export async function ask(ready: Ready, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** Suite of tests that start the system. Starts of a test end after it, and their files are removed. */
export function onStarts(
  name: string,
  tests: (at: { start: (args: string[], env?: Record<string, string>) => Start; state: () => string }) => void,
): void {
  describe(`npm start: ${name}`, function () {
    this.timeout(180_000);
    let state = '';
    const starts: Start[] = [];
    before(function () {
      if (!readdirSync('/').includes('proc')) skipTest(this, 'the list of processes is read from /proc');
    });
    beforeEach(() => {
      state = mkdtempSync(join(tmpdir(), 'perch state '));
    });
    afterEach(async () => {
      await Promise.all(starts.splice(0).map((one) => one.endIfRunning()));
      rmSync(state, { recursive: true, force: true });
    });
    const start = (args: string[], env: Record<string, string> = {}): Start => {
      const one = new Start(args, state, env);
      starts.push(one);
      return one;
    };
    tests({ start, state: () => state });
  });
}
