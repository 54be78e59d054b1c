import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '@perch/cli';
import { openStore, type Store } from '@perch/store';
import { redisUrl } from '@perch/testkit';

describe('perch account', () => {
  let url = '';
  let store: Store;
  let email: string;
  let account: string;
  before(async () => {
    url = await redisUrl();
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
  });
  after(() => store?.close());
  beforeEach(async () => {
    email = `${randomUUID()}@example.org`;
    ({ account } = await store.accounts.create({ email }));
  });

  async function perch(line: string): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const code = await runProgram(line.split(' '), {
      environment: { PERCH_REDIS_URL: url },
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { code, out, err };
  }

  async function json<T>(line: string): Promise<T> {
    const { code, out, err } = await perch(`${line} --json`);
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  }

  describe('limits', () => {
    it('shows limits, sets the given ones, and resets them', async () => {
      assert.deepEqual(await json(`account limits ${email}`), { account, robots: 'default', keys: 'default', actions_per_second: 'default' });
      const set = await json(`account limits ${email} --robots 1 --keys none --actions-per-second 50`);
      assert.deepEqual(set, { account, robots: 1, keys: 'none', actions_per_second: 50 });
      const unset = await json(`account limits ${email} --robots default`);
      assert.deepEqual(unset, { account, robots: 'default', keys: 'none', actions_per_second: 50 });
      assert.match((await perch(`account limits ${email}`)).out, /^actions per second +50$/m);
    });

    it('applies limits to robots and keys added by perch, and names them in the error', async () => {
      await json(`account limits ${email} --robots 1 --keys 1`);
      await json(`robot add --account ${account}`);
      await json(`key add --account ${account}`);
      const robot = await perch(`robot add --account ${account}`);
      assert.notEqual(robot.code, 0);
      assert.match(robot.err, /This account is limited to 1 robots\./);
      assert.match((await perch(`key add --account ${account}`)).err, /This account is limited to 1 keys\./);
    });

    it('rejects a wrong limit by name, and sets nothing', async () => {
      for (const wrong of ['0', '-1', '1.5', 'many', '1000001', '1e3']) {
        const { code, err } = await perch(`account limits ${email} --keys 5 --robots ${wrong}`);
        assert.equal(code, 64, wrong);
        assert.match(err, /--robots/);
      }
      assert.match((await perch('account limits nobody@example.org')).err, /no account with the address nobody@example\.org/);
      assert.equal((await store.accountLimits.get(account)).keys, 'default');
    });
  });

  describe('export', () => {
    it('writes one JSON document without secrets to a file with mode 600, or prints it', async () => {
      const { robot, token } = await store.robots.create({ account, name: 'Desk' });
      const { apiKey } = await store.apiKeys.create({ account, name: 'a key' });
      const folder = await mkdtemp(join(tmpdir(), 'perch-'));
      const file = join(folder, 'export.json');
      // A file of a killed export or of another user.
      await writeFile(`${file}.part`, 'left', { mode: 0o666 });
      const { code, out, err } = await perch(`account export ${email} --file ${file}`);
      assert.equal(code, 0, err);
      const text = await readFile(file, 'utf8');
      assert.deepEqual(JSON.parse(out), { account, file, bytes: Buffer.byteLength(text) });
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      assert.deepEqual(await readdir(folder), ['export.json']);
      const exported = JSON.parse(text) as { account: { email: string }; robots: { id: string; name: string }[]; keys: { name: string }[] };
      assert.equal(exported.account.email, email);
      assert.deepEqual(
        exported.robots.map(({ id, name }) => [id, name]),
        [[robot, 'Desk']],
      );
      assert.deepEqual(
        exported.keys.map(({ name }) => name),
        ['a key'],
      );
      for (const secret of [token, apiKey]) assert.ok(!text.includes(secret));
      for (const flag of ['', ' --json']) {
        const printed = await perch(`account export ${email}${flag}`);
        assert.deepEqual({ ...(JSON.parse(printed.out) as object), exported_at: '' }, { ...exported, exported_at: '' });
      }
      await rm(folder, { recursive: true });
    });

    it('names a file that cannot be written, and an address without an account', async () => {
      const { code, err } = await perch(`account export ${email} --file /nowhere/export.json`);
      assert.equal(code, 1);
      assert.match(err, /--file \/nowhere\/export\.json/);
      assert.match((await perch('account export nobody@example.org')).err, /no account with the address nobody@example\.org/);
    });
  });

  describe('remove', () => {
    it('shows what it would remove without --yes, fails, and removes nothing', async () => {
      await store.robots.create({ account });
      const { code, err } = await perch(`account remove ${email}`);
      assert.equal(code, 1);
      assert.match(err, new RegExp(`would remove account ${account} with 1 robot, 0 keys, 0 webhooks: add --yes`));
      assert.equal((await store.accounts.findByEmail(email))?.id, account);
      assert.equal(await store.robots.count(account), 1);
    });

    it('removes the account with --yes, and then does not find it', async () => {
      const { robot } = await store.robots.create({ account });
      await store.apiKeys.create({ account });
      assert.deepEqual(await json(`account remove ${email} --yes`), { account, robots: 1, keys: 1, webhooks: 0, removed: true });
      assert.equal(await store.robots.get(robot), null);
      assert.equal(await store.accounts.findByEmail(email), null);
      for (const line of ['remove --yes', 'remove', 'export', 'limits']) {
        const [command, ...more] = line.split(' ');
        const { code, err } = await perch(['account', command, email, ...more].join(' '));
        assert.equal(code, 1, line);
        assert.match(err, /there is no account with the address/);
      }
      const again = await json<{ account: string }>(`account add --email ${email}`);
      assert.notEqual(again.account, account);
    });
  });
});
