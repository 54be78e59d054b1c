import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useEventStreams } from './event-stream-clients.js';
import { useGateway, useOwner, type Owner } from './gateway-under-test.js';

describe('1,000 event streams', function () {
  this.timeout(180_000);
  const system = useGateway();
  const owner = useOwner(system);
  const { open, clients } = useEventStreams(system, owner);

  const bucketKey = async (): Promise<string> =>
    `perch:{${(await system.store.connections.commands.hget(`perch:{${owner.account}}:api-keys`, owner.keyId))!.split(' ')[0]}}`;

  it('allows 1,000 streams per key, which share one subscription, one reader and one timer with polls, and no Redis connection of their own', async () => {
    const { commands, subscriber } = system.store.connections;
    const connected = async (): Promise<number> =>
      Number(/connected_clients:(\d+)/.exec(await (commands as { info(section: string): Promise<string> }).info('clients'))?.[1]);
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const [connectionsBefore, channelsBefore] = [await connected(), subscriber.size];
    const record = await bucketKey();
    await open();
    const timersBefore = timers();
    for (let i = 0; i < 37; i++) {
      await commands.hdel(record, 'bucket');
      await Promise.all(Array.from({ length: 27 }, () => open()));
    }
    await commands.hdel(record, 'bucket');
    assert.equal(clients.length, 1000);
    await system.untilHolds(1000, 'stream');
    // Exclude the timers of the clients, which fetch keeps in one list.
    assert.ok(timers() - timersBefore < 20, `${timers() - timersBefore} timers more`);
    assert.equal(subscriber.size, channelsBefore + 1);
    assert.ok((await connected()) <= connectionsBefore);
    const { status, body } = await refused();
    assert.deepEqual([status, body.code], [429, 'rate_limited']);

    const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=30`, { apiKey: owner.apiKey });
    await system.untilHolds(1, 'poll');
    let reads = 0;
    const read = system.store.events.read.bind(system.store.events);
    system.store.events.read = (...args) => {
      reads++;
      return read(...args);
    };
    try {
      const seq = await system.link.event(owner.robot, 'tap');
      assert.equal((await poll).body.events[0].seq, seq);
      await until(() => clients.slice(0, 1000).every(({ messages }) => messages.length === 1));
      assert.ok(reads <= 3, `${reads} reads`);
    } finally {
      system.store.events.read = read;
    }
  });

  async function refused(query = '', headers: Record<string, string> = {}, who: Pick<Owner, 'robot' | 'apiKey'> = owner) {
    const client = await open(query, headers, { ...owner, ...who });
    await client.closed;
    return { status: client.status, body: JSON.parse(client.body), closed: client.closed };
  }
});
