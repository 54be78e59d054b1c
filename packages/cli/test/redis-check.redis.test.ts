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
    const checked = JSON.parse(out) as { ok: boolean; default_users: { state: string }[]; lost_writes: null };
    assert.equal(checked.ok, code === 0);
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

    const started = async (defaultUser: string): Promise<void> => {
      const aclfile = join(folder, 'users.acl');
      writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: password });
      writeFileSync(aclfile, readFileSync(aclfile, 'utf8').replace(/^user default .*$/m, defaultUser));
      appendFileSync(aclfile, 'user admin on >of-the-administrator ~* &* +@all\n');
      server = await redisProcess({ settings: { aclfile } });
    };
    const run = (user: string, secret: string) =>
      runPerch({ PERCH_REDIS_URL: `redis://${user}:${secret}@127.0.0.1:${server.port}` }, ['redis', 'check']);

    it('says "unknown" and fails as the user perch, and reads the user default as an administrator', async () => {
      await started('user default off');
      const asPerch = await run('perch', password);
      assert.equal(asPerch.code, 1);
      assert.match(asPerch.out, /^default user \(127\.0\.0\.1:\d+\): unknown, because .*\nlost writes: none found\n$/);
      const asAdmin = await run('admin', 'of-the-administrator');
      assert.equal(asAdmin.code, 1);
      assert.match(asAdmin.out, /^default user \(127\.0\.0\.1:\d+\): not permitted everything: the next restart/);
    });

    it('accepts the shipped users as an administrator', async () => {
      await started('user default off resetpass ~* &* +@all');
      const { code, out } = await run('admin', 'of-the-administrator');
      assert.equal(code, 0);
      assert.match(out, /: off, and permitted everything/);
    });
  });
});
