import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { EventStreamClient, needsRealRedis, redisUrl, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { useSystem } from '../fixture/system/system-under-test.js';

describe('slow readers of event streams (2 gateways, 1 robot-link, 1 renderer)', () => {
  const system = useSystem({ gateways: 2, links: 1, renderers: 1 });

  const eventsOf = (address: string, id: string): string => `${address}/v1/robots/${id}/events`;

  it('a stream reader that does not read is disconnected and continues with its last id; an idle stream gets a comment every 15 s', async function () {
    this.timeout(240_000);
    needsRealRedis(this, await redisUrl(), 'the speed for a stream of 9,000 events');
    const tenant = await system.tenant();
    const open = (robot: string): Promise<EventStreamClient> => EventStreamClient.open(eventsOf(system.gateway(0), robot), { apiKey: tenant.key });
    const { robot: id } = await system.store.robots.create({ account: tenant.account });
    const quiet = await system.store.robots.create({ account: tenant.account });
    const { commands } = system.store.connections;
    // More than the socket buffers of a loopback connection hold.
    const many = 9_000;
    const data = JSON.stringify({ uid: '04', text: 'x'.repeat(900) });
    for (let seq = 1; seq <= many; seq++) void commands.xadd(`perch:{${id}}:events`, `${seq}-0`, 'n', 'tag', 'd', data, 't', '1790000000000');
    await commands.hset(`perch:{${id}}:log`, 'seq', many);

    const idle = await open(quiet.robot);
    const tooSlow = (): Promise<number> => metric(system.cluster.gateways[0]!.admin, 'perch_gateway_streams_ended_total', { why: 'too_slow' });
    const before = await tooSlow();
    const { port } = new URL(system.gateway(0));
    const socket = connect(Number(port), '127.0.0.1');
    socket.pause();
    socket.write(`GET /v1/robots/${id}/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: Bearer ${tenant.key}\r\n\r\n`);
    const other = await open(id);
    await until(async () => (await tooSlow()) === before + 1, { timeoutMs: 60_000, what: 'the slow reader to be cut after 10 s' });
    await until(() => other.records.length === many, { timeoutMs: 60_000, what: 'the other reader to have all' });
    other.close();

    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString('latin1')));
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    const last = Number([...text.matchAll(/^id: (\d+)\ndata: .*\}\n\n/gm)].at(-1)![1]);
    assert.ok(last > 10 && last < many, `${last} of ${many} came`);
    const resumed = await EventStreamClient.open(eventsOf(system.gateway(1), id), { apiKey: tenant.key, headers: { 'last-event-id': String(last) } });
    await until(() => resumed.records.length >= many - last);
    assert.deepEqual(
      resumed.messages.map(({ id: seq }) => Number(seq)),
      Array.from({ length: many - last }, (_, i) => last + 1 + i),
    );
    resumed.close();

    await until(() => idle.comments === 1, { timeoutMs: 60_000, what: 'a comment after 15 s' });
    assert.deepEqual(idle.records, []);
    idle.close();
  });
});
