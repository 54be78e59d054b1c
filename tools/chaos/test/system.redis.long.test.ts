import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { until } from '@perch/testkit';
import { wellThroughout } from '../src/system/instance.js';
import { socketsOf } from '../src/system/sockets.js';
import { onFaultSystem } from './faults/fault-system.js';

onFaultSystem('a system of services', ({ system, crashes }) => {
  it('a system of services is reached through its proxies', async () => {
    assert.equal(system().instances.length, 7);
    for (const { url } of system().gateways) assert.equal((await fetch(`${url}/v1/robots`)).status, 401);
    for (const { redis } of system().instances) assert.ok(redis!.connections.length >= 2, 'both lines to Redis');
    assert.deepEqual(await system().leaks(10_000), []);
  });

  it('records when an instance ran and when it did not', async () => {
    const link = system().links[1]!;
    const { pid, url, running } = link;
    const from = performance.now();
    assert.ok(wellThroughout(link, from, from));
    await link.kill();
    assert.equal(link.pid, 0);
    assert.equal(running.well, false);
    await system().settled(20_000);
    assert.notEqual(link.pid, pid);
    assert.equal(link.url, url);
    assert.ok(!running.throughout(from, performance.now()));
    assert.ok(wellThroughout(link, performance.now(), performance.now()));
    assert.deepEqual(crashes, []);
  });

  it('reports a process that ends unexpectedly', async () => {
    const renderer = system().renderers[0]!;
    process.kill(renderer.pid, 'SIGKILL');
    await until(() => crashes.length > 0);
    assert.deepEqual(crashes.splice(0), ['renderer-0 ended with SIGKILL']);
    await system().settled(20_000);
  });

  it('counts open connections, and notices a client that hung up', async () => {
    const gateway = system().gateways[0]!;
    // Past the proxy, so that the proxy does not count it.
    const ports = socketsOf(gateway.pid).filter(({ state }) => state === 'listening');
    const port = ports.map(({ localPort }) => localPort).find((one) => one !== Number(new URL(gateway.admin).port))!;
    const socket = connect(port, '127.0.0.1');
    await until(() => socket.readyState === 'open');
    await until(async () => {
      const found = (await system().leaks(0)).map(({ place, what, now }) => `${place} ${what} ${now}`);
      return found.length === 1 && found[0] === 'gateway-0 connections_without_client 1';
    });
    socket.destroy();
    assert.deepEqual(await system().leaks(10_000), []);
  });

  it('stops an instance with SIGSTOP and resumes it', async () => {
    const gateway = system().gateways[1]!;
    const thaw = await gateway.freeze();
    await assert.rejects(fetch(`${gateway.url}/v1/robots`, { signal: AbortSignal.timeout(300) }));
    assert.equal(gateway.running.well, false);
    await thaw();
    assert.equal((await fetch(`${gateway.url}/v1/robots`)).status, 401);
    assert.equal(gateway.running.well, true);
  });
});
