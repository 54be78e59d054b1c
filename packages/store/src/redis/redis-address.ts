/** Which Redis a URL leads to: one server, a master that Sentinels watch, or a Redis Cluster; with or without TLS. */
import type { ClusterNode } from 'ioredis';

export interface RedisAddress {
  kind: 'single' | 'sentinel' | 'cluster';
  isTls: boolean;
  /** Of a single server only: its URL without TLS, as ioredis reads it. */
  url: string;
  /** The Sentinels, or the nodes of the Cluster that are asked for the others. */
  nodes: { host: string; port: number }[];
  /** For the servers, not for the Sentinels; empty: none. */
  credentials: { username?: string; password?: string };
  /** The name under which the Sentinels know the master. */
  master: string;
  db: number;
}

const sentinelPort = 26379;
const serverPort = 6379;

/** @throws TypeError where the URL is none of ours */
export function redisAddress(url: string): RedisAddress {
  const [, tls = '', kind = '', hosts = '', path = ''] = /^redis(s?)(-sentinel|-cluster)?:\/\/([^/]*)(?:\/([^?#]*))?/i.exec(url) ?? [];
  if (hosts === '') throw new TypeError('not a URL of a Redis');
  const isTls = tls !== '';
  const common = { isTls, url: url.replace(/^rediss:/i, 'redis:'), nodes: [], credentials: {}, master: '', db: 0 };
  if (kind === '') return { ...common, kind: 'single' };
  const urls = hosts.split(',').map((host) => new URL(`redis://${host}`));
  const defaultPort = kind === '-sentinel' ? sentinelPort : serverPort;
  const nodes = urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }));
  // One user for all servers, named before the first host.
  const { username, password } = urls[0]!;
  const credentials = password === '' ? {} : { username: decodeURIComponent(username || 'default'), password: decodeURIComponent(password) };
  if (kind === '-cluster') return { ...common, kind: 'cluster', nodes: nodes satisfies ClusterNode[], credentials };
  const [master = '', db = '0'] = path.split('/');
  return { ...common, kind: 'sentinel', nodes, credentials, master, db: Number(db) };
}
