/** Redis replies `max number of clients reached` to a connection, not to a command, and closes it (networking.c); over TLS it only closes it. */
import assert from 'node:assert/strict';
import {
  freePort,
  needsOpenssl,
  needsRedisServer,
  redisCluster,
  redisProcess,
  redisSentinels,
  skipTest,
  testCertificates,
  until,
} from '@perch/testkit';
import { Redis } from 'ioredis';
import { openStore, type Store } from '../src/index.js';

interface Servers {
  url: string;
  ports: number[];
  stop(): Promise<unknown>;
}

const kinds: Record<string, () => Promise<Servers>> = {
  async 'one Redis'() {
    const server = await redisProcess();
    return { url: server.url, ports: [server.port], stop: () => server.stop() };
  },
  async 'a master behind Sentinels'() {
    const { url, servers, stop } = await redisSentinels(1);
    return { url, ports: [servers[0]!.port], stop };
  },
  async 'a Redis Cluster'() {
    const { url, nodes, stop } = await redisCluster();
    return { url, ports: nodes.map(({ port }) => port), stop };
  },
};

for (const [name, start] of Object.entries(kinds)) {
  describe(`${name} at its maxclients`, () => {
    const ends: (() => unknown)[] = [];
    const errors: string[] = [];
    let servers: Servers;
    let admins: Redis[];
    before(async function () {
      needsRedisServer(this);
      servers = await start();
      ends.push(() => servers.stop());
      admins = servers.ports.map((port) => new Redis(port));
      ends.push(() => admins.forEach((admin) => admin.disconnect()));
      await allow(10_000);
    });
    after(async () => {
      for (const end of ends.splice(0).toReversed()) await end();
    });

    /** Those that are connected stay connected. */
    const allow = (maxclients: number) => Promise.all(admins.map((admin) => admin.config('SET', 'maxclients', maxclients)));
    const open = (): Promise<Store> => openStore({ url: servers.url, instance: 'test-full', onError: ({ message }) => errors.push(message) });

    it('refuses the start with its true reason, which is logged', async () => {
      await allow(1);
      errors.length = 0;
      await assert.rejects(open(), /refused the connection: ERR max number of clients .*reached\. Raise its maxclients/);
      assert.ok(
        errors.some((message) => message.startsWith('ERR max number of clients')),
        errors.join('\n'),
      );
      await allow(10_000);
    });

    it('refuses a connection that was lost: the reason is logged and shown until it is there again', async () => {
      const store = await open();
      ends.push(() => store.close());
      const { vitals } = store.connections;
      const isRefused = (): boolean => new Map(vitals.refusals.list()).get('maxclients')!;
      assert.equal(isRefused(), false);
      errors.length = 0;
      await allow(1);
      await Promise.all(admins.map((admin) => admin.call('CLIENT', 'KILL', 'TYPE', 'normal')));
      await until(() => isRefused() && errors.some((message) => message.startsWith('ERR max number of clients')));
      await assert.rejects(store.accounts.list(), { kind: 'unavailable' });
      await allow(10_000);
      await until(() =>
        store.accounts.list().then(
          () => true,
          () => false,
        ),
      );
    });
  });
}

describe('Redis at its maxclients, over TLS', () => {
  it('closes connections without a reason, which the error does not take for a missing client certificate alone', async function () {
    needsRedisServer(this);
    needsOpenssl(this);
    const certificates = testCertificates();
    const { certificate, key } = certificates.server;
    const port = await freePort();
    const files = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': certificates.ca, 'tls-auth-clients': 'no' };
    const server = await redisProcess({ settings: { 'tls-port': String(port), ...files } }).catch((error: Error) => {
      if (/tls-port|Bad directive/i.test(error.message)) skipTest(this, 'its redis-server was built without TLS');
      throw error;
    });
    const admin = new Redis(server.port);
    try {
      await admin.config('SET', 'maxclients', 1);
      await assert.rejects(openStore({ url: `rediss://127.0.0.1:${port}`, instance: 'test-full' }), /maxclients/);
    } finally {
      admin.disconnect();
      await server.stop();
    }
  });
});
