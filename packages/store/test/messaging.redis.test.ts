import assert from 'node:assert/strict';
import { needsRealRedis, redisUrl, until } from '@perch/testkit';
import type { ToGateway } from '@perch/schema';
import { closeStores, testStore } from './fixtures.js';

describe('messages between instances', () => {
  afterEach(closeStores);

  it('messages to an instance arrive in the order in which they were sent', async () => {
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gateways.receive(receiver.instance, (message) => received.push(message.id));
    const ids = Array.from({ length: 100 }, (_, i) => `m${i}`);
    await Promise.all(ids.map((id) => sender.gateways.send(receiver.instance, { t: 'ack', id, result: {} } satisfies ToGateway)));
    await until(() => received.length === 100);
    assert.deepEqual(received, ids);
  });

  it('messages that are sent to an instance in one tick arrive in order and are one publish', async function () {
    needsRealRedis(this, await redisUrl(), 'INFO commandstats');
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gateways.receive(receiver.instance, (message) => received.push(message.id));
    const publishes = async () => Number(/cmdstat_publish:calls=(\d+)/.exec(await sender.connections.commands.info('commandstats'))?.[1] ?? 0);
    const before = await publishes();
    const ids = Array.from({ length: 100 }, (_, i) => `m${i}`);
    const counts = await Promise.all(ids.map((id) => sender.gateways.send(receiver.instance, { t: 'ack', id, result: {} } satisfies ToGateway)));
    await until(() => received.length === 100);
    assert.deepEqual(received, ids);
    assert.ok(counts.every((count) => count === 1));
    assert.equal((await publishes()) - before, 1);
  });

  it('a last word arrives that was said just before the store closed', async () => {
    const [sender, receiver] = [await testStore(), await testStore()];
    const received: string[] = [];
    await receiver.gateways.receive(receiver.instance, (message) => received.push(message.id));
    void sender.gateways.send(receiver.instance, { t: 'not_here', id: 'last' });
    await sender.close();
    await until(() => received.length === 1);
  });

  it('a message to a dead instance is received by none, and the sender is told', async () => {
    const sender = await testStore();
    assert.equal(await sender.gateways.send('gw-dead', { t: 'not_here', id: 'm' }), 0);
  });
});
