/** Starts Redis on loopback in the topologies used in production: a Cluster, a master with Sentinels, TLS with the users of deploy/redis. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type LocalRedis } from '@perch/local-redis';
import { testCertificates } from './certificates.js';
import { redisCluster } from './redis-cluster.js';
import { redisSentinels } from './redis-sentinel.js';
import { redisProcess } from './redis-servers.js';
import { testRedisUsers } from './redis-users.js';

export const topologies = ['cluster', 'sentinel', 'tls-acl'] as const;
type Topology = (typeof topologies)[number];

interface StartedTopology {
  url: string;
  /** For `redisAdminUrl`. */
  adminUrl: string;
  env: Record<string, string>;
}

export function isTopology(name: string): name is Topology {
  return (topologies as readonly string[]).includes(name);
}

export async function startTopology(topology: Topology): Promise<StartedTopology> {
  switch (topology) {
    case 'cluster':
      return withoutUsers(await redisCluster());
    case 'sentinel':
      return withoutUsers(await redisSentinels(1, 15_000));
    case 'tls-acl':
      return tlsWithUsers();
  }
}

function withoutUsers({ url }: { url: string }): StartedTopology {
  return { url, adminUrl: url, env: {} };
}

let serverWithUsers: LocalRedis | null = null;

// Tools use this module without mocha.
if ('after' in globalThis) {
  after('Redis refused nothing to the user perch of deploy/redis/users.acl', async () => {
    const log = (await serverWithUsers?.ask(['ACL', 'LOG'])) ?? '';
    const refusals = [...log.matchAll(/^reason\n(.*)\ncontext\n(.*)\nobject\n(.*)\nusername\n(.*)$/gm)];
    assert.deepEqual(
      refusals.map(([, reason, context, object, user]) => `${user}: ${reason} ${object} (${context})`),
      [],
    );
  });
}

/** Accepts only TLS connections with a client certificate, from the users of deploy/redis/users.acl; others, as the administrator, from the tests. */
async function tlsWithUsers(): Promise<StartedTopology> {
  const certificates = testCertificates();
  const folder = mkdtempSync(join(tmpdir(), 'perch-users-'));
  process.once('exit', () => {
    certificates.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const users = testRedisUsers(folder);
  const tlsPort = await freePort();
  serverWithUsers = await redisProcess({
    appendOnly: true,
    admin: users.admin,
    settings: {
      ...users.settings,
      // Otherwise whoever first numbers events after the last instance ended waits 2 s for the disk.
      appendfsync: 'always',
      'tls-port': String(tlsPort),
      'tls-cert-file': certificates.server.certificate,
      'tls-key-file': certificates.server.key,
      'tls-ca-cert-file': certificates.ca,
      'tls-auth-clients': 'yes',
    },
  });
  return {
    url: `rediss://${users.credentials}127.0.0.1:${tlsPort}`,
    adminUrl: `redis://${users.admin}:any@127.0.0.1:${serverWithUsers.port}`,
    env: {
      PERCH_REDIS_CA_FILE: certificates.ca,
      PERCH_REDIS_CERT_FILE: certificates.client.certificate,
      PERCH_REDIS_KEY_FILE: certificates.client.key,
    },
  };
}
