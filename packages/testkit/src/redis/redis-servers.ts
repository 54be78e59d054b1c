/** Starts Redis servers for single tests, to be killed, paused and restarted. They stop with the test run at the latest and do not keep it alive. */
import {
  findRedisServer,
  requireRedisServer,
  startEmbeddedRedis,
  startRedisProcess,
  type LocalRedis,
  type RedisProcessOptions,
  type RedisServerBinary,
} from '@perch/local-redis';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';

export async function embeddedRedis(options: { port?: number } = {}): Promise<LocalRedis> {
  const server = await startEmbeddedRedis({ ...options, keepsAlive: false });
  embeddedUrls.add(server.url);
  return server;
}

const embeddedUrls = new Set<string>();

/** Writes nothing to disk unless `appendOnly` is set. @throws if no server is found; call `needsRedisServer` first */
export async function redisProcess(options: Omit<RedisProcessOptions, 'binary' | 'keepsAlive'> = {}): Promise<LocalRedis> {
  return startRedisProcess({ ...options, binary: requireRedisServer(process.env), keepsAlive: false });
}

export function privateRedis(): Promise<LocalRedis> {
  return testRedisServer() === null ? embeddedRedis() : redisProcess();
}

function testRedisServer(): RedisServerBinary | null {
  return process.env['PERCH_TEST_REDIS'] === 'embedded' ? null : findRedisServer(process.env);
}

/** Skips the test, or from a `before` hook its suite, without a Redis server program. @throws instead with PERCH_TEST_REQUIRE_REDIS=1 */
export function needsRedisServer(context: Context): RedisServerBinary {
  const { PERCH_TEST_REDIS: kind, PERCH_TEST_REQUIRE_REDIS: required, PERCH_TEST_NO_REDIS: whyNone } = process.env;
  const binary = testRedisServer();
  if (binary !== null) return binary;
  const why = kind === 'embedded' ? 'PERCH_TEST_REDIS=embedded' : `none is on PATH${whyNone ? `, and ${whyNone}` : ''}`;
  if (required === '1') throw new Error(`PERCH_TEST_REQUIRE_REDIS=1, and there is no redis-server and no valkey-server: ${why}`);
  return skipTest(context, `a Redis server of the test's own is needed: ${why}`);
}

/** Skips the test, or from a `before` hook its suite, on the embedded Redis. @param gap the feature that it lacks (docs/operate/try.md) */
export function needsRealRedis(context: Context, url: string, gap: string): void {
  if (embeddedUrls.has(url)) skipTest(context, `the embedded Redis lacks ${gap}`);
}
