import { createSecureContext } from 'node:tls';
import { defineSettings, percentEncoding, type ConfigOf } from './config.js';

export const redisSettings = defineSettings({
  redisUrl: {
    env: 'PERCH_REDIS_URL',
    type: 'url',
    secret: true,
    schemes: ['redis', 'rediss', 'redis-sentinel', 'rediss-sentinel', 'redis-cluster', 'rediss-cluster'],
    check: redisUrlProblem,
    description:
      'URL of the Redis that all instances share: one server (redis://user:password@host:port), a master monitored by Sentinels (redis-sentinel://host:port,host:port/mastername) or the nodes of a Redis Cluster (redis-cluster://host:port,host:port). rediss://, rediss-sentinel:// and rediss-cluster:// use TLS. User and password are percent-encoded: / is %2F, ? %3F, # %23, @ %40, : %3A, and % itself %25.',
  },
  redisCa: {
    env: 'PERCH_REDIS_CA_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the CA certificates that Redis is verified with. If unset, the CAs built into Node.js.',
  },
  redisCert: {
    env: 'PERCH_REDIS_CERT_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the client certificate presented to Redis. If unset, none is presented.',
  },
  redisKey: {
    env: 'PERCH_REDIS_KEY_FILE',
    type: 'file',
    default: null,
    description: 'PEM file with the private key of the client certificate.',
  },
  sentinelPassword: {
    env: 'PERCH_REDIS_SENTINEL_PASSWORD',
    type: 'string',
    secret: true,
    default: null,
    description: 'Password of the Sentinels. If unset, they are contacted without a password.',
  },
  allowEviction: {
    env: 'PERCH_REDIS_ALLOW_EVICTION',
    type: 'bool',
    default: false,
    description:
      'Begins a new installation on a Redis that evicts keys when its memory is full (a maxmemory-policy other than noeviction), which loses accounts, robots and events. If false, the start is refused there.',
  },
});

export interface RedisAccess {
  url: string;
  tls: { ca: string | null; cert: string | null; key: string | null };
  sentinelPassword: string | null;
  allowEviction: boolean;
}

export function redisAccess(config: ConfigOf<typeof redisSettings>): RedisAccess {
  const { redisUrl, redisCa, redisCert, redisKey, sentinelPassword, allowEviction } = config;
  return { url: redisUrl, tls: { ca: redisCa, cert: redisCert, key: redisKey }, sentinelPassword, allowEviction };
}

/** Returns the conflicts between settings that are valid individually, one sentence each. */
export function redisProblems({ redisUrl, redisCa, redisCert, redisKey, sentinelPassword }: ConfigOf<typeof redisSettings>): string[] {
  const files = { PERCH_REDIS_CA_FILE: redisCa, PERCH_REDIS_CERT_FILE: redisCert, PERCH_REDIS_KEY_FILE: redisKey };
  const given = Object.entries(files).flatMap(([env, content]) => (content === null ? [] : [env]));
  const problems: string[] = [];
  if (given.length > 0 && !redisUrl.startsWith('rediss'))
    problems.push(`${given[0]}: set, though PERCH_REDIS_URL uses no TLS; rediss://, rediss-sentinel:// and rediss-cluster:// do.`);
  if (sentinelPassword !== null && !/^rediss?-sentinel:/.test(redisUrl))
    problems.push('PERCH_REDIS_SENTINEL_PASSWORD: set, though PERCH_REDIS_URL names no Sentinels.');
  if (redisCert !== null && redisKey === null) problems.push('PERCH_REDIS_KEY_FILE: not set, though PERCH_REDIS_CERT_FILE is.');
  if (redisCert === null && redisKey !== null) problems.push('PERCH_REDIS_CERT_FILE: not set, though PERCH_REDIS_KEY_FILE is.');
  for (const [env, content] of Object.entries({ PERCH_REDIS_CA_FILE: redisCa, PERCH_REDIS_CERT_FILE: redisCert }))
    if (content !== null && !isAccepted({ ca: content })) problems.push(`${env}: the file contains no certificate in PEM form.`);
  if (redisKey !== null && !isAccepted({ key: redisKey })) problems.push('PERCH_REDIS_KEY_FILE: the file contains no private key in PEM form.');
  if (problems.length === 0 && redisCert !== null && redisKey !== null && !isAccepted({ cert: redisCert, key: redisKey }))
    problems.push('PERCH_REDIS_KEY_FILE: the key does not belong to the certificate of PERCH_REDIS_CERT_FILE.');
  return problems;
}

function isAccepted(options: { ca?: string; cert?: string; key?: string }): boolean {
  // OpenSSL accepts a CA file without certificates.
  if (options.ca !== undefined && !options.ca.includes('-----BEGIN CERTIFICATE-----')) return false;
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}

function redisUrlProblem(url: string): string | null {
  const [, scheme = '', hosts = '', path = '', rest = ''] = /^(\w+[-\w]*):\/\/([^/?#]*)([^?#]*)(.*)/.exec(url) ?? [];
  const isSentinel = scheme.endsWith('-sentinel');
  // The host would be a part of the password.
  if (!isPercentEncoded(hosts) || (path + rest).includes('@')) return percentEncoding;
  if (isSentinel && !/^\/[\w.-]+(?:\/\d{1,4})?$/.test(path))
    return `must end with the name of the master, and a database if it is not 0: ${scheme}://host:port,host:port/mastername/0`;
  if (scheme.endsWith('-cluster') && path !== '' && path !== '/') return 'must end after its hosts: a Redis Cluster has only database 0';
  if (
    scheme.endsWith('-sentinel') || scheme.endsWith('-cluster')
      ? hosts
          .split(',')
          .slice(1)
          .some((host) => host.includes('@'))
      : hosts.includes(',')
  )
    return isSentinel || scheme.endsWith('-cluster')
      ? 'must name user and password once, before its first host'
      : 'must name one host; several are for redis-sentinel:// and redis-cluster://';
  return null;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
