import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { redisUrl, until } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { closeStores, testStore } from './fixtures.js';

/** A proxy to Redis whose connections can become half-open: they stay open, but pass no bytes, as behind a firewall that has dropped its state. */
async function proxyTo(url: string): Promise<{ url: string; stall(): void; close(): void }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(Number(target.port || 6379), target.hostname);
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('a half-open connection to Redis', () => {
  afterEach(closeStores);

  it('replaces a half-open connection within seconds, for commands and for subscriptions', async () => {
    const proxy = await proxyTo(await redisUrl());
    let store: Store | null = null;
    try {
      const other = await testStore();
      store = await openStore({ url: proxy.url, instance: `test-${Math.random().toString(36).slice(2, 8)}` });
      const { instance } = store;
      const received: string[] = [];
      await store.gatewayMailbox.receive(instance, ({ id }) => void received.push(id));
      await other.gatewayMailbox.send(instance, { t: 'not_here', id: 'before' });
      await until(() => received.includes('before'));

      proxy.stall();
      const opened = store;
      await until(
        () =>
          opened.clock.sync().then(
            () => true,
            () => false,
          ),
        { what: 'commands to be answered again' },
      );
      await until(
        async () => {
          await other.gatewayMailbox.send(instance, { t: 'not_here', id: 'after' });
          return received.includes('after');
        },
        { what: 'messages to arrive again' },
      );
      assert.ok(received.length >= 2);
    } finally {
      await store?.close();
      proxy.close();
    }
  });
});
