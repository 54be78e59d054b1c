import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Authority } from '@perch/authority';
import { Front } from '../src/front.js';

interface Answer {
  status: number;
  body: string;
}

describe('the proxy of npm start -- --lan', () => {
  const host = '127.0.0.1';
  const folder = mkdtempSync(join(tmpdir(), 'perch-front-'));
  const names = { dns: [], addresses: [host] };
  const service = createServer();
  const requests: IncomingMessage[] = [];
  let authority: Authority;
  let front: Front;

  before(async () => {
    authority = await Authority.open(folder);
    await once(service.listen(0, host), 'listening');
    front = await Front.open({ host, port: 0, certificate: await authority.forLink(names) });
    front.leadTo(`http://${host}:${(service.address() as AddressInfo).port}`);
  });
  after(async () => {
    await front.stop();
    service.closeAllConnections();
    service.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    requests.length = 0;
    service.removeAllListeners('request').removeAllListeners('upgrade');
  });

  function call(isTls: boolean, { body = '', headers = {} }: { body?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = {
        host,
        port: front.port,
        method: body === '' ? 'GET' : 'POST',
        path: '/x?y=1',
        headers,
        ca: authority.pem,
        agent: false as const,
      };
      const outgoing = (isTls ? tlsRequest : request)(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode!, body: text })).on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  for (const isTls of [false, true])
    it(`passes requests on ${isTls ? 'over TLS' : 'without TLS'}, with the address of the client in place of what the client wrote`, async () => {
      service.on('request', (incoming, response) => {
        requests.push(incoming);
        response.writeHead(201, { 'x-own': 'yes' });
        incoming.pipe(response);
      });
      const body = 'a'.repeat(300_000);
      assert.deepEqual(await call(isTls, { body, headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' } }), {
        status: 201,
        body,
      });
      const { url, headers } = requests[0]!;
      assert.equal(url, '/x?y=1');
      assert.equal(headers['x-forwarded-for'], host);
      assert.equal(headers['x-forwarded-proto'], isTls ? 'https' : 'http');
      assert.equal(headers.forwarded, undefined);
      assert.equal(headers.host, `${host}:${front.port}`);
    });

  it('ends a call at the service when the client hangs up', async () => {
    const arrived = once(service, 'request');
    const outgoing = request({ host, port: front.port, agent: false });
    outgoing.on('error', () => undefined).end();
    const [, response] = (await arrived) as [IncomingMessage, NodeJS.EventEmitter];
    const closed = once(response, 'close');
    outgoing.destroy();
    await closed;
  });

  it('answers outcome_unknown where the service ended in the middle of a call, and never sends a call twice', async () => {
    let calls = 0;
    service.on('request', ({ socket }) => {
      calls += 1;
      socket.destroy();
    });
    const { status, body } = await call(true);
    assert.equal(status, 503);
    assert.match(body, /"outcome_unknown"/);
    assert.equal(calls, 1);
  });

  it('passes a WebSocket on over TLS, what the client sent beside its request too', async () => {
    service.on('upgrade', (incoming, socket, head) => {
      requests.push(incoming);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${head.toString()}`);
      socket.pipe(socket);
    });
    const socket = connectTls({ host, port: front.port, ca: authority.pem });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write('GET /robot/v1/link HTTP/1.1\r\nHost: robots\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nearly ');
    while (!text.includes('early')) await once(socket, 'data');
    socket.write('later');
    while (!text.endsWith('early later')) await once(socket, 'data');
    assert.equal(requests[0]!.headers['x-forwarded-for'], host);
    const closed = once(socket, 'close');
    socket.end();
    await closed;
  });

  it('shows another certificate from now on, at another address, without another port', async () => {
    service.on('request', (_, response) => response.end('yes'));
    const { port } = front;
    const other = await Front.open({ host, port: 0, certificate: await authority.forLink({ dns: [], addresses: ['127.0.0.2'] }) });
    try {
      await assert.rejects(
        once(connectTls({ host, port: other.port, ca: authority.pem }), 'secureConnect'),
        /ERR_TLS_CERT_ALTNAME_INVALID|does not match/,
      );
      other.use(await authority.forLink(names));
      await once(connectTls({ host, port: other.port, ca: authority.pem }), 'secureConnect');
    } finally {
      await other.stop();
    }
    await front.moveTo('127.0.0.2');
    await assert.rejects(once(connect(port, host), 'connect'), /ECONNREFUSED/);
    await once(connect(port, '127.0.0.2'), 'connect');
    await front.moveTo(host);
    assert.deepEqual(await call(false), { status: 200, body: 'yes' });
  });
});
