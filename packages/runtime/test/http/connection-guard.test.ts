import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { until } from '@perch/testkit';
import { ConnectionGuard, type CloseReason } from '../../src/http/connection-guard.js';
import { defaultConnectionsMax, guardConnections } from '../../src/http/connections.js';
import { Metrics } from '../../src/metrics/metrics.js';

describe('the limit on connections', () => {
  let server: Server;
  let guard: ConnectionGuard;
  let closed: CloseReason[];
  let held: ServerResponse[];
  const sockets: Socket[] = [];

  beforeEach(async () => {
    closed = [];
    held = [];
    server = createServer((request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end('ok');
    });
    guard = new ConnectionGuard({ server, connectionsMax: 4, onClosed: (reason) => closed.push(reason) });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  interface Client {
    socket: Socket;
    text: string;
    open: boolean;
  }

  /** Connects from a local address, which selects the network, and sends the text. */
  async function client(from: string, text = ''): Promise<Client> {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    const made: Client = { socket, text: '', open: true };
    socket.on('data', (data) => (made.text += data.toString())).on('error', () => {});
    socket.on('close', () => (made.open = false));
    const accepted = new Promise((resolve) => server.once('connection', resolve));
    socket.write(text);
    await accepted;
    return made;
  }

  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;

  it('closes the oldest idle connection of the network that has the most, and serves the new one', async () => {
    const [mine, first, second, third] = [
      await client('127.0.0.1', get('/')),
      await client('127.0.0.2'),
      await client('127.0.0.2'),
      await client('127.0.0.2'),
    ];
    await until(() => mine.text.includes('ok'));
    const fresh = await client('127.0.0.3', get('/'));
    await until(() => fresh.text.includes('ok') && !first.open);
    assert.deepEqual([mine.open, second.open, third.open, guard.size, closed], [true, true, true, 4, ['idle']]);
  });

  it('never closes a connection whose request is being worked on, and refuses new ones when all are', async () => {
    const working = await Promise.all(Array.from({ length: 4 }, () => client('127.0.0.2', get('/held'))));
    await until(() => held.length === 4);
    const fresh = await client('127.0.0.1', get('/'));
    await until(() => !fresh.open);
    assert.deepEqual(closed, ['refused']);
    for (const response of held) response.end('done');
    await until(() => working.every(({ text }) => text.includes('done')));
    // New connections are refused for up to another 100 ms.
    let later = fresh;
    while (!later.text.includes('ok')) {
      later = await client('127.0.0.1', get('/'));
      await until(() => !later.open || later.text.includes('ok'));
    }
  });

  it('closes connections with a half-sent request when none is idle, before it refuses a new one', async () => {
    const working = await client('127.0.0.2', get('/held'));
    const halves: Client[] = [];
    for (let i = 0; i < 3; i++) halves.push(await client('127.0.0.2', 'POST /held HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx'));
    await until(() => held.length === 4);
    const fresh = await client('127.0.0.1', get('/'));
    await until(() => fresh.text.includes('ok'));
    await until(() => halves.filter(({ open }) => open).length === 2);
    assert.deepEqual([working.open, closed], [true, ['unfinished']]);
  });

  it('treats a connection as idle again once its answer has been read', async () => {
    const first = await client('127.0.0.2', get('/'));
    await until(() => first.text.includes('ok'));
    for (let i = 0; i < 3; i++) await client('127.0.0.2', get('/held'));
    await until(() => held.length === 3);
    const fresh = await client('127.0.0.2', get('/'));
    await until(() => fresh.text.includes('ok') && !first.open);
  });

  it('never closes an upgraded connection', async () => {
    server.on('upgrade', (_request, socket) => {
      socket.on('end', () => socket.end()).resume();
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    const upgraded = await client('127.0.0.2', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    await until(() => upgraded.text.includes('101'));
    for (let i = 0; i < 8; i++) await client('127.0.0.2');
    assert.equal(upgraded.open, true);
    assert.equal(guard.size, 4);
    upgraded.socket.destroy();
    await until(() => guard.size === 3);
  });

  it('counts closed connections in metrics and logs them at most once in ten seconds, with the network', async () => {
    const metrics = new Metrics('robot-link');
    const lines: object[] = [];
    const other = createServer();
    guardConnections({
      server: other,
      connectionsMax: 2,
      log: { warn: (fields: object) => lines.push(fields) } as never,
      metrics,
      prefix: 'perch_link',
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    for (let i = 0; i < 6; i++) {
      const accepted = new Promise((resolve) => other.once('connection', resolve));
      sockets.push(connect((other.address() as AddressInfo).port, '127.0.0.1').on('error', () => {}));
      await accepted;
    }
    const text = await metrics.registry.metrics();
    assert.match(text, /^perch_link_connections 2$/m);
    assert.match(text, /^perch_link_connections_max 2$/m);
    assert.match(text, /^perch_link_connections_closed_total\{reason="idle"\} 4$/m);
    assert.deepEqual(lines, [{ connections_max: 2, network: '127.0.0.1', closed: { idle: 1 } }]);
    other.close();
    other.closeAllConnections();
  });

  it('does not prevent a server without upgrades from answering upgrade requests as ordinary ones', async () => {
    const asking = await client('127.0.0.1', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n');
    await until(() => asking.text.startsWith('HTTP/1.1 200'));
  });

  it('derives the default maximum from the limit on open files: less a quarter (at least 128), at most 100,000', () => {
    assert.deepEqual(
      [64, 256, 1024, 20_000, 1_048_576, Number.MAX_SAFE_INTEGER].map(defaultConnectionsMax),
      [16, 128, 768, 15_000, 100_000, 100_000],
    );
  });
});
