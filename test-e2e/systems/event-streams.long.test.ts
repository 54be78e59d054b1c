import assert from 'node:assert/strict';
import { EventStreamClient, until, type StreamRecord } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const kept = 40;

/** Reconnects after the server's `retry` time with its last id, until it is stopped. */
class Follower {
  readonly records: StreamRecord[] = [];
  connections = 0;
  readonly #addressOf: (connection: number) => string;
  readonly #key: string;
  #stream: EventStreamClient | null = null;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(key: string, addressOf: (connection: number) => string) {
    this.#key = key;
    this.#addressOf = addressOf;
    this.#done = this.#follow();
  }

  get ids(): number[] {
    return this.records.filter(({ event }) => event === 'message').map(({ id }) => Number(id));
  }

  cut(): void {
    this.#stream?.close();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.cut();
    await this.#done;
  }

  async #follow(): Promise<void> {
    let lastEventId = '';
    while (!this.#stopped) {
      try {
        const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
        const stream = await EventStreamClient.open(this.#addressOf(this.connections++), { apiKey: this.#key, headers });
        assert.equal(stream.status, 200);
        this.#stream = stream;
        await stream.closed;
        this.records.push(...stream.records);
        if (stream.lastEventId !== '') lastEventId = stream.lastEventId;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('event streams (2 gateways, 1 robot-link, 1 renderer)', () => {
  const system = useSystem({ gateways: 2, links: 1, renderers: 1, env: { PERCH_EVENTS_KEPT: String(kept) } });
  afterEach(async () => {
    for (const gateway of system.cluster.gateways) if (!gateway.running) await system.cluster.replace(gateway);
  });

  const eventsOf = (address: string, id: string): string => `${address}/v1/robots/${id}/events`;
  const running = (): string[] => system.cluster.gateways.filter((gateway) => gateway.running).map(({ address }) => address);
  const open = (tenant: Tenant, id: string, gateway = 0, query = ''): Promise<EventStreamClient> =>
    EventStreamClient.open(`${eventsOf(system.gateway(gateway), id)}${query}`, { apiKey: tenant.key });
  const lastSeq = async (id: string): Promise<number> => (await system.store.events.read(id, {})).lastSeq;
  const stored = (id: string, seq: number): Promise<unknown> => until(async () => (await lastSeq(id)) === seq, { what: `event ${seq}` });

  it('a stream reader sees every event once although its gateway is killed, its connection is cut and it reconnects elsewhere', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const reader = new Follower(tenant.key, (connection) => eventsOf(running()[connection % running().length]!, id));
    const pats = 36;
    for (let i = 1; i <= pats; i++) {
      await robot.pat();
      if (i % 9 === 0) reader.cut();
      if (i === 14) system.cluster.gateways[0]!.signal('SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await stored(id, pats + 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await reader.stop();
    assert.ok(reader.connections >= 5, `${reader.connections} connections`);
    assert.deepEqual(
      reader.ids,
      Array.from({ length: pats + 1 }, (_, i) => i + 1),
    );
    assert.deepEqual(
      reader.records.filter(({ event }) => event === 'gap'),
      [],
    );
    const { body } = await tenant.api(1).get(`/v1/robots/${id}/events`);
    assert.deepEqual(
      reader.records.filter(({ event }) => event === 'message').map(({ data }) => data),
      body.events,
    );
  });

  it('a stream reader that reconnects too late is sent the gap and continues after it', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const before = await open(tenant, id);
    await until(() => before.messages.length === 1);
    before.close();
    await before.closed;
    for (let i = 0; i < kept + 10; i++) {
      await robot.pat();
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await stored(id, kept + 11);
    const after = await EventStreamClient.open(eventsOf(system.gateway(1), id), {
      apiKey: tenant.key,
      headers: { 'last-event-id': before.lastEventId },
    });
    await until(() => after.records.length === kept + 1);
    assert.deepEqual(after.records[0], { event: 'gap', id: '11', data: { after: 1, next: 12 } });
    assert.deepEqual(
      after.messages.map(({ id: seq }) => Number(seq)),
      Array.from({ length: kept }, (_, i) => 12 + i),
    );
    after.close();
  });

  it('a draining gateway sends a last event and closes its streams, and readers continue elsewhere without a loss', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const stream = await open(tenant, id);
    await robot.pat();
    await until(() => stream.messages.length === 2);
    const stopping = system.cluster.gateways[0]!.stop();
    assert.equal(await stream.closed, true);
    const last = stream.records.at(-1)!;
    assert.deepEqual([last.event, last.id, last.data.ok, last.data.code], ['end', '2', false, 'draining']);
    assert.ok(stream.retryMs! > 0);
    await robot.pat();
    const next = await EventStreamClient.open(eventsOf(system.gateway(1), id), { apiKey: tenant.key, headers: { 'last-event-id': last.id } });
    await until(() => next.messages.length === 1);
    assert.equal(next.messages[0]!.id, '3');
    assert.deepEqual(await stopping.then(({ code, signal }) => [code, signal]), [0, null]);
    next.close();
  });

  it("no account can read the stream of another account's robot, and a revoked key's stream ends at once on every gateway", async () => {
    const [one, two] = [await system.tenant(), await system.tenant()];
    const [mine, theirs] = [await one.robot({ instant: true }), await two.robot({ instant: true })];
    const stranger = await EventStreamClient.open(eventsOf(system.gateway(0), theirs.id), { apiKey: one.key });
    assert.equal(stranger.status, 404);
    const streams = [await open(one, mine.id, 0), await open(one, mine.id, 1), await open(two, theirs.id, 0)];
    await until(() => streams.every(({ messages }) => messages.length === 1));
    await theirs.robot.pat();
    await until(() => streams[2]!.messages.length === 2);
    await system.store.apiKeys.revoke(one.account, one.keyId);
    for (const stream of streams.slice(0, 2)) {
      assert.equal(await stream.closed, true);
      assert.deepEqual(
        stream.records.map(({ event, data }) => [event, data.name ?? data.code]),
        [
          ['message', 'connected'],
          ['end', 'unauthorized'],
        ],
      );
    }
    await theirs.robot.pat();
    await until(() => streams[2]!.messages.length === 3);
    streams[2]!.close();
    for (const { admin } of system.cluster.gateways)
      await until(async () => (await metric(admin, 'perch_gateway_held_calls', { kind: 'stream' })) === 0, { what: 'the streams to be gone' });
  });
});
