import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@perch/testkit';

const main = fileURLToPath(new URL('../dist/robot-main.js', import.meta.url));

describe('npm run robot', function () {
  this.timeout(60_000);
  let child: ChildProcess | null = null;
  let server: Server | null = null;
  afterEach(() => {
    child?.kill('SIGKILL');
    server?.close();
    child = server = null;
  });

  function start(env: Record<string, string>): { ended: Promise<number | null>; printed: () => string } {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERCH_') && name !== 'INIT_CWD'));
    const started = spawn(process.execPath, [main], { env: { ...clean, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let err = '';
    started.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return { ended: once(started, 'close').then(([code]) => code as number | null), printed: () => err };
  }

  /** @returns the address of a service that refuses each dial with the status and its mark, and the headers that it received */
  async function refusing(status: number): Promise<{ url: string; tokens: (string | undefined)[] }> {
    const tokens: (string | undefined)[] = [];
    const refuser = createServer();
    refuser.on('upgrade', ({ headers }, socket) => {
      tokens.push(headers.authorization);
      // The robot resets the connection once it has read the status.
      socket.on('error', () => undefined);
      socket.end(`HTTP/1.1 ${status} Refused\r\nperch-link: pair\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    });
    server = refuser.listen(0, '127.0.0.1');
    await once(refuser, 'listening');
    return { url: `ws://127.0.0.1:${(refuser.address() as AddressInfo).port}`, tokens };
  }

  it('prints each attempt that failed, with the address and the status, until SIGINT', async () => {
    const { url } = await refusing(404);
    const { ended, printed } = start({ PERCH_ROBOT_URL: url, PERCH_ROBOT_TOKEN: 'rt_secret' });
    const attempts = (): number => printed().split(`not online yet: ${url}/robot/v1/link: 404, next attempt in `).length - 1;
    await until(() => attempts() >= 2, { timeoutMs: 50_000, what: 'two attempts' });
    child!.kill('SIGINT');
    assert.equal(await ended, 0, printed());
    assert.ok(!printed().includes('rt_secret'));
  });

  it('names the error of the network where nothing listens', async () => {
    const { url } = await refusing(404);
    await new Promise((resolve) => server!.close(resolve));
    const { printed } = start({ PERCH_ROBOT_URL: url, PERCH_ROBOT_TOKEN: 'rt_x' });
    await until(() => printed().includes('ECONNREFUSED'), { timeoutMs: 50_000, what: 'the error' });
  });

  it('ends with code 1 if the token is not valid, which it reads from a file, too', async () => {
    const { url, tokens } = await refusing(401);
    const folder = mkdtempSync(join(tmpdir(), 'perch-robot-'));
    try {
      writeFileSync(join(folder, 'token'), 'rt_of_file\n');
      const { ended, printed } = start({ PERCH_ROBOT_URL: url, PERCH_ROBOT_TOKEN_FILE: 'token', INIT_CWD: folder });
      assert.equal(await ended, 1);
      assert.equal(printed(), `robot: not online yet: ${url}/robot/v1/link: the token is not valid\n`);
      assert.deepEqual(tokens, ['Bearer rt_of_file']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('names a setting that is missing or wrong, and ends with code 2', async () => {
    for (const [env, says] of [
      [{ PERCH_ROBOT_TOKEN: 'rt_x' }, /^robot: PERCH_ROBOT_URL is not set/],
      [{ PERCH_ROBOT_URL: 'ws://127.0.0.1:8081' }, /^robot: PERCH_ROBOT_TOKEN and PERCH_ROBOT_TOKEN_FILE are not set/],
      [{ PERCH_ROBOT_URL: '127.0.0.1:8081', PERCH_ROBOT_TOKEN: 'rt_x' }, /^robot: PERCH_ROBOT_URL must be/],
    ] as const) {
      const { ended, printed } = start(env);
      assert.equal(await ended, 2);
      assert.match(printed(), says);
    }
  });
});
