import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './redis-address.js';
import { redisScripts } from './scripts.js';
import { readSocketsBeforeLimits } from './time-limits.js';
import { forRedisSockets } from './tls-sockets.js';

/** PEM texts. */
export interface RedisTls {
  ca?: string | null;
  cert?: string | null;
  key?: string | null;
}

type ConnectionFactory = (options: RedisOptions) => Redis | Cluster;

const reconnectDelayMs = (times: number): number => Math.min(50 * times, 500);
/** An unresponsive Sentinel or master must not delay a failover for ioredis' default of 10 s. */
const sentinelConnectMs = 2000;

export function connectionFactory(address: RedisAddress, tls: RedisTls, sentinelPassword: string | null): ConnectionFactory {
  readSocketsBeforeLimits();
  const security = address.isTls ? { tls: forRedisSockets(tlsOptions(tls)) } : {};
  switch (address.kind) {
    case 'single':
      return singleFactory(address, security);
    case 'sentinel':
      return sentinelFactory(address, security, sentinelPassword);
    case 'cluster':
      return clusterFactory(address, security);
  }
}

type Security = Pick<RedisOptions, 'tls'>;

/** The server certificate is always verified against the name or address dialled. */
export function tlsOptions({ ca, cert, key }: RedisTls): ConnectionOptions {
  return { rejectUnauthorized: true, ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
}

function singleFactory({ url }: RedisAddress, security: Security): ConnectionFactory {
  return (options) =>
    new Redis(url, { ...options, ...security, retryStrategy: reconnectDelayMs, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

function sentinelFactory({ nodes, credentials, master, db }: RedisAddress, security: Security, sentinelPassword: string | null): ConnectionFactory {
  const own: RedisOptions = {
    sentinels: nodes,
    name: master,
    role: 'master',
    db,
    ...credentials,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(security.tls === undefined ? {} : { tls: security.tls, sentinelTLS: security.tls, enableTLSForSentinelMode: true }),
    connectTimeout: sentinelConnectMs,
    sentinelCommandTimeout: sentinelConnectMs,
    sentinelRetryStrategy: reconnectDelayMs,
    retryStrategy: reconnectDelayMs,
    // After a failover the former master replies READONLY: reconnect through the Sentinels. 2 would also resend the refused command.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 1 : false),
  };
  return (options) => new Redis({ ...options, ...own, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

function clusterFactory({ nodes, credentials, isTls }: RedisAddress, security: Security): ConnectionFactory {
  return ({ enableOfflineQueue, ...redisOptions }) =>
    new Cluster(nodes, {
      shardedSubscribers: true,
      enableOfflineQueue: enableOfflineQueue ?? false,
      scripts: redisScripts,
      // A value above 0 resends commands after a failover, so that they may run twice.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: reconnectDelayMs,
      redisOptions: { ...redisOptions, ...credentials, ...security },
      // A certificate is verified against the known name of the node, so names must not be resolved first.
      ...(isTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    } as Omit<ClusterOptions, 'redisOptions'>);
}
