import assert from 'node:assert/strict';
import { needsRealRedis, redisUrl, skipTest, until } from '@perch/testkit';
import { release, type ToGateway } from '@perch/schema';
import { instanceKeys } from '../src/redis/keys.js';
import { WireVersions } from '../src/messaging/wire-versions.js';
import { callsOf, closeStores, testStore } from './fixtures.js';

describe('messages between instances', () => {
  afterEach(closeStores);

  it('delivers messages to an instance in the order in which they were sent', async () => {
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gatewayMailbox.receive(receiver.instance, (message) => received.push(message.id));
    const ids = Array.from({ length: 100 }, (_, i) => `m${i}`);
    await Promise.all(ids.map((id) => sender.gatewayMailbox.send(receiver.instance, { t: 'ack', id, result: {} } satisfies ToGateway)));
    await until(() => received.length === 100);
    assert.deepEqual(received, ids);
  });

  it('publishes the messages to an instance of one tick together and in order', async function () {
    needsRealRedis(this, await redisUrl(), 'INFO commandstats');
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gatewayMailbox.receive(receiver.instance, (message) => received.push(message.id));
    const { isCluster, publishCommand } = sender.connections;
    const publishes = () => callsOf(sender.connections, publishCommand.toLowerCase());
    const before = await publishes();
    const ids = Array.from({ length: 100 }, (_, i) => `m${i}`);
    const counts = await Promise.all(
      ids.map((id) => sender.gatewayMailbox.send(receiver.instance, { t: 'ack', id, result: {} } satisfies ToGateway)),
    );
    await until(() => received.length === 100);
    assert.deepEqual(received, ids);
    assert.ok(counts.every((count) => count === (isCluster ? null : 1)));
    // Each of three Sentinels publishes a hello every 2 s, which the server counts as well.
    const hellosMax = process.env['PERCH_TEST_REDIS'] === 'sentinel' ? 3 : 0;
    const count = (await publishes()) - before;
    assert.ok(count >= 1 && count <= 1 + hellosMax, `${count} times`);
  });

  it('delivers a message that was sent directly before the store closed', async () => {
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gatewayMailbox.receive(receiver.instance, (message) => received.push(message.id));
    void sender.gatewayMailbox.send(receiver.instance, { t: 'not_here', id: 'last' });
    await sender.close();
    await until(() => received.length === 1);
  });

  it('handles every message that was confirmed to its sender, also while the receiver stops', async function () {
    const [sender, receiver] = [await testStore(), await testStore()];
    if (sender.connections.isCluster) return skipTest(this, 'a Redis Cluster does not confirm to a sender that an instance received its message');
    const [received, confirmed]: [Set<string>, string[]] = [new Set(), []];
    const end = await receiver.gatewayMailbox.receive(receiver.instance, ({ id }) => received.add(id));
    const refused: number[] = [];
    // Publishes once per event-loop iteration until some publishes found no receiver.
    const sending = (async () => {
      for (let id = 0; refused.length < 20; id += 1) {
        const receivers = sender.gatewayMailbox.send(receiver.instance, { t: 'not_here', id: String(id) });
        receivers.then(
          (count) => (count === 0 ? refused.push(id) : confirmed.push(String(id))),
          () => {},
        );
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await until(() => confirmed.length >= 200);
    await end();
    await sending;
    assert.deepEqual(
      confirmed.filter((id) => !received.has(id)),
      [],
    );
  });

  it('reports to the sender that no instance received a message to a dead one, but on a Cluster, which does not count them all', async () => {
    const sender = await testStore();
    assert.equal(await sender.gatewayMailbox.send('gw-dead', { t: 'not_here', id: 'm' }), sender.connections.isCluster ? null : 0);
  });

  it('writes version 2 to an instance whose announcement is not known, and to one without any', async () => {
    const [sender, peer] = [await testStore(), await testStore()];
    const texts: string[] = [];
    await peer.connections.subscriber.subscribe(instanceKeys.inbox('gw-silent'), (text) => void texts.push(text!));
    for (let i = 0; i < 3; i += 1) await sender.gatewayMailbox.send('gw-silent', { t: 'not_here', id: `gw-silent.${i}` });
    await until(() => texts.length === 3);
    assert.deepEqual(
      texts.map((text) => JSON.parse(text)),
      [0, 1, 2].map((i) => ({ v: 2, m: [{ t: 'not_here', id: `gw-silent.${i}` }] })),
    );
  });

  /** Announces what an instance reads. @returns the versions that a release which writes 2 and 3 would use for it */
  async function versionsFor(instance: string, announcement: string): Promise<WireVersions> {
    const { connections, instances } = await testStore();
    await connections.commands.set(instanceKeys.reads(instance), announcement, 'PX', 60_000);
    return new WireVersions(connections, instances, () => {}, [2, 3]);
  }

  it('writes the oldest version until the announcement of the receiver is known, then the newest common version', async () => {
    for (const [wire, newest] of [[[1, 2, 3, 4], 3] as const, [[1, 2], 2] as const]) {
      const versions = await versionsFor(`gw-${newest}`, JSON.stringify({ release: '0.11.0', wire }));
      assert.equal(versions.versionFor(`gw-${newest}`), 2);
      await versions.read(`gw-${newest}`);
      await until(() => versions.versionFor(`gw-${newest}`) === newest);
    }
  });

  it('writes the oldest version if the announcement cannot be read or has no version of this release', async () => {
    const announcements = ['nonsense', '7', '{"release":"1.0.0"}', '{"release":"1.0.0","wire":["3"]}', '{"release":"9.0.0","wire":[8,9]}'];
    for (const [i, announcement] of announcements.entries()) {
      const versions = await versionsFor(`gw-odd${i}`, announcement);
      for (let asked = 0; asked < 3; asked += 1) {
        assert.equal(versions.versionFor(`gw-odd${i}`), 2, announcement);
        await versions.read(`gw-odd${i}`);
      }
    }
  });

  it('announces the versions of an instance before it can receive messages, and with every heartbeat', async () => {
    const receiver = await testStore();
    await receiver.gatewayMailbox.receive(receiver.instance, () => {});
    assert.deepEqual(await receiver.wire.read(receiver.instance), { release, wire: [1, 2] });
    await receiver.connections.commands.del(instanceKeys.reads(receiver.instance));
    await until(async () => (await receiver.wire.read(receiver.instance)).release === release);
  });

  it('reads the announcement of a receiver once, without delaying a message', async function () {
    needsRealRedis(this, await redisUrl(), 'INFO commandstats');
    const [sender, receiver] = [await testStore(), await testStore()];
    let count = 0;
    await receiver.gatewayMailbox.receive(receiver.instance, () => void (count += 1));
    const gets = () => callsOf(sender.connections, 'get');
    const before = await gets();
    for (let i = 0; i < 50; i += 1) await sender.gatewayMailbox.send(receiver.instance, { t: 'not_here', id: 'm' });
    await until(() => count === 50);
    assert.equal((await gets()) - before, 1);
  });

  it('delivers the readable messages of a batch and reports each unreadable one', async () => {
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: unknown[] = [];
    const unreadable: string[] = [];
    await receiver.linkMailbox.receive(receiver.instance, (message) => received.push(message), {
      unreadable: ({ reason, id }) => unreadable.push(`${reason} ${id}`),
    });
    const close = { t: 'close', robot: 'r-1', session: null, code: 4001 };
    const publish = (batch: unknown) => sender.connections.publish(instanceKeys.inbox(receiver.instance), JSON.stringify(batch));
    await publish([['gw-a.1'], close, { t: 'dance', id: 'gw-a.2' }, 7]);
    await publish({ v: 3, m: [{ id: 'gw-a.3' }] });
    await publish('not a batch');
    await publish({ v: 2, m: [close] });
    await until(() => received.length === 2);
    assert.deepEqual(received, [close, close]);
    assert.deepEqual(unreadable, ['shape gw-a.1', 'type gw-a.2', 'shape ', 'version gw-a.3', 'batch ']);
  });
});
