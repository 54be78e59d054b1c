import assert from 'node:assert/strict';
import { until, EventStreamClient } from '@perch/testkit';
import { useGateway, useOwner, type Owner } from './gateway-under-test.js';

describe('1,000 event streams', function () {
  this.timeout(180_000);
  const system = useGateway();
  const owner = useOwner(system);
  const clients: EventStreamClient[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await openStreams(0);
  });

  const open = async (query = '', headers: Record<string, string> = {}, { robot, apiKey } = owner): Promise<EventStreamClient> => {
    const client = await EventStreamClient.open(`${system.base}/v1/robots/${robot}/events?${query}`, { apiKey, headers });
    clients.push(client);
    return client;
  };
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name.replaceAll('{', '\\{')} (\\d+)`, 'm').exec(await system.metrics.metrics())?.[1] ?? 0);
  const openStreams = (count: number): Promise<unknown> =>
    until(async () => (await metric('perch_gateway_held_calls{kind="stream"}')) === count, {
      what: `${count} open streams`,
    });
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
    await openStreams(1000);
    // Exclude the timers of the clients, which fetch keeps in one list.
    assert.ok(timers() - timersBefore < 20, `${timers() - timersBefore} timers more`);
    assert.equal(subscriber.size, channelsBefore + 1);
    assert.ok((await connected()) <= connectionsBefore);
    const { status, body } = await refused();
    assert.deepEqual([status, body.code], [429, 'rate_limited']);

    const poll = system.ask('GET', `/v1/robots/${owner.robot}/events?seconds=30`, { apiKey: owner.apiKey });
    await until(async () => (await metric('perch_gateway_held_calls{kind="poll"}')) === 1);
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
