import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster } from 'ioredis';
import { embeddedRedis, needsRedisServer, redisCluster, redisProcess, until, writeRedisUsers, type LocalRedis } from '@perch/testkit';
import { checkedCommands, refusedCommands, memoryOfMasters, readRedis } from '../src/redis/redis-report.js';
import { connect } from '../src/redis/connections.js';
import { servesWithoutPassword } from '../src/redis/default-user.js';
import { Workers } from '../src/jobs/workers.js';
import { openStore } from '../src/store.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const usersFile = join(root, 'deploy/redis/users.acl');
const script = join(root, 'deploy/redis/write-users.sh');

describe('the Redis users of deploy/redis/users.acl', () => {
  it('allows only commands that our scripts, our TypeScript or the scripts of BullMQ call', () => {
    const used = new Set([...inLua(), ...inTypeScript(), ...inBullMq(), ...ofConnections]);
    assert.deepEqual(
      allowedTo('perch').filter((command) => !used.has(command)),
      [],
    );
  });

  it('allows the user perch every command of our scripts', () => {
    const allowed = new Set(allowedTo('perch'));
    assert.deepEqual(
      inLua().filter((command) => !allowed.has(command)),
      [],
    );
  });

  it('allows the user perch the commands that perch redis check tries, and those by which connections and capabilities are told', () => {
    const told = ['quit', 'info', 'client|setname', 'client|setinfo', 'config|get', 'waitaof'];
    assert.deepEqual([...checkedCommands, ...told].toSorted(), allowedTo('perch').toSorted());
  });

  describe('on a Redis with this ACL file', () => {
    let folder: string;
    let server: LocalRedis;
    before(async function () {
      needsRedisServer(this);
      folder = mkdtempSync(join(tmpdir(), 'perch-acl-'));
      const aclfile = join(folder, 'users.acl');
      writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: 'secret/&', EXPORTER_PASSWORD: 'other' });
      appendFileSync(aclfile, 'user tests on nopass ~* &* +@all\n');
      server = await redisProcess({ appendOnly: true, settings: { aclfile } });
    });
    after(async () => {
      await server?.stop();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    });
    const urlOf = (user: string, password: string): string => `redis://${user}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;

    it('serves a store to the user perch and refuses one without a password', async () => {
      const store = await openStore({ url: urlOf('perch', 'secret/&'), instance: 'test-acl' });
      try {
        const { account } = await store.accounts.create({ email: 'acl@example.org' });
        const { apiKey } = await store.apiKeys.create({ account, name: 'test' });
        assert.equal((await store.apiKeys.admit({ apiKey, cost: 1 })).ok, true);
        const { robot } = await store.robots.create({ account });
        assert.equal((await memoryOfMasters(store.connections)).length, 1);
        assert.equal((await store.robotList.forOwner(account).next()).value?.[0]?.id, robot);
      } finally {
        await store.close();
      }
      await assert.rejects(connect({ url: server.url, connectTimeoutMs: 2000 }), /NOAUTH/);
    });

    it('warns at the start that Redis serves clients without a password only if its user default is on', async () => {
      const warnings: string[] = [];
      const warned = (): boolean => warnings.some((text) => /Redis serves clients without a password: its user default is on/.test(text));
      const open = () => connect({ url: urlOf('perch', 'secret/&'), onError: ({ message }) => warnings.push(message) });
      const administrator = await connect({ url: urlOf('tests', 'any') });
      let redis = await open();
      // Answered after the check that the start began without waiting for it.
      assert.equal(await servesWithoutPassword(redis.commands), false);
      await administrator.commands.call('ACL', 'SETUSER', 'default', 'on', 'nopass');
      await redis.close();
      assert.equal(warned(), false);
      redis = await open();
      try {
        await until(warned);
      } finally {
        await administrator.commands.call('ACL', 'SETUSER', 'default', 'off', 'resetpass');
        await Promise.all([redis.close(), administrator.close()]);
      }
    });

    it('perch redis check tells every command that a user may not run, and executes none', async () => {
      const administrator = await connect({ url: urlOf('tests', 'any') });
      await administrator.commands.call(
        'ACL',
        'SETUSER',
        'bare',
        'on',
        'nopass',
        '~perch:*',
        '&perch:*',
        '-@all',
        '+ping',
        '+multi',
        '+exec',
        '+info',
      );
      const connections = await Promise.all([connect({ url: urlOf('bare', 'any') }), connect({ url: urlOf('perch', 'secret/&') })]);
      try {
        const [bare, perch] = connections.map(({ commands }) => commands);
        const mayOrNeedNot = ['ping', 'multi', 'exec', 'asking', 'readonly', 'readwrite', 'cluster|slots', 'cluster|info'];
        const needed = checkedCommands.filter((name) => !mayOrNeedNot.includes(name) && !/^s(?:publish|subscribe|unsubscribe)$/.test(name));
        assert.deepEqual((await refusedCommands(bare!))?.toSorted(), needed.toSorted());
        assert.deepEqual(await refusedCommands(perch!), []);
        assert.deepEqual(await administrator.commands.keys('perch:{check}*'), []);
      } finally {
        await Promise.all([...connections, administrator].map((each) => each.close()));
      }
    });

    for (const setname of ['+client|setname', '-client|setname'])
      it(`names the connections of an instance after it, but for those of its workers, and serves without names: ${setname}`, async () => {
        const administrator = await connect({ url: urlOf('tests', 'any') });
        await administrator.commands.call('ACL', 'SETUSER', 'perch', setname);
        const errors: Error[] = [];
        const store = await openStore({ url: urlOf('perch', 'secret/&'), instance: 'gateway-a1b2', onError: (error) => errors.push(error) });
        const workers = new Workers(store.connections, (error) => errors.push(error));
        try {
          workers.add('named', { run: () => Promise.resolve() }, { concurrency: 1, lockDuration: 4000, stalledInterval: 2000, maxStalledCount: 2 });
          workers.openShards(1);
          await workers.ready();
          await store.accounts.create({ email: `${setname.startsWith('+') ? 'named' : 'unnamed'}@example.org` });
          const list = String(await administrator.commands.call('CLIENT', 'LIST'));
          const names = new Set([...list.matchAll(/ name=(\S*) .* user=perch /g)].map(([, name]) => name!));
          const ofWorkers = [...names].filter((name) => name.startsWith('perch:'));
          const isNamed = setname.startsWith('+');
          assert.deepEqual(
            [...names].filter((name) => !ofWorkers.includes(name)),
            [isNamed ? 'gateway-a1b2' : ''],
          );
          assert.equal(ofWorkers.length, isNamed ? 1 : 0);
          assert.equal(store.connections.capabilities.get('commands'), true);
          assert.deepEqual(
            errors.map(({ message }) => message).filter((message) => !/write is on disk/.test(message)),
            [],
          );
        } finally {
          await workers.close();
          await store.close();
          await administrator.commands.call('ACL', 'SETUSER', 'perch', '+client|setname');
          await administrator.close();
        }
      });

    for (const refused of [
      ['FLUSHALL'],
      ['KEYS', '*'],
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['ACL', 'LIST'],
      ['SHUTDOWN'],
      ['GET', 'other:key'],
      ['PUBLISH', 'other', 'x'],
    ]) {
      it(`refuses ${refused.join(' ')} to the user perch`, async () => {
        const redis = await connect({ url: urlOf('perch', 'secret/&') });
        try {
          await assert.rejects(redis.commands.call(refused[0]!, ...refused.slice(1)), /NOPERM/);
        } finally {
          await redis.close();
        }
      });
    }

    it('allows the user exporter INFO, but no keys and settings', async () => {
      const redis = await connect({ url: urlOf('exporter', 'other') });
      try {
        assert.match(await redis.commands.info(), /used_memory:/);
        await assert.rejects(redis.commands.get('perch:{accounts}'), /NOPERM/);
        await assert.rejects(redis.commands.config('GET', 'maxmemory'), /NOPERM/);
      } finally {
        await redis.close();
      }
    });

    it('says on standard error that the file is for Redis 7.0 if that is on PATH, and for no other server', () => {
      const errorsWith = (version: string): string => {
        const [program, target] = [join(folder, 'redis-server'), join(folder, 'written.acl')];
        writeFileSync(program, `#!/bin/sh\necho 'Redis server v=${version} sha=00000000:0 malloc=libc bits=64'\n`, { mode: 0o755 });
        const env = { PATH: `${folder}${delimiter}${process.env['PATH']}`, PERCH_REDIS_PASSWORD: 'secret' };
        const { status, stderr } = spawnSync('sh', [script, target], { env, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        assert.equal(readFileSync(target, 'utf8').includes('+waitaof'), stderr === '');
        return stderr;
      };
      assert.match(errorsWith('7.0.15'), /written\.acl is for Redis 7\.0, as .*redis-server is, and lacks \+waitaof and \+client\|setinfo.*\n$/);
      assert.equal(errorsWith('7.0.15').trim().split('\n').length, 1);
      assert.deepEqual(['7.2.4', '8.0.2'].map(errorsWith), ['', '']);
    });

    it('refuses to write the ACL file if a password is missing or given twice, without the password in the error', () => {
      const failure = (env: Record<string, string>): string => {
        try {
          execFileSync('sh', [script, join(folder, 'none.acl')], { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
        } catch (error) {
          return String((error as { stderr: Buffer }).stderr);
        }
        return 'it was written';
      };
      assert.match(failure({}), /PERCH_REDIS_PASSWORD or PERCH_REDIS_PASSWORD_FILE must be set/);
      const twice = failure({ PERCH_REDIS_PASSWORD: 'hunter2', PERCH_REDIS_PASSWORD_FILE: usersFile });
      assert.match(twice, /both set/);
      assert.doesNotMatch(twice, /hunter2/);
    });
  });

  it('perch redis check tells the commands that the embedded Redis does not know, and that Perch does without', async () => {
    const server = await embeddedRedis();
    try {
      const { refusedCommands: refused, capabilities, lostWrites } = await readRedis({ url: server.url });
      assert.deepEqual([refused, capabilities.find(({ name }) => name === 'commands')?.has, lostWrites], [['bgsave', 'wait'], true, 0]);
    } finally {
      await server.stop();
    }
  });

  it('perch redis check tries the commands that a Redis Cluster needs on all masters', async function () {
    needsRedisServer(this);
    const cluster = await redisCluster();
    const redis = await connect({ url: cluster.url });
    try {
      assert.deepEqual((await readRedis({ url: cluster.url })).refusedCommands, []);
      const masters = (redis.commands as Cluster).nodes('master');
      await masters.at(-1)!.call('ACL', 'SETUSER', 'default', '-hset', '-ssubscribe', '-select', '-cluster|info');
      assert.deepEqual((await readRedis({ url: cluster.url })).refusedCommands, ['cluster|info', 'hset', 'ssubscribe']);
    } finally {
      await redis.close();
      await cluster.stop();
    }
  });
});

/** Commands that ioredis and BullMQ send themselves: to open a connection, to follow a Cluster, to wait for jobs. */
const ofConnections = [
  ...['select', 'info', 'quit', 'client|setinfo', 'client|setname', 'eval', 'evalsha', 'bzpopmin'],
  ...['cluster|slots', 'cluster|info', 'readonly', 'readwrite', 'asking'],
];

function allowedTo(user: string): string[] {
  const line = readFileSync(usersFile, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`user ${user} `));
  assert.ok(line !== undefined && line.includes(' -@all '), `${user} does not begin with nothing`);
  return [...line.matchAll(/ \+(\S+)/g)].map(([, command]) => command!);
}

function inLua(): string[] {
  const folder = new URL('../lua/', import.meta.url);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lua'));
  return commandsIn(names.map((name) => readFileSync(new URL(name, folder), 'utf8')));
}

/** Scripts of BullMQ that our queues and workers use. */
const bullMqScripts =
  /^(?:add(?:Standard|Prioritized|Delayed)Job|addJobScheduler|updateJobScheduler|moveToActive|moveToFinished|moveToDelayed|moveStalledJobsToWait|extendLocks?|removeJob|removeDeduplicationKey|releaseLock)-\d+\.js$/;

function inBullMq(): string[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('bullmq')), 'scripts');
  const names = readdirSync(folder).filter((name) => bullMqScripts.test(name));
  assert.ok(names.length > 10, 'the scripts of BullMQ have moved');
  return commandsIn(names.map((name) => readFileSync(join(folder, name), 'utf8')));
}

function commandsIn(scripts: string[]): string[] {
  return [...new Set(scripts.flatMap((text) => [...text.matchAll(/call\(\s*["']([A-Za-z]+)["']/g)].map(([, command]) => command!.toLowerCase())))];
}

/** Returns the commands that our code calls as methods of ioredis or by name. */
function inTypeScript(): string[] {
  const folder = new URL('../src/', import.meta.url);
  const text = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  const methods = [...text.matchAll(/\.([a-z]+?)(?:Buffer)?\(/g)].map(([, method]) => method!);
  // rate-limiter-flexible counts with `incrby`; `scanStream` sends SCAN.
  const named = [...text.matchAll(/'([A-Z]+)'/g)].map(([, command]) => command!.toLowerCase());
  return [...methods, ...named, 'config|get', 'incrby', 'scan'];
}
