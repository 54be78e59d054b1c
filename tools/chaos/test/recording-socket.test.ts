import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { until } from '@perch/testkit';
import { WebSocketServer } from 'ws';
import type { Message } from '../src/robots/recorded-frames.js';
import { recordingSocket } from '../src/robots/recording-socket.js';

describe('recordingSocket', () => {
  let server: WebSocketServer;
  before((done) => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, done);
  });
  after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });

  it('records what a robot reads, but not a command left unread on a connection it has replaced', async () => {
    const received: Message[] = [];
    const open = recordingSocket({
      url: () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      received: (message) => received.push(message),
      sent: () => undefined,
      closed: () => undefined,
    });
    const listener = { opened() {}, text() {}, binary() {}, closed() {}, refused() {} };
    const send = (to: number, id: string): void => [...server.clients][to]!.send(JSON.stringify({ t: 'cmd', id }));

    const old = open({ url: '', token: 't' }, listener);
    await until(() => server.clients.size === 1);
    send(0, 'a');
    await until(() => received.length === 1);
    old.pause();
    open({ url: '', token: 't' }, listener);
    await until(() => server.clients.size === 2);
    send(0, 'b');
    send(1, 'c');
    await until(() => received.length === 2);
    old.resume();
    old.close(1000, '');
    await until(() => server.clients.size === 1);
    send(0, 'd');
    await until(() => received.length === 3);
    assert.deepEqual(
      received.map(({ id }) => id),
      ['a', 'c', 'd'],
    );
  });
});
