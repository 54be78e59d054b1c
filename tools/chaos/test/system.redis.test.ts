/** The system under test: starts, restarts lost instances, and undergoes each fault. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { needsRedisServer, until } from '@perch/testkit';
import { Random } from '../src/random.js';
import { wellThroughout } from '../src/system/instance.js';
import { socketsOf } from '../src/system/sockets.js';
import { startSystem, type System } from '../src/system/system.js';
import { accountFaults } from './faults/account-faults.js';
import { FaultTestEnvironment } from './faults/fault-environment.js';
import { connectionFaults } from './faults/connection-faults.js';
import { operationFaults } from './faults/operation-faults.js';
import { processFaults } from './faults/process-faults.js';
import { redisFaults } from './faults/redis-faults.js';

describe('a system of services', function () {
  this.timeout(60_000);
  let system: System;
  let environment: FaultTestEnvironment;
  let store: Store | undefined;
  const crashes: string[] = [];

  before(async function () {
    needsRedisServer(this);
    system = await startSystem({
      redis: 'single',
      env: process.env,
      random: new Random('test'),
      dir: await mkdtemp(join(tmpdir(), 'perch-chaos-')),
      onCrash: (place, how) => crashes.push(`${place} ${how}`),
    });
    await system.settled(20_000);
    await system.recordBaseline();
    store = await openStore({ url: system.redis.url, instance: 'chaos-test' });
    environment = new FaultTestEnvironment(system, store);
  });

  after(async () => {
    await store?.close();
    await system?.stop();
  });

  it('can be reached through its proxies', async () => {
    assert.equal(system.instances.length, 7);
    for (const { url } of system.gateways) assert.equal((await fetch(`${url}/v1/robots`)).status, 401);
    for (const { redis } of system.instances) assert.ok(redis!.connections.length >= 2, 'both lines to Redis');
    assert.deepEqual(await system.leaks(10_000), []);
  });

  it('records when an instance ran and when it did not', async () => {
    const link = system.links[1]!;
    const { pid, url, running } = link;
    const from = performance.now();
    assert.ok(wellThroughout(link, from, from));
    await link.kill();
    assert.equal(link.pid, 0);
    assert.equal(running.well, false);
    await system.settled(20_000);
    assert.notEqual(link.pid, pid);
    assert.equal(link.url, url);
    assert.ok(!running.throughout(from, performance.now()));
    assert.ok(wellThroughout(link, performance.now(), performance.now()));
    assert.deepEqual(crashes, []);
  });

  it('reports a process that ends unexpectedly', async () => {
    const renderer = system.renderers[0]!;
    process.kill(renderer.pid, 'SIGKILL');
    await until(() => crashes.length > 0);
    assert.deepEqual(crashes.splice(0), ['renderer-0 ended with SIGKILL']);
    await system.settled(20_000);
  });

  it('counts open connections, and notices a client that hung up', async () => {
    const gateway = system.gateways[0]!;
    // Past the proxy, so that the proxy does not count it.
    const ports = socketsOf(gateway.pid).filter(({ state }) => state === 'listening');
    const port = ports.map(({ localPort }) => localPort).find((one) => one !== Number(new URL(gateway.admin).port))!;
    const socket = connect(port, '127.0.0.1');
    await until(() => socket.readyState === 'open');
    await until(async () => {
      const found = (await system.leaks(0)).map(({ place, what, now }) => `${place} ${what} ${now}`);
      return found.length === 1 && found[0] === 'gateway-0 connections_without_client 1';
    });
    socket.destroy();
    assert.deepEqual(await system.leaks(10_000), []);
  });

  it('stops an instance with SIGSTOP and resumes it', async () => {
    const gateway = system.gateways[1]!;
    const thaw = await gateway.freeze();
    await assert.rejects(fetch(`${gateway.url}/v1/robots`, { signal: AbortSignal.timeout(300) }));
    assert.equal(gateway.running.well, false);
    await thaw();
    assert.equal((await fetch(`${gateway.url}/v1/robots`)).status, 401);
    assert.equal(gateway.running.well, true);
  });

  describe('faults', () => {
    afterEach(() => {
      assert.deepEqual(crashes.splice(0), []);
      for (const { place, running, reachable, served } of system.instances)
        assert.deepEqual([running.well, reachable.well, served.well], [true, true, true], place);
    });

    connectionFaults(() => environment);
    processFaults(() => environment);
    operationFaults(() => environment);
    redisFaults(() => environment);
    accountFaults(() => environment);
  });
});
