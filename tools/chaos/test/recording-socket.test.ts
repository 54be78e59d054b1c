import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { until } from '@perch/testkit';
import { WebSocketServer } from 'ws';
import { recordingSocket, type Message } from '../src/robots/recording-socket.js';

describe('recordingSocket', () => {
  let server: WebSocketServer;
  before((done) => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, done);
  });
  after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });

  it('hears what a robot reads, and not the command that lay on a connection it had left', async () => {
    const heard: Message[] = [];
    const open = recordingSocket({
      url: () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      heard: (message) => heard.push(message),
      said: () => undefined,
      closed: () => undefined,
    });
    const listener = { opened() {}, text() {}, binary() {}, closed() {}, refused() {} };
    const say = (to: number, id: string): void => [...server.clients][to]!.send(JSON.stringify({ t: 'cmd', id }));

    const old = open({ url: '', token: 't' }, listener);
    await until(() => server.clients.size === 1);
    say(0, 'a');
    await until(() => heard.length === 1);
    old.pause();
    open({ url: '', token: 't' }, listener);
    await until(() => server.clients.size === 2);
    say(0, 'b');
    say(1, 'c');
    await until(() => heard.length === 2);
    old.resume();
    old.close(1000, '');
    await until(() => server.clients.size === 1);
    say(0, 'd');
    await until(() => heard.length === 3);
    assert.deepEqual(
      heard.map(({ id }) => id),
      ['a', 'c', 'd'],
    );
  });
});
