import type { ClusterNode } from 'ioredis';

export interface RedisAddress {
  kind: 'single' | 'sentinel' | 'cluster';
  isTls: boolean;
  /** The URL names a user other than `default`. */
  hasUser: boolean;
  /** As which the servers are asked; null: neither user nor password. */
  user: string | null;
  /** Single server only: its URL without TLS, as ioredis parses it. */
  url: string;
  nodes: { host: string; port: number }[];
  /** Not of the Sentinels; empty: none. */
  credentials: { username?: string; password?: string };
  master: string;
  db: number;
}

const sentinelPort = 26379;
const serverPort = 6379;

/** @throws TypeError when the URL has none of the supported forms */
export function redisAddress(url: string): RedisAddress {
  const [, tls = '', kind = '', hosts = '', path = ''] = /^redis(s?)(-sentinel|-cluster)?:\/\/([^/]*)(?:\/([^?#]*))?/i.exec(url) ?? [];
  if (hosts === '') throw new TypeError('not a Redis URL');
  const isTls = tls !== '';
  const { username, password } = new URL(`redis://${hosts.split(',')[0]}`);
  const hasUser = username !== '' && username !== 'default';
  // ioredis reads them there, too.
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  const user = decodeURIComponent(username) || query.get('username') || (password !== '' || query.has('password') ? 'default' : null);
  const common = { isTls, hasUser, user, url: url.replace(/^rediss:/i, 'redis:'), nodes: [], credentials: {}, master: '', db: 0 };
  if (kind === '') return { ...common, kind: 'single' };
  // All servers share the user of the first host.
  const urls = hosts.split(',').map((host) => new URL(`redis://${host}`));
  const defaultPort = kind === '-sentinel' ? sentinelPort : serverPort;
  const nodes = urls.map(({ hostname, port }) => ({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }));
  const credentials = password === '' ? {} : { username: decodeURIComponent(username || 'default'), password: decodeURIComponent(password) };
  if (kind === '-cluster') return { ...common, kind: 'cluster', nodes: nodes satisfies ClusterNode[], credentials };
  const [master = '', db = '0'] = path.split('/');
  return { ...common, kind: 'sentinel', nodes, credentials, master, db: Number(db) };
}
