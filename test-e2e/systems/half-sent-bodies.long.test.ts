/** Memory that a gateway uses for clients that send half of a large body and then nothing, and whether it is freed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { skipTest, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const bodies = 300;
/** A bucket is 30 deep. */
const perKey = 25;
const mb = 1024 * 1024;
const bodyBytesMax = 2 * mb;
const budget = 128 * mb;
const budgetOfAccount = 8 * mb;
/** Memory that Node uses for a body that is not read, and other memory of a busy process. */
const overhead = bodies * 64 * 1024 + 60 * mb;
const half = Buffer.alloc(bodyBytesMax - 1000, ' ');

describe('half-sent bodies (1 gateway, 1 robot-link, 1 renderer)', function () {
  const sockets: Socket[] = [];

  before(function () {
    if (process.platform !== 'linux') skipTest(this, 'reads the memory of a process from /proc');
  });
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const rss = (): number => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${system.cluster.gateways[0]!.pid}/status`, 'utf8'))![1]) * 1024;
  const held = (): Promise<number> => metric(system.cluster.gateways[0]!.admin, 'perch_gateway_body_bytes');
  const waiting = (): Promise<number> => metric(system.cluster.gateways[0]!.admin, 'perch_gateway_waiting_bodies');

  /** Prepares the first halves of a tenant's requests. All are made before the first is sent, because sending keeps this process busy. */
  async function heads(count: number): Promise<string[]> {
    const { account } = await system.tenant();
    const keys = await Promise.all(Array.from({ length: Math.ceil(count / perKey) }, () => system.store.apiKeys.create({ account })));
    const { robot } = await system.store.robots.create({ account });
    return Array.from(
      { length: count },
      (_, i) =>
        `POST /v1/robots/${robot}/show HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys[i % keys.length]!.apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${bodyBytesMax}\r\n\r\n`,
    );
  }

  async function sendHalf(requests: readonly string[]): Promise<void> {
    const { hostname, port } = new URL(system.gateway());
    for (const [i, request] of requests.entries()) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => {}).resume();
      socket.write(request);
      socket.write(half);
      if (i % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Makes a gateway work first: memory that a process takes once is not memory of bodies. */
  async function worked(): Promise<number> {
    const tenant = await system.tenant();
    const { id } = await tenant.robot({ instant: true });
    const padding = ' '.repeat(bodyBytesMax - 100);
    for (let i = 0; i < 25; i++) {
      const { status } = await fetch(`${system.gateway()}/v1/robots/${id}/face`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
        body: `{"emotion":"happy"${padding}}`,
      });
      assert.equal(status, 200);
    }
    return rss();
  }

  it("half-sent bodies of an account use no more memory than the account's budget, and the gateway is back within 50 MB afterwards", async () => {
    const before = await worked();
    await sendHalf(await heads(bodies));
    await until(async () => (await waiting()) >= bodies - 4 - sockets.filter(({ destroyed }) => destroyed).length);
    let most = 0;
    const seenFrom = performance.now();
    await until(
      async () => {
        most = Math.max(most, rss());
        assert.ok((await held()) <= budgetOfAccount);
        return performance.now() - seenFrom > 5000;
      },
      { everyMs: 100 },
    );
    assert.ok(most < before + budgetOfAccount + overhead, `${(most - before) / mb} MB more`);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await held()) === 0 && (await waiting()) === 0);
    await until(() => rss() < before + 50 * mb, { what: 'the memory to be given back' });
  });

  it("half-sent bodies of many accounts use no more memory than the instance's budget, and the gateway is back within 50 MB afterwards", async () => {
    const before = await worked();
    const accounts: string[][] = [];
    for (let i = 0; i < 20; i++) accounts.push(await heads(bodies / 20));
    await sendHalf(accounts.flat());
    await until(async () => (await held()) === budget);
    let most = 0;
    // Requests whose body is read are closed 10 s after their last byte.
    await until(
      async () => {
        most = Math.max(most, rss());
        assert.ok((await held()) <= budget);
        return sockets.filter(({ destroyed }) => destroyed).length >= budget / bodyBytesMax;
      },
      { everyMs: 100, what: 'the gateway to close the bodies that make no progress' },
    );
    assert.ok(most < before + budget + overhead, `${(most - before) / mb} MB more`);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await held()) === 0 && (await waiting()) === 0);
    await until(() => rss() < before + 50 * mb, { what: 'the memory to be given back' });
  });
});
