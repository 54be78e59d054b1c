import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy, until } from '@perch/testkit';

describe('TcpProxy', () => {
  let server: Server;
  let proxy: TcpProxy;
  let served: Socket[];
  let received: string;
  const clients: Socket[] = [];

  beforeEach(async () => {
    served = [];
    received = '';
    server = createServer((socket) => {
      served.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        received += String(bytes);
        socket.write(bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await TcpProxy.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await proxy.close();
    server.close();
  });

  async function dial(): Promise<{ socket: Socket; got: () => string; chunks: string[] }> {
    const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true });
    clients.push(socket);
    const chunks: string[] = [];
    socket.on('data', (bytes) => chunks.push(String(bytes)));
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return { socket, got: () => chunks.join(''), chunks };
  }

  it('forwards bytes and ends in both directions', async () => {
    const { socket, got } = await dial();
    socket.write('hello');
    await until(() => got() === 'hello');
    const ended = once(served[0]!, 'end');
    socket.end();
    await ended;
    await until(() => proxy.connections.length === 0);
  });

  it('resets both ends of a connection that is cut', async () => {
    const { socket } = await dial();
    socket.write('x');
    await until(() => received === 'x');
    const ends = Promise.all([once(socket, 'error'), new Promise((resolve) => served[0]!.once('close', resolve))]);
    proxy.cut();
    const [[error]] = (await ends) as [[NodeJS.ErrnoException], unknown];
    assert.equal(error.code, 'ECONNRESET');
    await until(() => proxy.connections.length === 0);
  });

  it('closes a connection that is cut while its end is being forwarded', async () => {
    const patient = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).resume());
    patient.listen(0, '127.0.0.1');
    await once(patient, 'listening');
    proxy.target = { host: '127.0.0.1', port: (patient.address() as AddressInfo).port };
    for (let turns = 0; turns < 12; turns += 1) {
      const { socket } = await dial();
      socket.write('bye');
      await until(() => proxy.connections.length === 1);
      proxy.conditions = { hold: 'to_server' };
      socket.end();
      await sleep(10);
      proxy.conditions = {};
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      proxy.cut();
      await until(() => proxy.connections.length === 0, {
        what: `the connection to close that was cut ${turns} ticks after its end`,
      });
    }
    patient.close();
  });

  it('drops the bytes and the end of the dropped direction', async () => {
    const { socket, got } = await dial();
    proxy.conditions = { drop: 'to_client' };
    socket.write('there');
    await until(() => received === 'there');
    served[0]!.end();
    await sleep(50);
    assert.equal(got(), '');
    assert.equal(socket.readableEnded, false);
    proxy.conditions = { drop: 'to_server' };
    socket.write('gone');
    await sleep(50);
    assert.equal(received, 'there');
  });

  it('delivers held bytes completely and in order when the hold ends', async () => {
    const { socket, got } = await dial();
    proxy.conditions = { hold: 'to_server' };
    for (const word of ['one ', 'two ', 'three']) socket.write(word);
    await sleep(50);
    assert.equal(received, '');
    proxy.conditions = {};
    await until(() => got() === 'one two three');
  });

  it('keeps the order of delayed bytes', async () => {
    const { socket, got } = await dial();
    proxy.conditions = { delayMs: [5, 60] };
    const words = Array.from({ length: 20 }, (_, index) => `${index} `);
    const began = performance.now();
    for (const word of words) {
      socket.write(word);
      await sleep(1);
    }
    await until(() => got() === words.join(''));
    assert.ok(performance.now() - began >= 10);
  });

  it('delivers chunks separately when a chunk size is set', async () => {
    const { socket, got, chunks } = await dial();
    proxy.conditions = { chunkBytes: 3 };
    socket.write('abcdefghij');
    await until(() => got() === 'abcdefghij');
    assert.ok(chunks.length > 1, `${chunks.length} chunk`);
  });

  it('applies backpressure to the sender while the receiver does not read', async () => {
    const { socket } = await dial();
    await until(() => served.length === 1);
    served[0]!.pause();
    const block = Buffer.alloc(1 << 20);
    let written = 0;
    while (written < 100 && (socket.write(block) || (await Promise.race([once(socket, 'drain').then(() => true), sleep(300, false)])))) written += 1;
    assert.ok(written < 30, `took ${written} MB`);
  });

  it('resets new connections while it refuses them', async () => {
    proxy.refusing = true;
    const socket = connect(proxy.port, '127.0.0.1');
    clients.push(socket);
    await once(socket, 'error');
    proxy.refusing = false;
    const { socket: again, got } = await dial();
    again.write('x');
    await until(() => got() === 'x');
  });

  it('connects new connections to the current target', async () => {
    const { socket, got } = await dial();
    socket.write('old');
    await until(() => got() === 'old');
    // Closing the proxy in `afterEach` resets a connection that has not closed by itself yet.
    const other = createServer((socket) => socket.on('error', () => undefined).end('other'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    proxy.target = { host: '127.0.0.1', port: (other.address() as AddressInfo).port };
    const fresh = await dial();
    await until(() => fresh.got() === 'other');
    other.close();
  });
});
