import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { execFileSync } from 'node:child_process';
import { skipTest, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const handles = 256;
const connectionsMax = 128;
const idleClients = 600;

describe('idle connections of an unknown client (1 gateway, 1 robot-link, 1 renderer with 256 file handles each)', () => {
  const lines: string[] = [];
  const sockets: Socket[] = [];

  before(function () {
    try {
      execFileSync('prlimit', ['--version']);
    } catch {
      skipTest(this, 'needs prlimit, to give a process few file handles');
    }
  });
  const env = { PERCH_GATEWAY_CONNECTIONS: String(connectionsMax), PERCH_LINK_CONNECTIONS: String(connectionsMax) };
  const system = useSystem({ gateways: 1, links: 1, renderers: 1, env }, { log: (line) => lines.push(line) });
  before(() => {
    for (const { pid } of [...system.cluster.gateways, ...system.cluster.links])
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${handles}:${handles}`]);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  function openFrom(localAddress: string, address: string, count: number): void {
    const { port } = new URL(address);
    for (let i = 0; i < count; i++) {
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
      socket.on('error', () => {}).resume();
      sockets.push(socket);
    }
  }

  function actFrom(localAddress: string, tenant: Tenant, robot: string): Promise<number> {
    const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const call = request(`${system.gateway()}/v1/robots/${robot}/face`, { method: 'POST', headers, localAddress, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      call.on('error', reject).end('{"emotion":"happy"}');
    });
  }

  it('idle connections to a gateway affect neither its /readyz nor the actions of others', async () => {
    const tenant = await system.tenant();
    const { id } = await tenant.robot({ instant: true });
    const [gateway] = system.cluster.gateways;
    openFrom('127.0.0.1', system.gateway(), idleClients);
    await until(async () => (await metric(gateway!.admin, 'perch_gateway_connections_closed_total', { reason: 'idle' })) > 100);
    for (let i = 0; i < 10; i++) {
      assert.equal(await actFrom('127.0.0.2', tenant, id), 200);
      assert.equal((await fetch(`${gateway!.admin}/readyz`)).status, 200);
    }
    assert.ok((await metric(gateway!.admin, 'perch_gateway_connections')) <= connectionsMax);
    assert.equal(await metric(gateway!.admin, 'perch_gateway_connections_max'), connectionsMax);
    assert.ok(lines.some((line) => line.includes('too many connections') && line.includes('"network":"127.0.0.1"')));
  });

  it('idle connections to a robot-link affect neither its /readyz nor robots, and half a handshake is closed within 10 s', async () => {
    const tenant = await system.tenant();
    const [link] = system.cluster.links;
    const { robot } = await tenant.robot({ instant: true });
    openFrom('127.0.0.2', system.link(), idleClients);
    await until(async () => (await metric(link!.admin, 'perch_link_connections_closed_total', { reason: 'idle' })) > 100);
    assert.equal((await fetch(`${link!.admin}/readyz`)).status, 200);
    const { id } = await tenant.robot({ instant: true });
    assert.equal(await actFrom('127.0.0.1', tenant, id), 200);
    assert.equal(await metric(link!.admin, 'perch_link_sessions'), 2);
    await robot.tap(1, 1);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await metric(link!.admin, 'perch_link_connections')) === 2);
    const half = connect(Number(new URL(system.link()).port), '127.0.0.1');
    sockets.push(half.resume().on('error', () => {}));
    half.write('GET /robot/v1/link HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\n');
    await until(() => half.destroyed);
  });
});
