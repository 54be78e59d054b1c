import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { privateRedis, TcpProxy, until, type LocalRedis } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';

describe('the vitals of the connections to Redis', () => {
  let server: LocalRedis;
  let proxy: TcpProxy;
  let store: Store;
  const roundTrips: number[] = [];

  before(async () => {
    server = await privateRedis();
    proxy = await TcpProxy.open({ host: '127.0.0.1', port: server.port });
    store = await openStore({
      url: `redis://127.0.0.1:${proxy.port}`,
      instance: `test-${randomBytes(4).toString('hex')}`,
      onRoundTrip: (tookMs) => roundTrips.push(tookMs),
    });
  });
  after(async () => {
    proxy.conditions = {};
    await store?.close();
    await proxy?.close();
    await server?.stop();
  });

  const vitals = () => store.connections.vitals;

  it('measures a round trip when the store opens and with every heartbeat', async () => {
    assert.equal(vitals().isUp, true);
    const before = roundTrips.length;
    await until(() => roundTrips.length > before);
    assert.ok(roundTrips.every((tookMs) => tookMs > 0));
  });

  it('counts the reconnects of lost connections by use', async () => {
    assert.deepEqual(vitals().reconnects, { commands: 0, subscriber: 0, blocking: 0 });
    proxy.cut();
    await until(() => vitals().reconnects.commands > 0 && vitals().reconnects.subscriber > 0);
    assert.equal(vitals().reconnects.blocking, 0);
  });

  it('reports a Redis that does not reply in time as down until it replies again', async () => {
    proxy.refusing = true;
    proxy.cut();
    await until(() => !vitals().isUp);
    proxy.refusing = false;
    await until(() => vitals().isUp);
  });

  it('counts a heartbeat that arrived after other instances consider this one dead', async () => {
    await until(() =>
      store.instances.announce().then(
        () => true,
        () => false,
      ),
    );
    const before = vitals().lateHeartbeats;
    const downSince = performance.now();
    proxy.refusing = true;
    proxy.cut();
    await until(() => performance.now() - downSince > 3500);
    proxy.refusing = false;
    await until(() => vitals().lateHeartbeats > before);
  });
});
