/** A Redis that evicts keys when its memory is full: `volatile-lru` is a default of hosted servers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@perch/launcher';
import { openStore } from '@perch/store';
import { freePort, needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];
const root = fileURLToPath(new URL('../..', import.meta.url));

describe('a Redis that evicts keys', () => {
  let redis: LocalRedis;
  let state: string;
  const stops: (() => Promise<unknown>)[] = [];

  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    state = mkdtempSync(join(tmpdir(), 'perch-evicting-'));
  });
  after(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await redis?.stop();
    if (state !== undefined) rmSync(state, { recursive: true, force: true });
  });

  function start(
    file: string,
    env: Record<string, string>,
    args: readonly string[] = [],
  ): { output: () => string; ended: Promise<number | null>; stop: () => Promise<unknown> } {
    const ours = { PATH: process.env['PATH'] ?? '', PERCH_REDIS_URL: redis.url, PERCH_STATE_DIR: state, PERCH_DRAIN_MS: '0' };
    if (file.startsWith('services')) Reflect.deleteProperty(ours, 'PERCH_STATE_DIR');
    const child = spawn(process.execPath, [join(root, file), ...args], { env: { ...ours, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    const stop = (): Promise<unknown> => {
      child.kill('SIGTERM');
      return ended;
    };
    stops.push(stop);
    return { output: () => output, ended, stop };
  }

  async function startService(service: ServiceName, env: Record<string, string> = {}) {
    const admin = await freePort();
    const ports: Record<string, string> = { PERCH_ADMIN_PORT: String(admin) };
    if (service === 'gateway') ports['PERCH_GATEWAY_PORT'] = '0';
    if (service === 'robot-link') ports['PERCH_LINK_PORT'] = '0';
    return { ...start(`services/${service}/dist/main.js`, { ...ports, ...env }), admin };
  }

  it('ends the start of a new installation with exit code 1 and a sentence that names the policy and the setting, in services and npm start', async () => {
    const begun = performance.now();
    const starts = [
      start('packages/launcher/dist/main.js', {}, ['--port', '0', '--link-port', '0']),
      ...(await Promise.all(services.map((service) => startService(service)))),
    ];
    for (const { ended, output } of starts) {
      assert.equal(await ended, 1, output());
      assert.match(output(), /maxmemory-policy is volatile-lru\. .*PERCH_REDIS_ALLOW_EVICTION=true/);
      assert.equal(output().match(/maxmemory-policy/g)?.length, 1, output());
      assert.doesNotMatch(output(), /\n\s+at /);
    }
    assert.ok(performance.now() - begun < 60_000, 'they wait for nothing');
  });

  it('serves an installation that has an account, or one that is allowed, with an error in the log and in the metrics', async () => {
    const metrics = async (admin: number): Promise<string> => (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
    const allowed = await startService('renderer', { PERCH_REDIS_ALLOW_EVICTION: 'true' });
    for (const line of [/^perch_redis_capability\{name="noeviction"\} 0$/m, /^perch_redis_evicted_keys\{master=".*"\} 0$/m])
      await until(async () => line.test(await metrics(allowed.admin).catch(() => '')), { what: String(line) });
    await allowed.stop();
    const store = await openStore({ url: redis.url, instance: 'test-evicting', allowEviction: true });
    try {
      await store.accounts.create({ email: 'ann@example.org' });
    } finally {
      await store.close();
    }
    const served = await startService('webhooks');
    await until(async () => (await fetch(`http://127.0.0.1:${served.admin}/readyz`).catch(() => null))?.status === 200);
    assert.match(served.output(), /"level":"error".*maxmemory-policy is volatile-lru/);
    await served.stop();
  });
});
