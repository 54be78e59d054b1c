import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsRedisServer, redisCluster, until, type LocalRedis, type LocalRedisCluster } from '@perch/testkit';
import type { Cluster } from 'ioredis';
import { newId, sha256Short } from '../src/redis/ids.js';
import { openStore, UncertainWrite, type Store } from '../src/index.js';
import { apiKeyRecord } from '../src/redis/keys.js';
import { masterOf } from '../src/redis/cluster-nodes.js';

describe('a failover of a Cluster right after a revocation', () => {
  let cluster: LocalRedisCluster;
  let store: Store;
  const warnings: string[] = [];

  before(async function () {
    needsRedisServer(this);
    cluster = await redisCluster({ replicas: 1, appendOnly: true });
    store = await openStore({ url: cluster.url, instance: `test-${newId('k')}`, onError: ({ message }) => warnings.push(message) });
  });
  after(async () => {
    await store?.close();
    await cluster?.stop();
  });

  async function madeKey() {
    const account = newId('a');
    const { apiKey, id } = await store.apiKeys.create({ account });
    const address = masterOf(store.connections.commands as Cluster, apiKeyRecord(sha256Short(apiKey)));
    const master = cluster.nodes.find(({ port }) => address === `127.0.0.1:${port}`)!;
    const others = await Promise.all(cluster.nodes.map(async (node) => ({ node, info: await node.ask(['INFO', 'replication']) })));
    const replicas = others.filter(({ info }) => new RegExp(`master_port:${master.port}\\b`).test(info)).map(({ node }) => node);
    assert.equal(replicas.length, 1);
    return { account, apiKey, id, master, replica: replicas[0]! };
  }

  const works = async (apiKey: string): Promise<boolean> => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
  const isMaster = async (node: LocalRedis): Promise<boolean> => (await node.ask(['INFO', 'replication'])).includes('role:master');

  it('leaves the key revoked: the answer waits until the replica has the revocation', async () => {
    const { account, apiKey, id, master, replica } = await madeKey();
    await replica.kill('SIGSTOP');
    let isAnswered = false;
    const revoked = store.apiKeys.revoke(account, id).finally(() => (isAnswered = true));
    revoked.catch(() => {});
    // Less than the time after which the replica counts as failed.
    await sleep(500);
    const wasAnswered = isAnswered;
    await replica.kill('SIGCONT');
    assert.equal(await revoked, true);
    await master.kill();
    assert.equal(wasAnswered, false);
    await until(() => isMaster(replica), { what: 'the replica to be promoted' });
    assert.equal(await until(() => works(apiKey).then(String, () => null), { what: 'the key to be checked' }), 'false');
    await master.restart();
    await until(() => cluster.whole(), { what: 'the Cluster to be whole again', timeoutMs: 60_000 });
  });

  it('answers that the outcome is unknown while the replica does not confirm the revocation', async () => {
    const { account, id, replica } = await madeKey();
    await replica.kill('SIGSTOP');
    try {
      await assert.rejects(
        store.apiKeys.revoke(account, id),
        (error: unknown) => error instanceof UncertainWrite && /No replica/.test(error.message),
      );
    } finally {
      await replica.kill('SIGCONT');
    }
    await until(() => cluster.whole(), { what: 'the Cluster to be whole again', timeoutMs: 60_000 });
  });

  it('answers at once, and warns once, when the master has no connected replica', async () => {
    const { account, id, master, replica } = await madeKey();
    assert.ok(!warnings.some((warning) => warning.includes('no connected replica')), warnings.join('\n'));
    await replica.kill('SIGKILL');
    await until(async () => (await master.ask(['INFO', 'replication'])).includes('connected_slaves:0'), { what: 'the replica to be gone' });
    assert.equal(await store.apiKeys.revoke(account, id), true);
    await store.apiKeys.create({ account });
    assert.equal(warnings.filter((warning) => warning.includes('no connected replica')).length, 1);
  });
});
