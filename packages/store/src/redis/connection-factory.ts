import type { ConnectionOptions } from 'node:tls';
import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './redis-address.js';
import { isNoMaster, refusalOf } from './refused.js';
import { reportRefusedConnections } from './refused-connections.js';
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

/** Idle connections are forgotten by firewalls and NAT gateways, some after 20 s. */
const keepAliveMs = 10_000;

const reconnectDelayMs = (times: number): number => Math.min(50 * times, 500);
/** Redis at its maxclients accepts a connection before it refuses it: without a pause the instances take each place that somebody else needs. */
const refusedDelayMs = [2000, 5000] as const;
const refusedForMs = 5000;
/** An unresponsive Sentinel or master must not delay a failover for ioredis' default of 10 s. */
const sentinelConnectMs = 2000;

/** @param onRefused called with each error that a server answers, on any of the connections */
export function connectionFactory(
  address: RedisAddress,
  tls: RedisTls,
  sentinelPassword: string | null,
  onRefused: (error: Error) => void,
): ConnectionFactory {
  readSocketsBeforeLimits();
  let refusedAt = -Infinity;
  const delayMs = (times: number): number => {
    const [min, max] = refusedDelayMs;
    return performance.now() - refusedAt < refusedForMs ? min + Math.random() * (max - min) : reconnectDelayMs(times);
  };
  reportRefusedConnections();
  const security = address.isTls ? { tls: forRedisSockets(tlsOptions(tls)) } : {};
  const refused = (error: Error): void => {
    if (refusalOf(error) === 'maxclients') refusedAt = performance.now();
    onRefused(error);
  };
  const common: RedisOptions = {
    ...security,
    keepAlive: keepAliveMs,
    // True would reconnect this connection alone; 2 would also send the refused command again.
    reconnectOnError(error) {
      refused(error);
      return false;
    },
  };
  switch (address.kind) {
    case 'single':
      return singleFactory(address, { ...common, retryStrategy: delayMs });
    case 'sentinel':
      return sentinelFactory(address, { ...common, retryStrategy: delayMs }, sentinelPassword);
    case 'cluster':
      return clusterFactory(address, common, { refused, delayMs });
  }
}

/** The server certificate is always verified against the name or address dialled. */
export function tlsOptions({ ca, cert, key }: RedisTls): ConnectionOptions {
  return { rejectUnauthorized: true, ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
}

function singleFactory({ url }: RedisAddress, common: RedisOptions): ConnectionFactory {
  return (options) => new Redis(url, { ...options, ...common, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

function sentinelFactory({ nodes, credentials, master, db }: RedisAddress, common: RedisOptions, sentinelPassword: string | null): ConnectionFactory {
  const own: RedisOptions = {
    ...common,
    sentinels: nodes,
    name: master,
    role: 'master',
    db,
    ...credentials,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(common.tls === undefined ? {} : { sentinelTLS: common.tls, enableTLSForSentinelMode: true }),
    connectTimeout: sentinelConnectMs,
    sentinelCommandTimeout: sentinelConnectMs,
    sentinelRetryStrategy: reconnectDelayMs,
  };
  return (options) => new Redis({ ...options, ...own, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

interface ClusterHooks {
  refused: (error: Error) => void;
  delayMs: (times: number) => number;
}

function clusterFactory({ nodes, credentials, isTls }: RedisAddress, common: RedisOptions, { refused, delayMs }: ClusterHooks): ConnectionFactory {
  return ({ enableOfflineQueue, ...redisOptions }) => {
    const cluster: Cluster = new Cluster(nodes, {
      shardedSubscribers: true,
      enableOfflineQueue: enableOfflineQueue ?? false,
      scripts: redisScripts,
      // A value above 0 resends commands after a failover, so that they may run twice.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: delayMs,
      redisOptions: {
        ...redisOptions,
        ...credentials,
        ...common,
        // The connection to this node is replaced, once the client knows again which nodes are masters.
        reconnectOnError(error: Error) {
          refused(error);
          if (!isNoMaster(error)) return false;
          setImmediate(() => cluster.refreshSlotsCache());
          return 1;
        },
      },
      // A certificate is verified against the known name of the node, so names must not be resolved first.
      ...(isTls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    } as Omit<ClusterOptions, 'redisOptions'>);
    return cluster;
  };
}
