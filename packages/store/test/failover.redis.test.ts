/**
 * A primary endpoint whose server changes: the address stays, the former primary becomes a replica and keeps its clients. So do the primary endpoints of
 * managed Redis, a Kubernetes Service by role and HAProxy in TCP mode. Users of ioredis (issue 144), redis-py (460), StackExchange.Redis (2264) and
 * redis-client (69) report connections that stay at the former primary.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { needsRedisServer, redisProcess, TcpProxy, until, type LocalRedis } from '@perch/testkit';
import { openStore, StoreError, type Store } from '../src/index.js';
import { connect } from '../src/redis/connections.js';

describe('a fail-over of Redis behind one address', () => {
  let servers: LocalRedis[];
  let proxy: TcpProxy;
  const stores: Store[] = [];
  const errors: string[] = [];

  before(async function () {
    needsRedisServer(this);
    servers = await Promise.all([redisProcess({ appendOnly: true }), redisProcess({ appendOnly: true })]);
    proxy = await TcpProxy.open({ host: '127.0.0.1', port: servers[0]!.port });
  });
  after(async () => {
    for (const store of stores) await store.close();
    await proxy?.close();
    for (const server of servers ?? []) await server.stop();
  });

  const open = async (): Promise<Store> => {
    const store = await openStore({
      url: `redis://127.0.0.1:${proxy.port}`,
      instance: `test-${randomBytes(4).toString('hex')}`,
      onError: ({ message }) => errors.push(message),
    });
    stores.push(store);
    return store;
  };
  /** Makes the other server the master; the proxy leads new connections to it, and leaves those that are open. */
  async function failOver(from: LocalRedis, to: LocalRedis): Promise<void> {
    await to.ask(['REPLICAOF', '127.0.0.1', String(from.port)]);
    await until(async () => (await from.ask(['INFO', 'replication'])).includes('state=online'));
    await from.ask(['FAILOVER', 'TO', '127.0.0.1', String(to.port), 'TIMEOUT', '10000']);
    await until(async () => (await from.ask(['INFO', 'replication'])).includes('role:slave'));
    proxy.target = { host: '127.0.0.1', port: to.port };
  }

  it('moves commands, subscriptions, durable writes and queues of an instance to the new master, and back', async () => {
    const [one, other] = servers as [LocalRedis, LocalRedis];
    const [store, sender] = [await open(), await open()];
    const { account } = await store.accounts.create({ email: `${randomBytes(4).toString('hex')}@example.org` });
    await store.apiKeys.create({ account, name: 'before' });
    const blocking = store.connections.duplicate({ commandTimeout: undefined, socketTimeout: undefined } as never);
    await until(() => blocking.status === 'ready');
    const received: string[] = [];
    await store.gatewayMailbox.receive(store.instance, ({ id }) => void received.push(id));

    for (const [round, [from, to]] of [
      [one, other],
      [other, one],
    ].entries() as Iterable<[number, [LocalRedis, LocalRedis]]>) {
      const popped = blocking.bzpopmin(`perch:{test}:${round}`, 0).catch((error: Error) => error);
      await failOver(from, to);
      // Its blocking read, the health of each instance, or the first command meets the refusal.
      await until(() => stores.every(({ connections }) => connections.vitals.isUp && connections.vitals.reconnects.subscriber > round), {
        what: 'the connections of both instances to lead to the new master',
      });
      assert.ok(await popped);
      assert.equal(store.trouble(), null);
      assert.equal((await store.apiKeys.create({ account, name: `after ${round}` })).apiKey.length, 46);
      await until(async () => {
        await sender.gatewayMailbox.send(store.instance, { t: 'not_here', id: `round ${round}` });
        return received.includes(`round ${round}`);
      });
      assert.ok(store.connections.vitals.refusals.list().some(([reason, isRefused]) => isRefused && ['READONLY', 'other'].includes(reason)));
      const clients = await from.ask(['CLIENT', 'LIST', 'TYPE', 'normal']);
      assert.doesNotMatch(clients, /cmd=(?:set|time|evalsha|bzpopmin)/, 'a connection was left at the former master');
      assert.doesNotMatch(await from.ask(['CLIENT', 'LIST', 'TYPE', 'pubsub']), /cmd=/);
    }
    blocking.disconnect();
    assert.ok(
      errors.some((message) => /is not the master here/.test(message)),
      errors.join('\n'),
    );
  });

  it('does not say that nobody received a message while the former master may hand it on to a subscriber that is still there', async () => {
    const [one, other] = servers.toSorted(({ port }) => (port === proxy.target.port ? -1 : 1)) as [LocalRedis, LocalRedis];
    const sender = await open();
    assert.equal(await sender.connections.publish('perch:nobody', 'x'), 0, 'of a master without a past it is certain');
    // The subscriber of an instance that has not noticed yet.
    const receiver = await connect({ url: one.url });
    const received: (string | null)[] = [];
    await receiver.subscriber.subscribe('perch:late', (message) => received.push(message));
    await failOver(one, other);
    await until(() => sender.connections.vitals.isUp && sender.connections.vitals.reconnects.commands > 0);
    const counts: (number | null)[] = [];
    await until(
      async () => {
        counts.push(await sender.connections.publish('perch:late', 'handed on'));
        return received.length > 0;
      },
      { what: 'the former master to be a replica that hands messages on' },
    );
    assert.deepEqual([...new Set(counts)], [null]);
    await receiver.close();
  });

  it('a command that the former master refused is not done, and is not sent again', async () => {
    const [one, other] = servers.toSorted(({ port }) => (port === proxy.target.port ? -1 : 1)) as [LocalRedis, LocalRedis];
    const store = await open();
    const { commands } = store.connections;
    await failOver(one, other);
    const refused = await store.connections.script('instanceBeat', ['perch:{test}:beat'], [1, 60_000]).catch((error: unknown) => error);
    assert.ok(refused instanceof StoreError);
    assert.deepEqual([refused.kind, refused.fate], ['unavailable', 'not_done']);
    await until(() => store.connections.vitals.isUp && store.connections.vitals.reconnects.commands > 0);
    assert.equal(await commands.get('perch:{test}:beat'), null);
  });
});
