/**
 * With the users of deploy/redis and an append-only file, a restart, a crash and resyncs of replicas keep every kind of write of the service. While Redis
 * loads that file, it runs scripts and transactions as the user `default`, and drops those that this user may not run (valkey 3983, redis 14541).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsRedisServer, redisProcess, testRedisUsers, until, type LocalRedis, type TestRedisUsers } from '@perch/testkit';
import { connect, type Connections } from '../src/redis/connections.js';
import { openStore } from '../src/store.js';
import { createFullAccount } from './full-account.js';
import { valueOf, type Value } from './golden/bytes.js';
import { writeEverything } from './every-write.js';

/** Keys that expire sooner may have expired when they are compared. */
const lastingMs = 30_000;

/** `value` is null for a key that expires soon. */
type Dump = Map<string, { value: Value | null; expiresAt: number }>;

describe('a Redis with the users of deploy/redis and an append-only file', function () {
  let folder: string;
  let users: TestRedisUsers;
  const servers: LocalRedis[] = [];

  before(function () {
    needsRedisServer(this);
    folder = mkdtempSync(join(tmpdir(), 'perch-restart-'));
  });
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const start = async (settings: Record<string, string> = {}): Promise<LocalRedis> => {
    users = testRedisUsers(mkdtempSync(join(folder, 'users-')));
    // Each write is on disk before its reply, so that nothing waits for the disk and a crash loses nothing.
    const fast = { appendfsync: 'always', 'repl-diskless-sync-delay': '0' };
    const server = await redisProcess({ ...users, appendOnly: true, settings: { ...users.settings, ...fast, ...settings } });
    servers.push(server);
    return server;
  };
  const urlOf = (server: LocalRedis): string => `redis://${users.credentials}127.0.0.1:${server.port}`;
  const asAdmin = async <T>(server: LocalRedis, work: (commands: Connections['commands']) => Promise<T>): Promise<T> => {
    const redis = await connect({ url: `redis://${users.admin}:any@127.0.0.1:${server.port}` });
    try {
      return await work(redis.commands);
    } finally {
      await redis.close();
    }
  };
  const dump = (server: LocalRedis): Promise<Dump> =>
    asAdmin(server, async (commands) => {
      const keys = await commands.keys('*');
      const lastsUntil = Date.now() + lastingMs;
      const entries = keys.map(async (key) => {
        const expiresAt = Number(await commands.call('PEXPIRETIME', key));
        return [key, { expiresAt, value: expiresAt === -1 || expiresAt > lastsUntil ? await valueOf(commands, key) : null }] as const;
      });
      return new Map(await Promise.all(entries));
    });
  const writeAll = async (server: LocalRedis): Promise<Dump> => {
    await writeEverything(() => openStore({ url: urlOf(server), instance: 'gw-golden' }));
    const written = await dump(server);
    assert.ok(written.size > 150, `only ${written.size} keys were written`);
    return written;
  };
  const assertKept = (before: Dump, after: Dump): void => {
    const lastsUntil = Date.now() + lastingMs;
    const lasting = ([key]: [string, unknown]): boolean => {
      const expiresAt = before.get(key)?.expiresAt ?? 0;
      return expiresAt === -1 || expiresAt > lastsUntil;
    };
    assert.deepEqual(Object.fromEntries([...after].filter(lasting)), Object.fromEntries([...before].filter(lasting)));
    const back = [...after.keys()].filter((key) => !before.has(key));
    assert.deepEqual(back, [], 'these keys came back');
  };

  it('keeps every kind of write over a crash and over a restart', async () => {
    const server = await start();
    const before = await writeAll(server);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await server.kill(signal);
      await server.restart();
      assertKept(before, await dump(server));
    }
  });

  it('gives every kind of write to a replica by a full and by a partial resync, and the replica keeps them in its own append-only file', async () => {
    const server = await start();
    await writeAll(server);
    const replica = await start({ replicaof: `127.0.0.1 ${server.port}` });
    const isInSync = async (): Promise<boolean> => {
      const [own, other] = await Promise.all([replica, server].map((each) => asAdmin(each, (commands) => commands.info())));
      const offset = (info: string, name: string): string | undefined => new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1];
      return (
        /^master_link_status:up/m.test(own!) &&
        // The file holds what the full resync brought once it was rewritten.
        /^aof_rewrite_in_progress:0/m.test(own!) &&
        /^aof_rewrite_scheduled:0/m.test(own!) &&
        offset(own!, 'slave_repl_offset') === offset(other!, 'master_repl_offset')
      );
    };
    const synced = { timeoutMs: 30_000, everyMs: 100, what: 'the replica to have everything' };
    await until(isInSync, synced);
    assertKept(await dump(server), await dump(replica));

    const writeMore = async (): Promise<void> => {
      const store = await openStore({ url: urlOf(server), instance: 'gw-more' });
      await createFullAccount(store);
      await store.close();
    };
    await writeMore();
    await asAdmin(replica, (commands) => commands.config('SET', 'masteruser', 'nobody'));
    await asAdmin(server, (commands) => commands.call('CLIENT', 'KILL', 'TYPE', 'replica'));
    await writeMore();
    await asAdmin(replica, (commands) => commands.config('SET', 'masteruser', 'replica'));
    await until(isInSync, synced);
    const stats = await asAdmin(server, (commands) => commands.info('stats'));
    assert.match(stats, /^sync_full:1\r?$/m);
    assert.match(stats, /^sync_partial_ok:1\r?$/m);
    const before = await dump(server);
    assertKept(before, await dump(replica));

    // Without its master, the replica has only its own file.
    await server.stop();
    await replica.kill('SIGTERM');
    await replica.restart();
    assertKept(before, await dump(replica));
  });
});
