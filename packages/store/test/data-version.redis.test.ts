import assert from 'node:assert/strict';
import { release, StartRefused } from '@perch/schema';
import { embeddedRedis, needsRedisServer, redisCluster, redisProcess } from '@perch/testkit';
import { requireReadableData, type DataVersions } from '../src/redis/data-version.js';
import { openStore, openStoreWhenUp, type Store } from '../src/index.js';
import { sharedKeys } from '../src/redis/keys.js';

const key = sharedKeys.dataVersion();
const older: DataVersions = { release, reads: 1, writes: 1 };
/** A release that reads a new format but does not write it yet. */
const expanded: DataVersions = { release: '0.11.0', reads: 2, writes: 1 };
const contracted: DataVersions = { release: '0.12.0', reads: 2, writes: 2 };

const servers = {
  'one Redis': redisProcess,
  'the embedded Redis': embeddedRedis,
  'a Redis Cluster': redisCluster,
};

for (const [name, start] of Object.entries(servers)) {
  describe(`the data version on ${name}`, () => {
    let url = '';
    let stop: (() => Promise<unknown>) | undefined;
    let store: Store | undefined;
    before(async function () {
      if (name !== 'the embedded Redis') needsRedisServer(this);
      const server = await start();
      url = server.url;
      stop = () => server.stop();
      store = await openStore({ url, instance: 'test-data' });
    });
    beforeEach(() => store!.connections.commands.del(key));
    after(async () => {
      await store?.close();
      await stop?.();
    });

    const stored = () => store!.connections.commands.get(key);

    it('starts without a stored version, as earlier releases leave it, and stores none, because they read all that this release writes', async () => {
      await (await openStore({ url, instance: 'test-first' })).close();
      assert.equal(await stored(), null);
    });

    it('lets the previous release run and restart together with the release that writes a new format', async () => {
      const { connections } = store!;
      await requireReadableData(connections, expanded);
      assert.equal(await stored(), null);
      await requireReadableData(connections, contracted);
      assert.equal(await stored(), '2 0.12.0');
      await requireReadableData(connections, expanded);
      assert.equal(await stored(), '2 0.12.0', 'an older release never lowers it');
    });

    it('refuses to start on newer data with a message that names both releases and the remedy', async () => {
      await requireReadableData(store!.connections, contracted);
      await assert.rejects(openStore({ url, instance: 'test-older' }), (error) => {
        assert.ok(error instanceof StartRefused);
        assert.equal(
          error.message,
          `The data in Redis is of data version 2, which release 0.12.0 introduced; this release, ${release}, reads up to data version 1. ` +
            'Start release 0.12.0 or a later one, or restore a backup from before 0.12.0 was started.',
        );
        return true;
      });
      // A retry would not help here.
      await assert.rejects(openStoreWhenUp({ url, instance: 'test-older' }, AbortSignal.timeout(40_000)), StartRefused);
    });

    it('refuses to start with an invalid stored version, and names the key', async () => {
      for (const text of ['', 'x', '0 0.12.0', '-1 0.12.0', '2', '2 0.12.0 beta', '1e3 0.12.0', `9999999999 0.12.0`]) {
        await store!.connections.commands.set(key, text);
        await assert.rejects(requireReadableData(store!.connections, older), (error) => {
          assert.ok(error instanceof StartRefused && error.message.includes(key) && error.message.includes(release), text);
          return true;
        });
      }
    });

    it('keeps the higher version when instances of two releases start concurrently', async () => {
      const { connections } = store!;
      const newest: DataVersions = { release: '0.14.0', reads: 3, writes: 3 };
      await Promise.allSettled([contracted, newest, contracted, newest].map((each) => requireReadableData(connections, each)));
      assert.equal(await stored(), '3 0.14.0');
    });
  });
}
