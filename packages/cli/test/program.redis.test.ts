import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@perch/cli';
import { isPlainText } from '@perch/schema';
import { openStore, type Store } from '@perch/store';
import { needsRedisServer, redisProcess, redisUrl, until } from '@perch/testkit';

describe('perch', () => {
  let url = '';
  let store: Store;
  before(async () => {
    url = await redisUrl();
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
  });
  after(() => store?.close());

  async function perch(line: string, redis = url): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const code = await runProgram(line.split(' '), {
      environment: { PERCH_REDIS_URL: redis },
      out: (text) => (out += text),
      err: (text) => (err += text),
    });
    return { code, out, err };
  }

  /** Runs with --json and returns the parsed line. */
  async function json<T>(line: string): Promise<T> {
    const { code, out, err } = await perch(`${line} --json`);
    assert.equal(code, 0, err);
    assert.equal(out.indexOf('\n'), out.length - 1, 'exactly one line');
    return JSON.parse(out) as T;
  }

  const addAccount = async (): Promise<string> => (await json<{ account: string }>(`account add --email ${randomUUID()}@example.org`)).account;

  it('adds an account, and lists it', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await json<{ account: string }>(`account add --email ${email}`);
    const { accounts } = await json<{ accounts: { account: string; email: string }[] }>('account list');
    assert.equal(accounts.find((one) => one.account === account)?.email, email);
    const { out } = await perch('account list');
    assert.match(out, new RegExp(`${account} +${email}`));
  });

  it('adds an account with a robot and a key for it in one command', async () => {
    const made = await json<Record<string, string>>(`account add --email ${randomUUID()}@example.org --with-robot --with-key`);
    assert.deepEqual(Object.keys(made), ['account', 'robot', 'robot_token', 'api_key']);
    assert.deepEqual(
      (await store.robots.list(made['account']!)).map(({ id }) => id),
      [made['robot']],
    );
    const keys = await store.apiKeys.list(made['account']!);
    assert.deepEqual(
      keys.map(({ robots }) => robots),
      ['*'],
    );
    const { out } = await perch(`account add --email ${randomUUID()}@example.org --with-robot --with-key`);
    assert.match(out, /^account a-\S+\nrobot {3}r-\S+\ntoken {3}\S+ {4}\(shown only now\)\nkey {5}pk_\S+ {4}\(shown only now\)\n$/);
  });

  it('rejects an address that is already used, with a message and exit code 1', async () => {
    const email = `${randomUUID()}@example.org`;
    await json(`account add --email ${email}`);
    const { code, err, out } = await perch(`account add --email ${email}`);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /^perch: email: .*\n$/);
  });

  it('creates a one-time sign-in URL at a running gateway, or at PERCH_BASE_URL', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await json<{ account: string }>(`account add --email ${email}`);
    const made = await json<{ account: string; url: string }>(`account link ${email.toUpperCase()}`);
    assert.equal(made.account, account);
    const { hash, pathname } = new URL(made.url);
    assert.equal(pathname, '/');
    const [, link = ''] = /^#sign-in=(.+)$/.exec(hash)!;
    assert.deepEqual([await store.signInTokens.take(link), await store.signInTokens.take(link)], [account, null]);
    assert.match((await perch(`account link nobody@example.org`)).err, /^perch: there is no account with the address nobody@example.org: .*\n$/);
  });

  it('sets a new password and ends the sessions of the account', async () => {
    const email = `${randomUUID()}@example.org`;
    const { account } = await json<{ account: string }>(`account add --email ${email}`);
    const { secret } = await store.sessions.begin(account);
    const { password } = await json<{ password: string }>(`account password ${email}`);
    assert.equal((await store.passwords.check(email, password))?.account, account);
    assert.equal((await store.apiKeys.admit({ apiKey: secret, cost: 0 })).ok, false);
    const again = await json<{ password: string }>(`account password ${email}`);
    assert.notEqual(again.password, password);
    assert.equal(await store.passwords.check(email, password), null);
  });

  it('ends the sessions of an account, or of all', async () => {
    const emails = [1, 2].map(() => `${randomUUID()}@example.org`);
    const begun = await Promise.all(
      emails.map(async (email) => store.sessions.begin((await json<{ account: string }>(`account add --email ${email}`)).account)),
    );
    const alive = async () => Promise.all(begun.map(async ({ secret }) => (await store.apiKeys.admit({ apiKey: secret, cost: 0 })).ok));
    assert.deepEqual(await json(`account sign-out ${emails[0]}`), { accounts: 1 });
    assert.deepEqual(await alive(), [false, true]);
    const { url: link } = await json<{ url: string }>(`account link ${emails[0]}`);
    assert.ok((await json<{ accounts: number }>('account sign-out --all')).accounts >= 2);
    assert.equal(await store.signInTokens.take(link.split('#sign-in=')[1]!), null);
    assert.deepEqual(await alive(), [false, false]);
    for (const wrong of ['account sign-out', `account sign-out ${emails[0]} --all`]) assert.equal((await perch(wrong)).code, 64);
  });

  it('creates an invitation that expires after some days', async () => {
    const { invitation, url } = await json<{ invitation: string; url: string }>('invitation create --days 2');
    assert.ok(url.endsWith(`/sign-up#invitation=${invitation}`), url);
    const days = (await store.invitations.lifeMs(invitation))! / 86_400_000;
    assert.ok(days > 1.9 && days <= 2, `${days} days`);
    for (const wrong of ['0', '366', 'x', '1.5']) assert.equal((await perch(`invitation create --days ${wrong}`)).code, 64, wrong);
  });

  it('revokes all invitations, only with --all', async () => {
    const { invitation } = await json<{ invitation: string }>('invitation create');
    assert.equal((await perch('invitation revoke')).code, 64);
    assert.notEqual(await store.invitations.lifeMs(invitation), null);
    assert.ok((await json<{ invitations: number }>('invitation revoke --all')).invitations >= 1);
    assert.equal(await store.invitations.lifeMs(invitation), null);
    assert.equal((await perch('invitation revoke --all')).out, 'revoked 0 invitations\n');
  });

  it('adds a robot with a valid token, and a key for it', async () => {
    const account = await addAccount();
    const { robot, robot_token } = await json<{ robot: string; robot_token: string }>(`robot add --account ${account} --name Desk`);
    assert.equal((await store.robots.byToken(robot_token))?.id, robot);
    const { api_key, id } = await json<{ api_key: string; id: string }>(`key add --account ${account}`);
    const admission = await store.apiKeys.admit({ apiKey: api_key, robot: { id: robot, account }, cost: 0 });
    assert.ok(admission.ok);
    assert.deepEqual(
      (await store.apiKeys.list(account)).map((key) => key.id),
      [id],
    );
    const { robots } = await json<{ robots: { robot: string; name: string; online: boolean }[] }>(`robot list --account ${account}`);
    assert.deepEqual(
      robots.map(({ robot: listed, name, online }) => ({ listed, name, online })),
      [{ listed: robot, name: 'Desk', online: false }],
    );
  });

  it('lists an account of 250 robots ascending by id, up to --limit, and only those of --firmware or --online', async () => {
    const account = await addAccount();
    const made = await Promise.all(Array.from({ length: 250 }, () => store.robots.ensure({ account, firmware: '1.0' })));
    const { robot: other } = await json<{ robot: string }>(`robot add --account ${account} --name Other`);
    const ids = [...made, other].toSorted();
    const list = async (flags: string): Promise<string[]> =>
      (await json<{ robots: { robot: string }[] }>(`robot list --account ${account} ${flags}`)).robots.map(({ robot }) => robot);
    assert.deepEqual(await list('--no-online'), ids);
    assert.deepEqual(await list('--limit 120'), ids.slice(0, 120));
    assert.deepEqual((await list('--firmware 1.0')).length, 250);
    assert.deepEqual(await list('--online'), []);
    const { out } = await perch(`robot list --account ${account}`);
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split(' ')[0]),
      ids,
    );
  });

  it('lists a robot that moves between instances as online, as GET /v1/robots does', async () => {
    const account = await addAccount();
    const { robot } = await json<{ robot: string }>(`robot add --account ${account}`);
    const session = 's-moves0000';
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    await store.leases.take(robot, { session, bootId: 'b', dial: 1, tokenHash, model: 'm', firmware: 'f', hello: {} });
    assert.equal(await store.leases.release(robot, session, 'moving'), true);
    const { robots } = await json<{ robots: { robot: string; online: boolean }[] }>(`robot list --account ${account}`);
    assert.deepEqual(
      robots.map(({ robot: id, online }) => ({ id, online })),
      [{ id: robot, online: true }],
    );
    assert.match((await perch(`robot list --account ${account}`)).out, new RegExp(`${robot} +${robot} +online`));
    await store.leases.release(robot, session, 'away');
  });

  it('prints no escape sequences of robots, names and rejected arguments', async () => {
    const hostile = 'Desk\x1b]0;owned\x07\n\u202e\x9b2J';
    const account = await addAccount();
    // As versions before 1.0 stored them.
    const { robot } = await store.robots.create({ account, name: hostile });
    await store.apiKeys.create({ account, name: hostile });
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    await store.leases.take(robot, { session: 's-hostile00', bootId: 'b', dial: 1, tokenHash, model: hostile, firmware: hostile, hello: {} });
    const shown = 'Desk\\u001b]0;owned\\u0007\\u000a\\u202e\\u009b2J';
    for (const list of ['robot', 'key']) {
      const { out } = await perch(`${list} list --account ${account}`);
      assert.ok(out.includes(shown), out);
      assert.deepEqual(
        out.split('\n').filter((line) => !isPlainText(line)),
        [],
      );
      assert.ok(isPlainText((await perch(`${list} list --account ${account} --json`)).out.trimEnd()));
    }
    const { err } = await perch(`account link ${hostile.replace('\n', '')}@x`);
    assert.match(err, /^perch: there is no account/);
    assert.ok(isPlainText(err.trimEnd()), err);
  });

  it('rejects names and addresses with control or text-direction characters, naming the argument', async () => {
    const account = await addAccount();
    for (const character of ['\x1b', '\x9b', '\u202e']) {
      for (const line of [`robot add --account ${account} --name a${character}b`, `key add --account ${account} --name a${character}b`]) {
        const { code, err } = await perch(line);
        assert.deepEqual([code, err], [64, 'perch: --name: must not contain line breaks, control characters or text-direction characters\n']);
      }
      assert.match((await perch(`account add --email ada${character}@example.org`)).err, /^perch: email: not an e-mail address\n$/);
    }
  });

  it('adds the robot that shows a pairing code', async () => {
    const account = await addAccount();
    const { deviceCode, userCode } = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: 'f' });
    const { robot } = await json<{ robot: string }>(`robot add --account ${account} --code ${userCode}`);
    const polled = await store.pairing.poll(deviceCode);
    assert.ok(typeof polled === 'object');
    assert.equal(polled.robot, robot);
    assert.equal((await perch(`robot add --account ${account} --code ZZZZ-ZZZZ`)).code, 1);
  });

  it('removes a robot, and has its instance close the session as revoked', async () => {
    const account = await addAccount();
    const { robot, robot_token } = await json<{ robot: string; robot_token: string }>(`robot add --account ${account}`);
    const received: unknown[] = [];
    const leave = await store.linkMailbox.receive(store.instance, (message) => received.push(message));
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    const taken = await store.leases.take(robot, { session: 's-12345678', bootId: 'b', dial: 1, tokenHash, model: 'm', firmware: 'f', hello: {} });
    assert.ok(!('refused' in taken));

    assert.deepEqual(await json(`robot remove ${robot}`), { robot, removed: true });
    await until(() => received.length > 0);
    assert.deepEqual(received, [{ t: 'close', robot, session: 's-12345678', code: 4003 }]);
    assert.equal(await store.robots.byToken(robot_token), null);
    assert.equal((await perch(`robot remove ${robot}`)).code, 1);
    await leave();
  });

  it('revokes a key, which is then rejected', async () => {
    const account = await addAccount();
    const { api_key, id } = await json<{ api_key: string; id: string }>(`key add --account ${account}`);
    assert.deepEqual(await json(`key revoke ${id} --account ${account}`), { id, revoked: true, webhooks: [] });
    assert.deepEqual(await store.apiKeys.admit({ apiKey: api_key, cost: 0 }), { ok: false, reason: 'unauthorized' });
    assert.deepEqual(await json(`key list --account ${account}`), { keys: [] });
    assert.equal((await perch(`key revoke ${id} --account ${account}`)).code, 1);
  });

  it('creates a key for some robots and with an expiry', async () => {
    const account = await addAccount();
    const { robot } = await json<{ robot: string }>(`robot add --account ${account}`);
    await json(`key add --account ${account} --name lab --robots ${robot} --expires 30d`);
    const { keys } = await json<{ keys: { name: string; robots: string[]; expires_at: string }[] }>(`key list --account ${account}`);
    assert.deepEqual(
      keys.map(({ name, robots }) => ({ name, robots })),
      [{ name: 'lab', robots: [robot] }],
    );
    const days = (Date.parse(keys[0]!.expires_at) - store.clock.now()) / 86_400_000;
    assert.ok(days > 29.9 && days <= 30, `${days} days`);
  });

  for (const [line, code, says] of [
    ['robot add', 64, /--account/],
    ['robot add --account a-nobody0000', 1, /no account a-nobody0000.*account list/],
    ['robot remove r-nobody0000', 1, /no robot r-nobody0000/],
    ['key add --account a-nobody0000', 1, /no account/],
    ['key list --account a-nobody0000', 1, /no account/],
    ['account add --email nobody', 1, /email/],
    ['account ad', 64, /unknown command|ad/],
    ['robotts', 64, /unknown command/],
    ['key add --account a --colour red', 64, /--colour/],
  ] as const) {
    it(`rejects "${line}" with ${code} and names the problem`, async () => {
      const result = await perch(line);
      assert.equal(result.code, code, result.err);
      assert.match(result.err, says);
      assert.equal(result.out, '');
    });
  }

  it('rejects robots of other accounts and times in the past', async () => {
    const account = await addAccount();
    const { robot } = await json<{ robot: string }>(`robot add --account ${await addAccount()}`);
    assert.match((await perch(`key add --account ${account} --robots ${robot}`)).err, new RegExp(`no robot ${robot}`));
    assert.equal((await perch(`key add --account ${account} --expires 2020-01-01`)).code, 64);
    assert.equal((await perch(`key add --account ${account} --expires soon`)).code, 64);
  });

  it('reports a missing variable, and an unreachable Redis', async () => {
    const unset = await perch('account list', '');
    assert.equal(unset.code, 64);
    assert.match(unset.err, /PERCH_REDIS_URL is not set.*npm start/);
    const nobody = await perch('account list', 'redis://127.0.0.1:1');
    assert.equal(nobody.code, 1);
    assert.match(nobody.err, /PERCH_REDIS_URL does not answer/);
    assert.ok(!nobody.err.includes('    at '), 'no stack');
  }).timeout(15_000);

  it('lists the webhooks that a revoked key created, and removes them with --webhooks', async () => {
    const account = await addAccount();
    for (const [option, left] of [
      ['', 1],
      [' --webhooks', 0],
    ] as const) {
      const { id } = await store.apiKeys.create({ account });
      const keyHash = (await store.apiKeys.hashOf(account, id))!;
      const made = await store.webhooks.create(account, { url: 'https://example.com/', keyHash });
      const { out } = await perch(`key revoke ${id} --account ${account}${option}`);
      assert.match(out, new RegExp(`^revoked ${id}\n.*${made.id} https://example.com/\n$`));
      assert.equal((await store.webhooks.createdBy(account, keyHash)).length, left);
    }
  });

  it('revokes a key and removes a robot while Redis is at its memory limit, and reports the limit for other commands', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const own = await openStore({ url: server.url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      const { account } = await own.accounts.create({ email: 'full@example.org' });
      const [key, { robot }] = [await own.apiKeys.create({ account }), await own.robots.create({ account })];
      await own.connections.commands.call('CONFIG', ['SET', 'maxmemory', '100kb']);
      assert.deepEqual(await perch(`key revoke ${key.id} --account ${account}`, server.url), { code: 0, out: `revoked ${key.id}\n`, err: '' });
      assert.equal((await perch(`robot remove ${robot}`, server.url)).code, 0);
      const refused = await perch(`key add --account ${account}`, server.url);
      assert.equal(refused.code, 1);
      assert.match(refused.err, /memory limit/);
    } finally {
      await own.close();
      await server.stop();
    }
  }).timeout(30_000);

  it('rejects data of a later release with one message and exit code 1', async function () {
    needsRedisServer(this);
    const server = await redisProcess();
    const own = await openStore({ url: server.url, instance: `test-${randomUUID().slice(0, 8)}` });
    try {
      await own.connections.commands.set('perch:{data-version}', '7 9.0.0');
      const { code, out, err } = await perch('account list', server.url);
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
      const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=source', main, 'account', 'list'], {
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
  }).timeout(60_000);

  for (const line of ['--help', 'account --help', 'robot add --help', 'key add --help']) {
    it(`prints help with examples or options: ${line}`, async () => {
      const { code, out } = await perch(line, '');
      assert.equal(code, 0);
      assert.match(out, /Usage: perch/);
    });
  }
});
