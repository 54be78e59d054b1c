/** Starts Redis on loopback in the topologies used in production: a Cluster, a master with Sentinels, TLS with the users of deploy/redis. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type LocalRedis } from '@perch/local-redis';
import { testCertificates } from './certificates.js';
import { redisCluster } from './redis-cluster.js';
import { redisSentinels } from './redis-sentinel.js';
import { redisProcess } from './redis-servers.js';
import { writeRedisUsers } from './redis-users.js';

export const topologies = ['cluster', 'sentinel', 'tls-acl'] as const;
type Topology = (typeof topologies)[number];

interface StartedTopology {
  url: string;
  env: Record<string, string>;
}

export function isTopology(name: string): name is Topology {
  return (topologies as readonly string[]).includes(name);
}

export async function startTopology(topology: Topology): Promise<StartedTopology> {
  switch (topology) {
    case 'cluster':
      return { url: (await redisCluster()).url, env: {} };
    case 'sentinel':
      return { url: (await redisSentinels(1, 15_000)).url, env: {} };
    case 'tls-acl':
      return tlsWithUsers();
  }
}

let serverWithUsers: LocalRedis | null = null;

/** Entries in the ACL log of the `tls-acl` Redis: what it refused to a user. 0 if it was not started. */
export async function aclRefusals(): Promise<number> {
  return serverWithUsers === null ? 0 : Number(await serverWithUsers.ask(['ACL', 'LOG']));
}

const password = 'secret/&%';

/** Accepts only TLS connections with a client certificate, from the users of deploy/redis/users.acl and one for the tests. */
async function tlsWithUsers(): Promise<StartedTopology> {
  const certificates = testCertificates();
  const folder = mkdtempSync(join(tmpdir(), 'perch-users-'));
  process.once('exit', () => {
    certificates.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  const aclfile = join(folder, 'users.acl');
  writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: password });
  // `aclRefusals` reads the ACL log as this user.
  appendFileSync(aclfile, 'user tests on nopass -@all +acl|log\n');
  const tlsPort = await freePort();
  serverWithUsers = await redisProcess({
    appendOnly: true,
    admin: 'tests',
    settings: {
      aclfile,
      'tls-port': String(tlsPort),
      'tls-cert-file': certificates.server.certificate,
      'tls-key-file': certificates.server.key,
      'tls-ca-cert-file': certificates.ca,
      'tls-auth-clients': 'yes',
    },
  });
  return {
    url: `rediss://perch:${encodeURIComponent(password)}@127.0.0.1:${tlsPort}`,
    env: {
      PERCH_REDIS_CA_FILE: certificates.ca,
      PERCH_REDIS_CERT_FILE: certificates.client.certificate,
      PERCH_REDIS_KEY_FILE: certificates.client.key,
    },
  };
}
