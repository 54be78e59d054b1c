import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { needsRedisServer, redisProcess, writeRedisUsers, type LocalRedis } from '@perch/testkit';
import { runPerch } from './run-perch.js';

const password = 'a-password-of-tests';
const shipped = fileURLToPath(new URL('../../../deploy/redis/users.acl', import.meta.url));

describe('perch redis check', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-check-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const check = async (line: string): Promise<[code: number, state: string]> => {
    const file = join(folder, 'users.acl');
    writeFileSync(file, `# users\n${line}\nuser perch on #abc ~perch:* -@all +get\n`);
    const { code, out } = await runPerch({}, ['redis', 'check', '--users-file', file, '--json']);
    const checked = JSON.parse(out) as { ok: boolean; default_users: { state: string }[]; capabilities: [] };
    assert.deepEqual([checked.ok, checked.capabilities], [code === 0, []]);
    return [code, checked.default_users[0]!.state];
  };

  it('accepts the shipped users file, and refuses that of 0.10.0 with the runbook to follow', async () => {
    const now = await runPerch({}, ['redis', 'check', '--users-file', shipped]);
    assert.deepEqual([now.code, now.out], [0, `default user (${shipped}): off, and permitted everything: Redis keeps all data when it restarts\n`]);
    writeFileSync(join(folder, 'old.acl'), readFileSync(shipped, 'utf8').replace(/^user default .*$/m, 'user default off'));
    const before = await runPerch({}, ['redis', 'check', '--users-file', join(folder, 'old.acl')]);
    assert.equal(before.code, 1);
    assert.match(before.out, /the next restart of Redis drops .*PerchRedisLostWrites\.md/);
  });

  it('tells a default user that is on, open, restricted or missing in a users file', async () => {
    assert.deepEqual(await check('user default off resetpass ~* &* +@all'), [0, 'off']);
    assert.deepEqual(await check('user default on >secret allkeys allchannels allcommands'), [0, 'on']);
    assert.deepEqual(await check('user default on nopass ~* &* +@all'), [1, 'open']);
    assert.deepEqual(await check(''), [1, 'open']);
    assert.deepEqual(await check('user default off ~* &* +@all -flushall'), [1, 'restricted']);
    assert.deepEqual(await check('user default off ~perch:* &* +@all'), [1, 'restricted']);
    assert.deepEqual(await check('user default off ~* resetchannels +@all'), [1, 'restricted']);
    assert.deepEqual(await check('user default off ~* &* +@all reset'), [1, 'restricted']);
    assert.deepEqual(await check('user default off ~* &* +@all RESET'), [1, 'restricted']);
    assert.deepEqual(await check('user default off ~* &* +@all ON NOPASS'), [1, 'open']);
    assert.deepEqual(await check('user default OFF ALLKEYS ALLCHANNELS ALLCOMMANDS'), [0, 'off']);
    assert.deepEqual(await check('user default off ~other &* +@all (+get ~* +set)'), [1, 'restricted']);
    assert.deepEqual(await check('user default off sanitize-payload ~* &* +@all (~x resetchannels -@all +get)'), [0, 'off']);
  });

  it('says of a users file without +waitaof, as one for Redis 7.0 is, that nothing waits for the disk, which is no failure', async () => {
    const file = join(folder, 'users.acl');
    const of = async (rules: string): Promise<[code: number, permits: unknown]> => {
      writeFileSync(file, `user default off ~* &* +@all\nuser perch on #abc ~perch:* ${rules}\n`);
      const { code, out } = await runPerch({}, ['redis', 'check', '--users-file', file, '--json']);
      return [code, (JSON.parse(out) as { file_permits_waitaof: unknown }).file_permits_waitaof];
    };
    writeFileSync(file, readFileSync(shipped, 'utf8').replace(' +waitaof', ''));
    const { code, out } = await runPerch({}, ['redis', 'check', '--users-file', file]);
    assert.equal(code, 0);
    assert.match(out, /\nuser perch \(.*users\.acl\): may not run WAITAOF, .*write the file anew with deploy\/redis\/write-users\.sh.*ACL LOAD\n$/);
    for (const rules of ['-@all +get', '+@all -waitaof', '+@all -@blocking', 'allcommands reset', '-@all (+waitaof ~*)'])
      assert.deepEqual(await of(rules), [0, false], rules);
    for (const rules of ['-@all +WAITAOF', '+@all', '-@all +@connection', '-waitaof allcommands', '+@all (-waitaof ~*)'])
      assert.deepEqual(await of(rules), [0, true], rules);
    writeFileSync(file, 'user default off ~* &* +@all\nuser app on #abc ~* -@all\n');
    assert.doesNotMatch((await runPerch({}, ['redis', 'check', '--users-file', file])).out, /WAITAOF/);
  });

  it('names the users file that it cannot read', async () => {
    const { code, err } = await runPerch({}, ['redis', 'check', '--users-file', join(folder, 'none.acl')]);
    assert.equal(code, 64);
    assert.match(err, /--users-file: cannot be read: ENOENT/);
  });

  describe('on a running Redis', () => {
    let server: LocalRedis;
    before(function () {
      needsRedisServer(this);
    });
    afterEach(() => server.stop());

    const started = async (defaultUser: string, settings: Record<string, string> = {}): Promise<void> => {
      const aclfile = join(folder, 'users.acl');
      writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: password });
      writeFileSync(aclfile, readFileSync(aclfile, 'utf8').replace(/^user default .*$/m, defaultUser));
      appendFileSync(aclfile, 'user admin on >of-the-administrator ~* &* +@all\nuser tests on nopass ~* &* +@all\n');
      server = await redisProcess({ admin: 'tests', settings: { aclfile, ...settings } });
    };
    const run = (user: string, secret: string) =>
      runPerch({ PERCH_REDIS_URL: `redis://${user}:${secret}@127.0.0.1:${server.port}` }, ['redis', 'check']);

    it('succeeds as the user perch, although the user default is unknown then, and reads it as an administrator', async () => {
      await started('user default off', { appendonly: 'yes' });
      const asPerch = await run('perch', password);
      assert.equal(asPerch.code, 0, asPerch.out);
      const [user, ...lines] = asPerch.out.trim().split('\n');
      assert.match(user!, /^default user \(127\.0\.0\.1:\d+\): unknown, because .* --users-file/);
      assert.equal(lines.pop(), 'lost writes: none found');
      // WAITAOF comes with Redis 7.2.
      const names = lines.map((line) => line.replace(/^waitaof: no: .*/, 'waitaof: yes').replace(/: Redis.*/, ''));
      assert.deepEqual(
        names,
        ['master', 'noeviction', 'aof', 'waitaof', 'commands', 'maxclients'].map((name) => `${name}: yes`),
      );
      const asAdmin = await run('admin', 'of-the-administrator');
      assert.equal(asAdmin.code, 1);
      assert.match(asAdmin.out, /^default user \(127\.0\.0\.1:\d+\): not permitted everything: the next restart/);
    });

    it('reports an empty Redis that evicts keys, and leaves it as refused to a new installation', async () => {
      await started('user default off ~* &* +@all', { 'maxmemory-policy': 'volatile-lru' });
      const { code, out } = await run('perch', password);
      assert.equal(code, 1);
      assert.match(out, /\nnoeviction: no: .*maxmemory-policy is volatile-lru\. Set noeviction\. A new installation does not begin on it/);
      assert.match(out, /\naof: no: .*Set appendonly yes/);
      const add = await runPerch({ PERCH_REDIS_URL: server.url.replace('//', `//perch:${password}@`) }, [
        'account',
        'add',
        '--email',
        'a@example.org',
      ]);
      assert.match(add.err, /PERCH_REDIS_ALLOW_EVICTION/);
    });

    it('names the commands that Redis refuses, and fails for those that Perch needs alone', async () => {
      await started('user default off ~* &* +@all');
      await server.ask(['ACL', 'SETUSER', 'perch', '-hset', '-evalsha', '-subscribe', '-wait']);
      const { code, out } = await run('perch', password);
      assert.equal(code, 1);
      assert.match(out, /\ncommands: no: Redis refuses evalsha hset subscribe to the user .*users\.acl\. wait is refused: .*replica/);
      assert.match(out, /\nlost writes: unknown, because /);
      await server.ask(['ACL', 'SETUSER', 'perch', '+hset', '+evalsha', '+subscribe', '-bgsave']);
      const now = await run('perch', password);
      assert.deepEqual([now.code, /\ncommands: yes: .*\. bgsave is refused: .*\. wait is refused: /.test(now.out)], [0, true], now.out);
    });

    it('says that what INFO does not report is unknown and where to look, and succeeds, as on a hosted Redis', async () => {
      await started('user default off ~* &* +@all');
      await server.ask(['ACL', 'SETUSER', 'perch', '-info', '-config|get', '-multi']);
      const { code, out } = await run('perch', password);
      for (const name of ['master', 'noeviction', 'aof', 'maxclients']) assert.match(out, new RegExp(`\\n${name}: unknown: INFO does not tell`));
      // Without MULTI nothing can be tried, and Perch does not run.
      assert.deepEqual([code, /\ncommands: no: Redis refuses multi /.test(out)], [1, true], out);
      await server.ask(['ACL', 'SETUSER', 'perch', '+multi']);
      assert.equal((await run('perch', password)).code, 0);
    });

    it('reports a replica, and a Redis that is open to all, which the user perch may not read either', async () => {
      await started('user default off ~* &* +@all');
      await server.ask(['REPLICAOF', '127.0.0.1', '1']);
      await server.ask(['ACL', 'SETUSER', 'default', 'on', 'nopass']);
      const { code, out } = await run('perch', password);
      assert.equal(code, 1);
      assert.match(out, /^default user \(.*\): on without a password/);
      assert.match(out, /\nmaster: no: Redis is a replica.*PERCH_REDIS_URL must lead to the master\n/);
      assert.match(out, /\ncommands: yes: /);
      assert.match(out, /\nlost writes: unknown/);
    });

    it('accepts the shipped users as an administrator', async () => {
      await started('user default off resetpass ~* &* +@all');
      const { code, out } = await run('admin', 'of-the-administrator');
      assert.equal(code, 0);
      assert.match(out, /: off, and permitted everything/);
    });
  });
});
