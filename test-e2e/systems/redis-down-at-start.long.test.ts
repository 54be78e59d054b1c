import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@perch/launcher';
import { freePort, needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];

describe('a service that is started while Redis is down', () => {
  let redis: LocalRedis;
  let refused: LocalRedis | undefined;
  const children: ChildProcess[] = [];

  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    await redis.kill();
  });
  after(async () => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await redis?.stop();
    await refused?.stop();
  });

  interface Started {
    child: ChildProcess;
    lines: string[];
    readyz: () => Promise<{ status: number; body: any }>;
    metrics: () => Promise<string>;
  }

  async function start(service: ServiceName, url = redis.url): Promise<Started> {
    const port = await freePort();
    const main = fileURLToPath(new URL(`../../services/${service}/dist/main.js`, import.meta.url));
    const own: Record<string, string> =
      service === 'gateway' ? { PERCH_GATEWAY_PORT: '0' } : service === 'robot-link' ? { PERCH_LINK_PORT: '0' } : {};
    const env = { PATH: process.env['PATH'] ?? '', PERCH_REDIS_URL: url, PERCH_ADMIN_PORT: String(port), PERCH_DRAIN_MS: '0', ...own };
    const child = fork(main, [], { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    children.push(child);
    const lines: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data: Buffer) => lines.push(data.toString()));
    const readyz = async (): Promise<{ status: number; body: any }> => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: response.status, body: await response.json() };
    };
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return { child, lines, readyz, metrics };
  }

  it('a service started without Redis serves its admin port, reports that it is not ready, and becomes ready once Redis runs', async () => {
    const started = await Promise.all(services.map((service) => start(service)));
    for (const { readyz } of started) {
      const reported = async () => {
        const answer = await readyz().catch(() => null);
        return answer?.body.problems.redis.includes('ECONNREFUSED') === true ? answer : null;
      };
      const { status, body } = await until(reported, { what: 'the reason' });
      assert.deepEqual([status, body.phase, Object.keys(body.problems)], [503, 'starting', ['redis']]);
      assert.match(body.problems.redis, /^Waiting for Redis at redis:\/\/127\.0\.0\.1:\d+ without a user, tried again every few seconds: /);
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

  it('a service that Redis refuses at its start says why, in /readyz, metrics and log', async () => {
    const refusing = await redisProcess();
    refused = refusing;
    const { url: open, port } = refusing;
    const secret = 'not-the-password';
    const refusals = [
      {
        says: /WRONGPASS/,
        reason: 'other',
        url: open.replace('://', `://:${secret}@`),
        set: 'CONFIG SET requirepass right',
        back: 'CONFIG SET requirepass ""',
      },
      { says: /max number of clients/, reason: 'maxclients', url: open, set: 'CONFIG SET maxclients 1', back: 'CONFIG SET maxclients 1000' },
      { says: /READONLY/, reason: 'READONLY', url: open, set: 'REPLICAOF 127.0.0.1 1', back: 'REPLICAOF NO ONE' },
    ] as const;
    for (const { says, reason, url, set, back } of refusals) {
      // Redis keeps a connection that it has accepted.
      const admin = connect(port, '127.0.0.1');
      const tell = async (command: string): Promise<void> => {
        admin.write(`${command}\r\n`);
        assert.equal(String((await once(admin, 'data'))[0]), '+OK\r\n');
      };
      try {
        await tell(set);
        const { child, lines, readyz, metrics } = await start('robot-link', url);
        const { status, body } = await until(
          async () => {
            const answer = await readyz().catch(() => null);
            return says.test(answer?.body.problems?.redis ?? '') ? answer : null;
          },
          { what: `${says} in /readyz` },
        );
        assert.deepEqual([status, body.phase], [503, 'starting']);
        await until(async () => (await metrics()).includes(`perch_redis_refused{reason="${reason}"} 1`), {
          what: `the reason ${reason} in the metrics`,
        });
        await until(() => says.test(lines.join('')), { what: 'the reason in the log' });
        assert.equal(lines.join('').split('Waiting for Redis at ').length - 1, 1, lines.join(''));
        if (reason === 'other')
          assert.match(body.problems.redis, /^Waiting for Redis at \S+ as user default, tried again every few seconds: WRONGPASS /);
        assert.doesNotMatch(JSON.stringify(body) + lines.join(''), new RegExp(secret));
        // Three attempts.
        const attempted = performance.now() + 3500;
        if (reason === 'READONLY') await until(() => performance.now() > attempted);
        const findings = lines.join('').split('Redis is a replica').length - 1;
        assert.equal(findings, reason === 'READONLY' ? 1 : 0, lines.join(''));
        await tell(back);
        await until(async () => (await readyz()).status === 200, { what: 'the service to be ready' });
        child.kill('SIGTERM');
        await once(child, 'exit');
      } finally {
        admin.destroy();
      }
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
