/** The Redis of a test run: one server for all test files of the process, started when first asked for. */
import { findRedisServer } from '@perch/local-redis';
import { isTopology, startTopology, topologies } from './redis-topologies.js';
import { embeddedRedis, redisProcess } from './redis-servers.js';

let shared: Promise<string> | undefined;

/**
 * The URL of a Redis that tests may fill; shared by all files of a run, so take fresh ids and never flush.
 *
 * `PERCH_TEST_REDIS_URL`, else testcontainers where a container runtime answers, else a redis-server or valkey-server process (from PATH, or the one
 * that `npm test` downloaded) on a free loopback port, else the embedded one; says once on standard error which.
 * `PERCH_TEST_REDIS=container|process|embedded` insists on one kind, `cluster|sentinel|tls-acl` on one of `redis-topologies.ts`, whose
 * PERCH_REDIS_* settings are set in this process' environment.
 * @throws where only the embedded one is left and `PERCH_TEST_REQUIRE_REDIS=1` forbids it
 */
export function redisUrl(): Promise<string> {
  shared ??= findRedis(process.env);
  return shared;
}

async function findRedis(env: NodeJS.ProcessEnv): Promise<string> {
  const url = env['PERCH_TEST_REDIS_URL'];
  if (url !== undefined && url !== '') return say(url, 'the one of PERCH_TEST_REDIS_URL');

  const wanted = env['PERCH_TEST_REDIS'] ?? '';
  if (isTopology(wanted)) {
    const { url: started, env: settings } = await startTopology(wanted);
    Object.assign(process.env, settings);
    return say(started, `servers on loopback (${wanted})`);
  }
  if (!['', 'container', 'process', 'embedded'].includes(wanted)) {
    throw new Error(`PERCH_TEST_REDIS=${wanted}: takes container, process, embedded, ${topologies.join(', ')}`);
  }
  if (wanted === '' || wanted === 'container') {
    const container = await containerRedis();
    if ('url' in container) return say(container.url, `a container of ${container.image}`);
    if (wanted === 'container') throw new Error(`no Redis in a container: ${container.reason}`);
  }
  if (wanted === '' || wanted === 'process') {
    const binary = findRedisServer(env);
    if (binary !== null) {
      const server = await redisProcess();
      return say(server.url, `${binary.path}, process ${server.pid}`);
    }
    if (wanted === 'process') throw new Error('no redis-server and no valkey-server on PATH');
  }
  if (wanted === '' && env['PERCH_TEST_REQUIRE_REDIS'] === '1') {
    throw new Error(
      'PERCH_TEST_REQUIRE_REDIS=1, and there is no container runtime, no redis-server on PATH and none downloaded: install redis-server, or set PERCH_TEST_REDIS_URL',
    );
  }
  return say((await embeddedRedis()).url, 'the embedded js-redis-server');
}

function say(url: string, kind: string): string {
  process.stderr.write(`Redis for tests: ${kind} (${url.replace(/^\w[-\w]*:\/\/(?:[^@/]*@)?/, '')})\n`);
  return url;
}

async function containerRedis(): Promise<{ url: string; image: string } | { reason: string }> {
  const image = 'redis:7-alpine';
  try {
    const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    const container = await new GenericContainer(image).withExposedPorts(6379).withStartupTimeout(60_000).start();
    return { url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`, image };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
