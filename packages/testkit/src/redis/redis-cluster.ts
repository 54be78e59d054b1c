import { freePort, type LocalRedis } from '@perch/local-redis';
import { redisProcess } from './redis-servers.js';
import type { TestRedisUsers } from './redis-users.js';
import { until } from '../until.js';

export interface RedisClusterOptions {
  /** Default: 3. */
  masters?: number;
  /** Default: 0. When a master fails, a replica is promoted after about 3 s. */
  replicas?: number;
  /** A killed node keeps its data over a restart. Default: false. */
  appendOnly?: boolean;
  /** For 127.0.0.1; without `ca` the certificate itself. The nodes use TLS among each other too. `clients`: must clients present a certificate? */
  tls?: { certificate: string; key: string; ca?: string; clients?: 'yes' | 'no' };
  settings?: Readonly<Record<string, string>>;
  /** Default: none, so that clients need no password. */
  users?: TestRedisUsers;
}

export interface LocalRedisCluster {
  /** `redis-cluster://127.0.0.1:P1,127.0.0.1:P2,...` for `openStore`; with TLS `rediss-cluster://`, with users as `perch`. */
  readonly url: string;
  /** The initial masters first. */
  readonly nodes: readonly LocalRedis[];
  readonly masters: readonly LocalRedis[];
  /** All slots are served, every node sees all others, the number of masters is right, and every replica is in sync. */
  whole(): Promise<boolean>;
  stop(): Promise<void>;
}

const slotCount = 16384;

/** Resolves when every node sees a healthy cluster. */
export async function redisCluster(options: RedisClusterOptions = {}): Promise<LocalRedisCluster> {
  const { masters: count = 3, replicas = 0, appendOnly = false, tls, settings = {}, users } = options;
  const tlsPorts = new Map<LocalRedis, number>();
  const nodes = await Promise.all(
    Array.from({ length: count * (1 + replicas) }, async () => {
      const tlsPort = tls === undefined ? 0 : await freePort();
      const node = await startNode(appendOnly, users, { ...settings, ...(tls === undefined ? {} : tlsSettings(tls, tlsPort)) });
      tlsPorts.set(node, tlsPort);
      return node;
    }),
  );
  const masters = nodes.slice(0, count);
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  const roles = (): Promise<(Role | null)[]> => Promise.all(nodes.map((node) => roleIn(node, nodes.length).catch(() => null)));
  // A restarted master considers itself master until it learns that a replica was promoted, hence the count.
  const whole = async (): Promise<boolean> => {
    const now = await roles();
    return now.every((role) => role !== null) && now.filter((role) => role === 'master').length === count;
  };
  try {
    const first = masters[0];
    if (first === undefined) throw new Error('a cluster needs at least one master');
    await shareSlots(masters);
    for (const node of nodes.slice(1)) {
      const bus = await busPort(node);
      await first.ask(['CLUSTER', 'MEET', '127.0.0.1', String(tlsPorts.get(node) || node.port), bus]);
    }
    const ready = { what: 'the cluster to form' };
    await until(async () => (await roles()).every((role) => role !== null), ready);
    for (const [index, node] of nodes.slice(count).entries()) {
      await node.ask(['CLUSTER', 'REPLICATE', await masters[index % count]!.ask(['CLUSTER', 'MYID'])]);
    }
    if (replicas > 0) await until(async () => (await replicasKnown(nodes, count * replicas)) && whole(), ready);
    const scheme = tls === undefined ? 'redis-cluster' : 'rediss-cluster';
    return {
      url: `${scheme}://${users?.credentials ?? ''}${nodes.map((node) => `127.0.0.1:${tlsPorts.get(node) || node.port}`).join(',')}`,
      nodes,
      masters,
      whole,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function tlsSettings({ certificate, key, ca, clients }: NonNullable<RedisClusterOptions['tls']>, port: number): Record<string, string> {
  return {
    'tls-port': String(port),
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': ca ?? certificate,
    'tls-auth-clients': clients ?? 'no',
    'tls-cluster': 'yes',
  };
}

async function startNode(appendOnly: boolean, users: TestRedisUsers | undefined, settings: Record<string, string>): Promise<LocalRedis> {
  return redisProcess({
    appendOnly,
    ...(users === undefined ? {} : { admin: users.admin }),
    settings: {
      'cluster-enabled': 'yes',
      'cluster-node-timeout': '2000',
      'cluster-port': String(await freePort()),
      'repl-diskless-sync-delay': '0',
      ...users?.settings,
      ...settings,
    },
  });
}

async function shareSlots(masters: readonly LocalRedis[]): Promise<void> {
  const share = Math.ceil(slotCount / masters.length);
  for (const [index, node] of masters.entries()) {
    const last = Math.min(slotCount, (index + 1) * share) - 1;
    await node.ask(['CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last)]);
    await node.ask(['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)]);
  }
}

async function busPort(node: LocalRedis): Promise<string> {
  const own = await node.ask(['CLUSTER', 'NODES']);
  const bus = /@(\d+)/.exec(own)?.[1];
  if (bus === undefined) throw new Error(`no bus port in: ${own}`);
  return bus;
}

async function replicasKnown(nodes: readonly LocalRedis[], count: number): Promise<boolean> {
  const seen = await Promise.all(nodes.map((node) => node.ask(['CLUSTER', 'NODES'])));
  return seen.every((text) => text.split('\n').filter((line) => /\bslave\b/.test(line)).length === count);
}

type Role = 'master' | 'replica';

/** Null: the node does not see a healthy cluster. */
async function roleIn(node: LocalRedis, count: number): Promise<Role | null> {
  const info = await node.ask(['CLUSTER', 'INFO']);
  if (!info.includes('cluster_state:ok') || !info.includes(`cluster_known_nodes:${count}`) || !info.includes(`cluster_slots_ok:${slotCount}`)) {
    return null;
  }
  if (/\b(?:fail|fail\?|handshake)\b/.test(await node.ask(['CLUSTER', 'NODES']))) return null;
  const replication = await node.ask(['INFO', 'replication']);
  if (replication.includes('role:master')) return 'master';
  return replication.includes('master_link_status:up') ? 'replica' : null;
}
