import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { privateRedis, until, type LocalRedis } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';

/** A proxy to Redis whose connections can become half-open: they stay open, but pass no bytes, as behind a firewall that has dropped its state. */
async function proxyTo({ port }: LocalRedis): Promise<{ url: string; stall(): void; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(port, '127.0.0.1');
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
  it('replaces a half-open connection within seconds, for commands and for subscriptions', async () => {
    const server = await privateRedis();
    const proxy = await proxyTo(server);
    const stores: Store[] = [];
    const open = async (url: string, instance: string): Promise<Store> => {
      const store = await openStore({ url, instance });
      stores.push(store);
      return store;
    };
    try {
      const other = await open(server.url, 'test-other');
      const store = await open(proxy.url, 'test-proxied');
      const { instance } = store;
      const received: string[] = [];
      await store.gatewayMailbox.receive(instance, ({ id }) => void received.push(id));
      await other.gatewayMailbox.send(instance, { t: 'not_here', id: 'before' });
      await until(() => received.includes('before'));

      proxy.stall();
      await until(
        () =>
          store.clock.sync().then(
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
      for (const store of stores) await store.close();
      proxy.close();
      await server.stop();
    }
  });
});
