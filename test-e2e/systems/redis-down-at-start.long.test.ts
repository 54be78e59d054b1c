import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@perch/launcher';
import { freePort, needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];

describe('a service that is started while Redis is down', () => {
  let redis: LocalRedis;
  const children: ChildProcess[] = [];

  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    await redis.kill();
  });
  after(async () => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await redis?.stop();
  });

  async function start(
    service: ServiceName,
  ): Promise<{ child: ChildProcess; lines: string[]; readyz: () => Promise<{ status: number; body: any }> }> {
    const port = await freePort();
    const main = fileURLToPath(new URL(`../../services/${service}/dist/main.js`, import.meta.url));
    const own: Record<string, string> =
      service === 'gateway' ? { PERCH_GATEWAY_PORT: '0' } : service === 'robot-link' ? { PERCH_LINK_PORT: '0' } : {};
    const env = { PATH: process.env['PATH'] ?? '', PERCH_REDIS_URL: redis.url, PERCH_ADMIN_PORT: String(port), PERCH_DRAIN_MS: '0', ...own };
    const child = fork(main, [], { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    children.push(child);
    const lines: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data: Buffer) => lines.push(data.toString()));
    const readyz = async (): Promise<{ status: number; body: any }> => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: response.status, body: await response.json() };
    };
    return { child, lines, readyz };
  }

  it('a service started without Redis serves its admin port, reports that it is not ready, and becomes ready once Redis runs', async () => {
    const started = await Promise.all(services.map(start));
    for (const { readyz } of started) {
      const { status, body } = await until(() => readyz().catch(() => null), { what: 'an admin port' });
      assert.deepEqual([status, body.phase, body.problems], [503, 'starting', { redis: 'The store is not open yet.' }]);
    }
    // Longer than one connection attempt.
    for (const { lines } of started) await until(() => lines.join('').includes('did not answer'), { what: 'a failed attempt in the log' });
    for (const { child } of started) assert.equal(child.exitCode, null);
    await redis.restart();
    for (const { readyz } of started) await until(async () => (await readyz()).status === 200, { what: 'the service to be ready' });
    for (const { child } of started) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      assert.equal(child.exitCode, 0);
    }
  });

  it('a service that waits for Redis stops with exit code 0 on SIGTERM', async () => {
    await redis.kill();
    const { child, readyz } = await start('robot-link');
    await until(() => readyz().catch(() => null), { what: 'an admin port' });
    child.kill('SIGTERM');
    await once(child, 'exit');
    assert.equal(child.exitCode, 0);
  });
});
