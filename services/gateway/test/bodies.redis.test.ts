import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { limits } from '@perch/schema';
import { until } from '@perch/testkit';
import { GatewayUnderTest, useGateway, useOwner } from './gateway-under-test.js';

describe('request bodies that arrive slowly', () => {
  const system = useGateway({ bodyBytes: 16 * 1024 * 1024, bodyStallMs: 60_000 });
  const owner = useOwner(system);
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await reservedBytes()) === 0 && (await waiting()) === 0);
  });

  interface Sent {
    socket: Socket;
    answer: Promise<string>;
    closed: boolean;
  }

  function begin(path: string, apiKey: string, framing: string, body: string | Buffer, base = system.base): Sent {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    sockets.push(socket);
    const sent: Sent = { socket, answer: Promise.resolve(''), closed: false };
    sent.answer = new Promise((resolve) => {
      let text = '';
      socket.on('data', (data) => (text += data.toString()));
      socket.on('error', () => {});
      socket.on('close', () => {
        sent.closed = true;
        resolve(text);
      });
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`,
    );
    socket.write(body);
    return sent;
  }

  const reservedBytes = (): Promise<number> => system.metric('perch_gateway_body_bytes');
  const waiting = (): Promise<number> => system.metric('perch_gateway_waiting_bodies');
  const state = (): string => `/v1/robots/${owner.robot}/state`;
  const large = `content-length: ${limits.bodyBytesMax}`;
  const half = Buffer.alloc(limits.bodyBytesMax / 2, ' ');

  it('reads at most 8 MB of one account at a time, rejects none of its bodies, and reads those of other accounts meanwhile', async () => {
    const flood = Array.from({ length: 12 }, () => begin(state(), owner.apiKey, `${large}\r\nconnection: close`, half));
    await until(async () => (await waiting()) === 8);
    assert.equal(await reservedBytes(), 8 * 1024 * 1024);
    const other = await system.ownerOnline();
    const begun = begin(`/v1/robots/${other.robot}/face`, other.apiKey, 'content-length: 20\r\nconnection: close', '{"emotion":');
    await until(async () => (await reservedBytes()) === 8 * 1024 * 1024 + 20);
    begun.socket.write(' "happy"}');
    assert.match(await begun.answer, /^HTTP\/1\.1 200 /);
    const rest = Buffer.concat([half.subarray(2), Buffer.from('{}')]);
    for (const { socket } of flood) socket.write(rest);
    for (const { answer } of flood) assert.match(await answer, /^HTTP\/1\.1 200 /);
    await until(async () => (await reservedBytes()) === 0 && (await waiting()) === 0);
  });

  it('answers a body that had to wait like any other', async () => {
    const before = Array.from({ length: 4 }, () => begin(state(), owner.apiKey, large, half));
    await until(async () => (await reservedBytes()) === 8 * 1024 * 1024);
    const last = begin(state(), owner.apiKey, `content-length: ${half.length + 2}\r\nconnection: close`, Buffer.concat([half, Buffer.from('{}')]));
    await until(async () => (await waiting()) === 1);
    before[0]!.socket.destroy();
    assert.match(await last.answer, /^HTTP\/1\.1 200 /);
  });

  for (const [what, end] of [
    ['whose client closes its side', (socket: Socket) => socket.end()],
    ['whose next chunk is not HTTP', (socket: Socket) => socket.write('no chunk\r\n')],
  ] as const) {
    it(`releases the memory of a body ${what} while an earlier request of the connection is still open`, async () => {
      const { robot, apiKey } = owner;
      const socket = connect(Number(new URL(system.base).port), '127.0.0.1').on('error', () => {});
      sockets.push(socket);
      const head = `host: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\n`;
      socket.write(`GET /v1/robots/${robot}/events?after=1000000&seconds=60 HTTP/1.1\r\n${head}\r\n`);
      socket.write(
        `POST /v1/robots/${robot}/state HTTP/1.1\r\n${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
      );
      await until(async () => (await reservedBytes()) > 0);
      end(socket);
      await until(async () => (await reservedBytes()) === 0);
    });
  }

  it('ends a body that makes no progress with 400, and continues to read a slow one', async () => {
    const stallMs = 1000;
    const impatient = await GatewayUnderTest.start({ bodyStallMs: stallMs });
    try {
      const { robot, apiKey } = await impatient.ownerOnline();
      const path = `/v1/robots/${robot}/state`;
      const stuck = begin(path, apiKey, 'content-length: 1000', '{', impatient.base);
      const slow = begin(path, apiKey, 'transfer-encoding: chunked\r\nconnection: close', '1\r\n{\r\n', impatient.base);
      const began = performance.now();
      const drip = setInterval(() => slow.socket.write('1\r\n \r\n'), stallMs / 20);
      const answer = await stuck.answer;
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /\r\nconnection: close\r\n/i);
      assert.match(answer, /The request did not arrive in time/);
      assert.ok(performance.now() - began >= stallMs);
      await until(() => performance.now() - began > stallMs * 2);
      clearInterval(drip);
      slow.socket.write('1\r\n}\r\n0\r\n\r\n');
      assert.match(await slow.answer, /^HTTP\/1\.1 200 /);
    } finally {
      await impatient.stop();
    }
  });

  it('releases the bytes when the client disconnects, whether its body was being read or waiting', async () => {
    const flood = Array.from({ length: 6 }, () => begin(state(), owner.apiKey, 'transfer-encoding: chunked', `10000\r\n${' '.repeat(65_536)}\r\n`));
    await until(async () => (await waiting()) === 2);
    for (const { socket } of flood) socket.destroy();
    await until(async () => (await reservedBytes()) === 0 && (await waiting()) === 0);
  });

  it('releases the bytes of a tool call that was read before its key was found to be invalid', async () => {
    const unknownKey = `pk_${'0'.repeat(43)}`;
    const sent = begin('/mcp', unknownKey, `content-length: 60000\r\nconnection: close`, Buffer.alloc(30_000, ' '));
    await until(async () => (await reservedBytes()) === 60_000);
    assert.match(await sent.answer, /^HTTP\/1\.1 401 /);
    await until(async () => (await reservedBytes()) === 0);
  });

  it('limits a request to 30 s in total, including its wait for memory', () => {
    assert.equal(system.gateway.server.requestTimeout, 30_000);
  });
});
