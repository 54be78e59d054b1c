/**
 * Every command that the services' user may run is taken away, one at a time, while every kind of write runs: a refusal is an error that callers are
 * answered 503 for, never one of ours. An ACL file of an older release, or one that was edited, does the same.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsRedisServer, redisProcess, testRedisUsers, until, type LocalRedis } from '@perch/testkit';
import { openStore, StoreError } from '../src/index.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { writeEverything } from './every-write.js';

const usersFile = new URL('../../../deploy/redis/users.acl', import.meta.url);
const commands = [...(/^user perch .*$/m.exec(readFileSync(usersFile, 'utf8'))?.[0] ?? '').matchAll(/ \+(\S+)/g)].map(([, command]) => command!);
/** Without these the services run: what connections tell of themselves, what only a Cluster, jobs or the command line needs. */
const unneeded = new Set<string>();

describe('a command that Redis refuses to the user perch', () => {
  let folder: string;
  let server: LocalRedis;
  let admin: Connections;
  let url: string;

  before(async function () {
    needsRedisServer(this);
    folder = mkdtempSync(join(tmpdir(), 'perch-refused-'));
    const users = testRedisUsers(folder);
    server = await redisProcess({ ...users, appendOnly: true, settings: { ...users.settings, appendfsync: 'always' } });
    url = `redis://${users.credentials}127.0.0.1:${server.port}`;
    admin = await connect({ url: `redis://${users.admin}:any@127.0.0.1:${server.port}` });
  });
  after(async () => {
    await admin?.close();
    await server?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  for (const command of commands)
    it(command, async () => {
      const rules = ((await admin.commands.call('ACL', 'LIST')) as string[]).find((line) => line.startsWith('user perch '))!;
      if (!new RegExp(` \\+${command.replace('|', '\\|')}(?: |$)`).test(rules)) return;
      await admin.commands.flushall();
      await admin.commands.call('ACL', 'SETUSER', 'perch', `-${command}`);
      try {
        await writeEverything(() => openStore({ url, instance: 'gw-golden' }), { jobs: false });
        unneeded.add(command);
      } catch (error) {
        assert.ok(error instanceof StoreError, `${(error as Error).name}: ${(error as Error).stack}`);
        assert.equal(error.kind, 'unavailable', error.message);
      } finally {
        await admin.commands.call('ACL', 'SETUSER', 'perch', `+${command}`);
      }
    });

  it('leaves no sign of lost data, no heartbeat of an instance away, and no refusal of a healthy start', async () => {
    await admin.commands.flushall();
    const store = await openStore({ url, instance: 'gw-golden' });
    try {
      await store.instances.announce();
      await store.lostWrites.mark(0);
      assert.deepEqual(
        store.connections.vitals.refusals.list().filter(([, isRefused]) => isRefused),
        [],
      );
      for (const command of ['hset', 'set', 'unlink']) {
        await admin.commands.call('ACL', 'SETUSER', 'perch', `-${command}`);
        await store.lostWrites.mark(0).catch(() => {});
        await until(() => store.connections.vitals.refusals.list().some(([reason, isRefused]) => reason === 'NOPERM' && isRefused));
        assert.notEqual((await store.instances.health(['gw-golden'])).get('gw-golden'), 'gone');
        await admin.commands.call('ACL', 'SETUSER', 'perch', `+${command}`);
        assert.equal(await store.lostWrites.check(), 0, command);
      }
    } finally {
      await store.close();
    }
  });

  it('is met by most of them', () => assert.ok(unneeded.size < commands.length / 2, [...unneeded].join(' ')));
});
