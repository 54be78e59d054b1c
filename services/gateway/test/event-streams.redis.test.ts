import assert from 'node:assert/strict';
import { until, type EventStreamClient } from '@perch/testkit';
import { useEventStreams } from './event-stream-clients.js';
import { useGateway, useOwner, type Owner } from './gateway-under-test.js';

describe('event streams', function () {
  this.timeout(180_000);
  const system = useGateway();
  const owner = useOwner(system);
  const { open } = useEventStreams(system, owner);

  const ids = ({ messages }: EventStreamClient): number[] => messages.map(({ id }) => Number(id));
  const came = (client: EventStreamClient, count: number): Promise<unknown> =>
    until(() => client.records.length >= count, { what: `${count} records` });
  it('sends the kept events first, then each event as it happens, with its seq as id', async () => {
    await system.link.event(owner.robot, 'tap', { x: 1, y: 2 });
    const stream = await open();
    assert.deepEqual(
      [stream.status, stream.headers.get('content-type'), stream.headers.get('cache-control')],
      [200, 'text/event-stream', 'no-store'],
    );
    await came(stream, 1);
    await system.link.event(owner.robot, 'pat', { ms: 90 });
    await came(stream, 2);
    const { body } = await system.ask('GET', `/v1/robots/${owner.robot}/events`, { apiKey: owner.apiKey });
    assert.deepEqual(
      stream.messages.map(({ data }) => data),
      body.events,
    );
    assert.deepEqual(ids(stream), [1, 2]);
    assert.ok(stream.retryMs! >= 500 && stream.retryMs! <= 1500);
  });

  it('continues after Last-Event-ID if present, else after `after`', async () => {
    for (let i = 0; i < 4; i++) await system.link.event(owner.robot, 'tap', { x: i, y: 0 });
    const [after, last] = [await open('after=2'), await open('after=1', { 'last-event-id': '3' })];
    await came(after, 2);
    await came(last, 1);
    assert.deepEqual([ids(after), ids(last)], [[3, 4], [4]]);
  });

  it('answers 400 naming the argument for an invalid Last-Event-ID and for invalid names', async () => {
    for (const id of ['x', '-1', '1.5', '9'.repeat(17), '9007199254740993']) {
      const { status, body, closed } = await refused('', { 'last-event-id': id });
      await closed;
      assert.deepEqual([status, body.code, body.field], [400, 'bad_argument', 'Last-Event-ID'], id);
    }
    assert.equal((await refused('names=nonsense')).body.field, 'names[0]');
    assert.equal((await refused('after=x')).body.field, 'after');
  });

  it('rejects a client without access before a stream begins, as in any other call', async () => {
    const other = await system.ownerOnline();
    assert.equal((await refused('', {}, { robot: owner.robot, apiKey: `pk_${'A'.repeat(43)}` })).status, 401);
    assert.equal((await refused('', {}, { robot: owner.robot, apiKey: other.apiKey })).status, 404);
    await system.store.robots.remove(owner.account, owner.robot);
    assert.equal((await refused()).status, 404);
  });

  it('answers JSON to a client that prefers it, and to POST and HEAD', async () => {
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/event-stream',
      'text/event-stream;q=0.5, application/json',
      'text/event-stream;q=0',
    ])
      assert.deepEqual((await refused('', { accept })).body.events, [], accept);
    const stream = await open('', { accept: 'text/event-stream, application/json;q=0.9' });
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const headers = { accept: 'text/event-stream' };
    const posted = await system.ask('POST', `/v1/robots/${owner.robot}/events`, { apiKey: owner.apiKey, body: {}, headers });
    assert.deepEqual(posted.body.events, []);
    assert.equal((await system.ask('HEAD', `/v1/robots/${owner.robot}/events`, { apiKey: owner.apiKey, headers })).status, 200);
  });

  it('excludes events with other names, and sends the last number read when it ends', async () => {
    const stream = await open('names=pat');
    const all = await open();
    for (const name of ['tap', 'pat', 'tap', 'tap'] as const) await system.link.event(owner.robot, name);
    // Both streams are offered the same reads.
    await came(all, 4);
    await system.store.robots.remove(owner.account, owner.robot);
    await stream.closed;
    assert.deepEqual(
      stream.records.map(({ event, id }) => [event, id]),
      [
        ['message', '2'],
        ['end', '4'],
      ],
    );
  });

  it('sends events that are no longer kept as a gap', async () => {
    for (let i = 0; i < 12; i++) await system.link.event(owner.robot, 'tap');
    await system.store.connections.commands.xtrim(`perch:{${owner.robot}}:events`, 'MAXLEN', 3);
    const [resumed, fresh, exact] = [await open('after=4'), await open(), await open('after=9')];
    await came(resumed, 4);
    assert.deepEqual(resumed.records[0], { event: 'gap', id: '9', data: { after: 4, next: 10 } });
    assert.deepEqual(ids(resumed), [10, 11, 12]);
    for (const stream of [fresh, exact]) {
      await came(stream, 3);
      assert.deepEqual(
        stream.records.map(({ event }) => event),
        ['message', 'message', 'message'],
      );
    }
  });

  it('waits when the id is above the highest number and sends only higher ones, without a gap record', async () => {
    await system.link.event(owner.robot, 'tap');
    const stream = await open('', { 'last-event-id': '3' });
    for (let seq = 2; seq <= 5; seq++) await system.link.event(owner.robot, 'tap');
    await came(stream, 2);
    assert.deepEqual(
      stream.records.map(({ event, id }) => [event, id]),
      [
        ['message', '4'],
        ['message', '5'],
      ],
    );
  });

  it('charges one for opening a stream, and nothing later', async () => {
    const stream = await open();
    assert.equal(stream.headers.get('ratelimit'), '"actions";r=29;t=1');
    for (let i = 0; i < 20; i++) await until(() => system.link.event(owner.robot, 'tap').catch(() => null));
    await came(stream, 20);
    const next = await system.ask('GET', `/v1/robots/${owner.robot}/events?after=20`, { apiKey: owner.apiKey });
    assert.ok(Number(/r=(\d+)/.exec(next.headers.get('ratelimit')!)?.[1]) >= 28, next.headers.get('ratelimit')!);
  });

  it('ends the stream of a revoked key within about a second, and no other stream', async () => {
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account });
    const [revoked, other] = [await open(), await open('', {}, { ...owner, apiKey })];
    await system.untilHolds(2, 'stream');
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    assert.equal(await revoked.closed, true);
    assert.deepEqual(
      revoked.records.map(({ event, data }) => [event, data.ok, data.code]),
      [['end', false, 'unauthorized']],
    );
    await system.untilHolds(1, 'stream');
    await system.link.event(owner.robot, 'tap');
    await came(other, 1);
    assert.ok((await system.metric('perch_gateway_streams_ended_total{why="unauthorized"}')) >= 1);
  });

  it('ends the stream of a removed robot with unknown_robot', async () => {
    await system.link.event(owner.robot, 'tap');
    const stream = await open();
    await came(stream, 1);
    await system.store.robots.remove(owner.account, owner.robot);
    assert.equal(await stream.closed, true);
    assert.deepEqual([stream.records[1]?.event, stream.records[1]?.data.code], ['end', 'unknown_robot']);
  });

  it('sends no stream the events of another robot', async () => {
    const other = await system.ownerOnline();
    const [mine, theirs] = [await open(), await open('', {}, other)];
    await system.link.event(owner.robot, 'tap', { x: 1, y: 1 });
    await system.link.event(other.robot, 'pat', { ms: 1 });
    await came(mine, 1);
    await came(theirs, 1);
    assert.deepEqual(
      [mine, theirs].map((stream) => stream.messages.map(({ data }) => data.name)),
      [['tap'], ['pat']],
    );
  });

  it('leaves nothing behind after a client disconnects', async () => {
    const subscribed = system.store.connections.subscriber.size;
    const stream = await open();
    await system.untilHolds(1, 'stream');
    assert.equal(system.store.connections.subscriber.size, subscribed + 1);
    stream.close();
    await system.untilHolds(0, 'stream');
    await until(() => system.store.connections.subscriber.size === subscribed);
    assert.equal(await system.metric('perch_gateway_watched_robots'), 0);
    assert.ok((await system.metric('perch_gateway_streams_ended_total{why="hung_up"}')) >= 1);
  });

  it('loses, repeats and reorders no events that arrive faster than they are read', async () => {
    const streams = [await open(), await open()];
    const sent: number[] = [];
    for (let i = 0; i < 60; i++) {
      sent.push(await until(() => system.link.event(owner.robot, 'tap').catch(() => null)));
      if (i === 30) streams.push(await open());
    }
    for (const stream of streams) {
      await came(stream, 60);
      assert.deepEqual(ids(stream), sent);
    }
  });

  async function refused(query = '', headers: Record<string, string> = {}, who: Pick<Owner, 'robot' | 'apiKey'> = owner) {
    const client = await open(query, headers, { ...owner, ...who });
    await client.closed;
    return { status: client.status, body: JSON.parse(client.body), closed: client.closed };
  }
});
