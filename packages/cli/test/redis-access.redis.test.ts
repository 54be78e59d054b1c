import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openStore } from '@perch/store';
import { needsRedisServer, redisProcess } from '@perch/testkit';
import { PerchWithStore, runPerch } from './run-perch.js';

describe('perch with an unusable Redis', () => {
  let cli: PerchWithStore;
  before(async () => {
    cli = await PerchWithStore.open();
  });
  after(() => cli?.store.close());

  it('reports a missing variable, and an unreachable Redis', async () => {
    const unset = await cli.run('account list', '');
    assert.equal(unset.code, 64);
    assert.match(unset.err, /PERCH_REDIS_URL is not set.*npm start/);
    const unreachable = await cli.run('account list', 'redis://127.0.0.1:1');
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.err, /the Redis of PERCH_REDIS_URL \(redis:\/\/127\.0\.0\.1:1\) does not answer: .*ECONNREFUSED/);
    assert.ok(!unreachable.err.includes('    at '), 'no stack');
  });

  it('revokes a key and removes a robot while Redis is at its memory limit, and reports the limit for other commands', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const own = await openStore({ url: server.url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      const { account } = await own.accounts.create({ email: 'full@example.org' });
      const [key, { robot }] = [await own.apiKeys.create({ account }), await own.robots.create({ account })];
      await own.connections.commands.call('CONFIG', ['SET', 'maxmemory', '100kb']);
      assert.deepEqual(await cli.run(`key revoke ${key.id} --account ${account}`, server.url), {
        code: 0,
        out: `revoked ${key.id}\n`,
        err: `perch: the change was made, but is missing in the activity of ${account}\n`,
      });
      assert.equal((await cli.run(`robot remove ${robot}`, server.url)).code, 0);
      const refused = await cli.run(`key add --account ${account}`, server.url);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /memory limit/);
    } finally {
      await own.close();
      await server.stop();
    }
  });

  it('says in one line what Redis refuses: a command, its user, a write to a replica, or one without replicas', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const { url } = server;
    const own = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      const { account } = await own.accounts.create({ email: 'refused@example.org' });
      const { commands } = own.connections;
      await commands.call('ACL', 'SETUSER', 'weak', 'on', '>secret', '~*', '&*', '+@all', '-hset', '-eval', '-evalsha');
      const add = `key add --account ${account}`;
      const refusals = {
        NOPERM: async () => cli.run(add, url.replace('//', '//weak:secret@')),
        WRONGPASS: async () => cli.run(add, url.replace('//', '//weak:wrong@')),
        NOREPLICAS: async () => {
          await commands.config('SET', 'min-replicas-to-write', 1);
          return cli.run(add, url);
        },
        READONLY: async () => {
          await commands.config('SET', 'min-replicas-to-write', 0);
          await commands.replicaof('127.0.0.1', 1);
          return cli.run(add, url);
        },
        NOAUTH: async () => {
          await commands.replicaof('NO', 'ONE');
          await commands.config('SET', 'requirepass', 'secret');
          return cli.run(add, url);
        },
      };
      for (const [reason, run] of Object.entries(refusals)) {
        const { code, out, err } = await run();
        assert.deepEqual([code, out, err.trim().split('\n').length], [1, '', 1], err);
        assert.match(err, new RegExp(`^perch: the Redis of PERCH_REDIS_URL(?: \\(redis://127\\.0\\.0\\.1:\\d+/?\\))? refuses: ${reason}\\b`));
      }
    } finally {
      await own.close();
      await server.stop();
    }
  });

  it('does not begin a new installation on a Redis that evicts keys, unless the setting allows it', async function () {
    needsRedisServer(this);
    const server = await redisProcess({ settings: { 'maxmemory-policy': 'volatile-lru' } });
    try {
      const add = ['account', 'add', '--email', 'new@example.org'];
      const refused = await runPerch({ PERCH_REDIS_URL: server.url }, add);
      assert.deepEqual([refused.code, refused.out, refused.err.trim().split('\n').length], [1, '', 1], refused.err);
      assert.match(refused.err, /maxmemory-policy is volatile-lru.*PERCH_REDIS_ALLOW_EVICTION=true/);
      const allowed = await runPerch({ PERCH_REDIS_URL: server.url, PERCH_REDIS_ALLOW_EVICTION: 'true' }, add);
      assert.equal(allowed.code, 0, allowed.err);
    } finally {
      await server.stop();
    }
  });

  it('rejects data of a later release with one message and exit code 1', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const own = await openStore({ url: server.url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      await own.connections.commands.set('perch:{data-version}', '7 9.0.0');
      const { code, out, err } = await cli.run('account list', server.url);
      assert.deepEqual([code, out], [1, '']);
      assert.match(
        err,
        /data version 7, which release 9\.0\.0 introduced; this release, \d+\.\d+\.\d+, reads up to data version 1\. Start release 9/,
      );
      assert.doesNotMatch(err, /\n.*at /);
    } finally {
      await own.close();
      await server.stop();
    }
  });

  it('exits with an error instead of hanging when Redis accepts connections but rejects the first clock sync', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const own = await openStore({ url: server.url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      await own.connections.commands.call('ACL', ['SETUSER', 'timeless', 'on', '>secret', '~*', '&*', '+@all', '-time']);
      const refusing = new URL(server.url);
      Object.assign(refusing, { username: 'timeless', password: 'secret' });
      const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
      const child = spawn(process.execPath, [main, 'account', 'list'], {
        env: { ...process.env, PERCH_REDIS_URL: refusing.href },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let err = '';
      child.stderr.on('data', (chunk) => (err += chunk));
      const hung = setTimeout(() => child.kill('SIGKILL'), 40_000);
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      clearTimeout(hung);
      assert.deepEqual([code === 0, signal], [false, null], err);
      assert.match(err, /time/i);
    } finally {
      await own.close();
      await server.stop();
    }
  });
});
