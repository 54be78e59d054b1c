import { readFileSync } from 'node:fs';
import { findRedisServer } from '@perch/local-redis';
import { mayHaveContainers } from './container-runtime.js';
import { isTopology, startTopology, topologies } from './redis-topologies.js';
import { embeddedRedis, redisProcess } from './redis-servers.js';

interface SharedRedis {
  url: string;
  adminUrl: string;
}

let shared: Promise<SharedRedis> | undefined;

/**
 * Returns the URL of a Redis that all test files of a run share: tests must use new ids and never flush it.
 *
 * `PERCH_TEST_REDIS_URL`, else testcontainers if a container runtime is available, else a redis-server or valkey-server process (from PATH, or the
 * one that `npm test` downloaded) on a free loopback port, else the embedded one. Prints the choice once on standard error.
 * `PERCH_TEST_REDIS=container|process|embedded` requires one kind, `cluster|sentinel|tls-acl` one of `redis-topologies.ts`, whose PERCH_REDIS_*
 * settings are added to the environment of this process.
 * @throws if only the embedded one is available and `PERCH_TEST_REQUIRE_REDIS=1`
 */
export async function redisUrl(): Promise<string> {
  shared ??= findRedis(process.env);
  return (await shared).url;
}

/** As `redisUrl`, for what the user `perch` may not do: commands such as KEYS, INFO and MONITOR. The URL needs no certificates. */
export async function redisAdminUrl(): Promise<string> {
  await redisUrl();
  return (await shared!).adminUrl;
}

/** Options of `connect` and `openStore` for a URL: with TLS, the certificates that the environment of this process names. */
export function redisAt(url: string): { url: string; tls?: { ca: string | null; cert: string | null; key: string | null } } {
  if (!url.startsWith('rediss')) return { url };
  const pemOf = (setting: string): string | null => (process.env[setting] === undefined ? null : readFileSync(process.env[setting], 'utf8'));
  return { url, tls: { ca: pemOf('PERCH_REDIS_CA_FILE'), cert: pemOf('PERCH_REDIS_CERT_FILE'), key: pemOf('PERCH_REDIS_KEY_FILE') } };
}

async function findRedis(env: NodeJS.ProcessEnv): Promise<SharedRedis> {
  const url = env['PERCH_TEST_REDIS_URL'];
  if (url !== undefined && url !== '') return announce(url, 'from PERCH_TEST_REDIS_URL');

  const wanted = env['PERCH_TEST_REDIS'] ?? '';
  if (isTopology(wanted)) {
    const { url: started, adminUrl, env: settings } = await startTopology(wanted);
    Object.assign(process.env, settings);
    return announce(started, `servers on loopback (${wanted})`, adminUrl);
  }
  if (!['', 'container', 'process', 'embedded'].includes(wanted)) {
    throw new Error(`PERCH_TEST_REDIS=${wanted}: must be container, process, embedded, ${topologies.join(', ')}`);
  }
  if (wanted === '' || wanted === 'container') {
    const container = await containerRedis(env);
    if ('url' in container) return announce(container.url, `a container of ${container.image}`);
    if (wanted === 'container') throw new Error(`no Redis in a container: ${container.reason}`);
  }
  if (wanted === '' || wanted === 'process') {
    const binary = findRedisServer(env);
    if (binary !== null) {
      const server = await redisProcess();
      return announce(server.url, `${binary.path}, process ${server.pid}`);
    }
    if (wanted === 'process') throw new Error('no redis-server and no valkey-server on PATH');
  }
  if (wanted === '' && env['PERCH_TEST_REQUIRE_REDIS'] === '1') {
    throw new Error(
      'PERCH_TEST_REQUIRE_REDIS=1, and there is no container runtime, no redis-server on PATH and none downloaded: install redis-server, or set PERCH_TEST_REDIS_URL',
    );
  }
  return announce((await embeddedRedis()).url, 'the embedded js-redis-server');
}

function announce(url: string, kind: string, adminUrl = url): SharedRedis {
  // One of each batch of a whole run, whose output is one line.
  if (process.env['PERCH_TEST_TITLES'] === '0') return { url, adminUrl };
  process.stderr.write(`Redis for tests: ${kind} (${url.replace(/^\w[-\w]*:\/\/(?:[^@/]*@)?/, '')})\n`);
  return { url, adminUrl };
}

async function containerRedis(env: NodeJS.ProcessEnv): Promise<{ url: string; image: string } | { reason: string }> {
  const image = 'redis:7-alpine';
  if (!mayHaveContainers(env)) return { reason: 'no container runtime on this machine' };
  try {
    const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    const container = await new GenericContainer(image).withExposedPorts(6379).withStartupTimeout(60_000).start();
    return { url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`, image };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
