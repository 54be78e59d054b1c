/** A real Redis Cluster on loopback: masters without replicas. */
import { askRedis, freePort, type LocalRedis } from '@perch/local-redis';
import { redisProcess } from './redis-servers.js';
import { until } from './until.js';

export interface LocalRedisCluster {
  /** `redis-cluster://127.0.0.1:P1,127.0.0.1:P2,...` as `openStore` takes it. */
  readonly url: string;
  readonly masters: readonly LocalRedis[];
  stop(): Promise<void>;
}

const slotCount = 16384;

/** Starts the masters, shares the slots out and waits until every node sees a whole cluster. */
export async function redisCluster({ masters: count = 3 }: { masters?: number } = {}): Promise<LocalRedisCluster> {
  const masters = await Promise.all(Array.from({ length: count }, () => startNode()));
  const stop = async (): Promise<void> => {
    await Promise.all(masters.map((node) => node.stop()));
  };
  try {
    const first = masters[0];
    if (first === undefined) throw new Error('a cluster needs at least one master');
    const share = Math.ceil(slotCount / count);
    for (const [index, node] of masters.entries()) {
      const last = Math.min(slotCount, (index + 1) * share) - 1;
      await askRedis(node.port, ['CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last)]);
      await askRedis(node.port, ['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)]);
    }
    for (const node of masters.slice(1)) {
      const bus = await busPort(node);
      await askRedis(first.port, ['CLUSTER', 'MEET', '127.0.0.1', String(node.port), bus]);
    }
    for (const node of masters) {
      await until(async () => isWhole(await askRedis(node.port, ['CLUSTER', 'INFO']), count), { timeoutMs: 15_000, what: 'the cluster to form' });
    }
    return { url: `redis-cluster://${masters.map((node) => `127.0.0.1:${node.port}`).join(',')}`, masters, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(): Promise<LocalRedis> {
  return redisProcess({
    settings: { 'cluster-enabled': 'yes', 'cluster-node-timeout': '2000', 'cluster-port': String(await freePort()) },
  });
}

async function busPort(node: LocalRedis): Promise<string> {
  const own = await askRedis(node.port, ['CLUSTER', 'NODES']);
  const bus = /@(\d+)/.exec(own)?.[1];
  if (bus === undefined) throw new Error(`no bus port in: ${own}`);
  return bus;
}

function isWhole(info: string, count: number): boolean {
  return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`) && info.includes(`cluster_slots_ok:${slotCount}`);
}
