/** Runs what docs/operate and docs/runbooks tell an operator to do with redis-cli, with the users of deploy/redis, as the user that the page names. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needsRedisServer, pageCommands, redisProcess, skipTest, until, writeRedisUsers, type LocalRedis } from '@perch/testkit';
import { connect, type Connections } from '../src/redis/connections.js';
import { openStore } from '../src/store.js';
import { createFullAccount } from './full-account.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = ['operate', 'runbooks'].flatMap((folder) => readdirSync(join(root, 'docs', folder)).map((name) => `${folder}/${name}`));
const textOf = (page: string): string => readFileSync(join(root, 'docs', page), 'utf8');

/** How the pages begin a command of redis-cli, and the user whose command it is; null for the server that restores a backup, which has no users. */
const asUser = new Map([
  ['--user operator', 'operator'],
  ['--user ADMIN', 'admin'],
  ['-u "$PERCH_REDIS_URL"', 'perch'],
  ['-p "$RESTORE_PORT"', null],
]);

interface Command {
  page: string;
  user: string;
  /** As a shell reads it. */
  rest: string;
}

/** Returns every command of redis-cli, in code within a line or in a block, also what another program runs. */
function commandsOnPages(): Command[] {
  const shell = pages.flatMap(pageCommands).filter(({ kind, notRun }) => kind === 'shell' && notRun === null);
  const found = shell.flatMap(({ page, text }) =>
    [...text.matchAll(/\bredis-cli ((?:[^`\n|);"']|"[^"]*"|'[^']*')+)/g)].map(([, words]) => {
      const begin = [...asUser.keys()].find((each) => words!.startsWith(each));
      assert.ok(begin !== undefined, `${page}: redis-cli ${words}: names no user`);
      return { page, user: asUser.get(begin) ?? null, rest: words!.slice(begin.length).trim() };
    }),
  );
  // --cluster needs the servers of a Cluster (docs/operate/cluster.md).
  return found.filter((command): command is Command => command.user !== null && !command.rest.startsWith('--cluster'));
}

/** What the runbooks name without redis-cli, since nobody is to run it there. */
const notToRun = new Set(['ACL SETUSER default', 'ACL failure in script', 'BGREWRITEAOF']);

describe('the pages for operators', () => {
  it('name a user for each command of Redis', () => {
    assert.ok(commandsOnPages().filter(({ user }) => user === 'operator').length > 10);
    const bare =
      /`((?:ACL|BGREWRITEAOF|BGSAVE|CLIENT|CLUSTER|CONFIG|DBSIZE|DEBUG|FUNCTION|INFO|LATENCY|MEMORY|MONITOR|SCAN|SCRIPT|SHUTDOWN|SLOWLOG)(?: [^`]*)?)`/g;
    const unnamed = pages
      .filter((page) => page.startsWith('runbooks/'))
      .flatMap((page) => [...textOf(page).matchAll(bare)].map(([, command]) => command!));
    assert.deepEqual(
      unnamed.filter((command) => !notToRun.has(command)),
      [],
    );
  });

  it('need every command that the user operator may run', () => {
    const named = commandsOnPages().filter(({ user }) => user === 'operator');
    const needed = new Set(named.flatMap(({ rest }) => commandsOf(rest)));
    assert.deepEqual(
      permitted.filter((command) => !needed.has(command) && !ofPrograms.has(command)),
      [],
    );
  });
});

/** redis-cli asks for the texts of its hints, and a Cluster's replica to serve reads. */
const ofPrograms = new Set(['command|docs', 'readonly']);
const permitted = [
  .../^user operator .* -@all (.*)$/m.exec(readFileSync(join(root, 'deploy/redis/users.acl'), 'utf8'))![1]!.matchAll(/\+(\S+)/g),
].map(([, command]) => command!);

const ofOptions: Record<string, string[]> = {
  '--askpass': [],
  '--latency': ['ping'],
  '--scan': ['scan'],
  '--bigkeys': ['scan', 'dbsize', 'type', 'strlen', 'llen', 'scard', 'zcard', 'hlen', 'xlen'],
  '--memkeys': ['scan', 'dbsize', 'type', 'memory|usage'],
};

/** Returns the names of the commands that redis-cli sends for what follows the user, as an ACL file writes them. */
function commandsOf(rest: string): string[] {
  const [first = '', second = ''] = rest.toLowerCase().split(' ');
  return ofOptions[first] ?? [permitted.includes(`${first}|${second}`) ? `${first}|${second}` : first];
}

describe('a Redis with the users of deploy/redis, for an operator', function () {
  const passwords = { perch: 'of-perch', operator: 'of/operator&' };
  let folder: string;
  let server: LocalRedis;
  let admin: Connections;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    const { path, libraryPath } = needsRedisServer(this);
    env = { ...process.env, PATH: `${dirname(path)}${delimiter}${process.env['PATH'] ?? ''}` };
    if (libraryPath !== undefined) env['LD_LIBRARY_PATH'] = libraryPath;
    if (spawnSync('redis-cli', ['--version'], { env }).status !== 0) skipTest(this, 'the pages use redis-cli, which is not on PATH');
    folder = mkdtempSync(join(tmpdir(), 'perch-operator-'));
    const aclfile = join(folder, 'users.acl');
    writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: passwords.perch, OPERATOR_PASSWORD: passwords.operator });
    appendFileSync(aclfile, 'user admin on nopass ~* &* +@all\n');
    server = await redisProcess({ appendOnly: true, settings: { aclfile, 'busy-reply-threshold': '100', appendfsync: 'always' } });
    admin = await connect({ url: urlOf('admin', 'any') });
    const store = await openStore({ url: urlOf('perch', passwords.perch), instance: 'gw-operator' });
    await createFullAccount(store);
    await store.close();
    // Of another program, as the page about a full Redis expects.
    await admin.commands.set('other:key', 'value');
  });
  after(async () => {
    await admin?.close();
    await server?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const urlOf = (user: string, password: string): string => `redis://${user}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
  /** Runs redis-cli as the user, through a shell, as a person does. Each line of its output. */
  const redisCli = async (user: string, rest: string, input = ''): Promise<string[]> => {
    const begin = user === 'perch' ? '-u "$PERCH_REDIS_URL"' : `-p ${server.port} --user ${user}`;
    const auth: Record<string, string> = rest.startsWith('--askpass') ? {} : { REDISCLI_AUTH: user === 'operator' ? passwords.operator : 'any' };
    if (user === 'perch') delete auth['REDISCLI_AUTH'];
    const variables = { ...env, ...auth, PERCH_REDIS_URL: urlOf('perch', passwords.perch) };
    const running = promisify(execFile)('/bin/sh', ['-c', `redis-cli ${begin} ${rest}`], { env: variables, timeout: 20_000 });
    // Most commands end without reading it.
    running.child.stdin!.on('error', () => undefined).end(input);
    const { stdout, stderr } = await running;
    return (stdout + stderr).trim().split('\n');
  };
  const operator = (command: string): Promise<string[]> => redisCli('operator', command);

  it('runs every command of the pages as the user that the page names, and refuses nothing that redis-cli sends for it', async () => {
    await admin.commands.call('ACL', 'LOG', 'RESET');
    const idle = await connect({ url: urlOf('admin', 'any') });
    // What the pages leave to the reader.
    const values: [string, string][] = [
      ['KEY', "'perch:{accounts}'"],
      ['ID NUMBER', `ID ${await idle.commands.call('CLIENT', 'INFO').then((info) => /id=(\d+)/.exec(String(info))![1])}`],
      ['FILE', join(folder, 'none.pem')],
      // The page adds a password before it removes one.
      ['NEW_SHA256', 'a'.repeat(64)],
      ['OLD_SHA256', 'a'.repeat(64)],
      ['SHA256', createHash('sha256').update(passwords.perch).digest('hex')],
    ];
    try {
      for (const { page, user, rest } of commandsOnPages()) {
        const command = values.reduce((text, [name, value]) => text.replace(new RegExp(`\\b${name}\\b`), value), rest);
        const lines = await redisCli(user, command, command.startsWith('--askpass') ? `${passwords.operator}\n` : '');
        const expected = user === 'perch' ? /^Warning: Using a password/ : expectedErrors.find(([begin]) => command.startsWith(begin))?.[1];
        const wrong = lines.filter((line) => /^(?:Error|Warning|AUTH failed|[A-Z]{3,} )/.test(line) && !(expected?.test(line) ?? false));
        assert.deepEqual(wrong, [], `${page}: ${user}: redis-cli ${command}`);
      }
    } finally {
      await idle.close();
    }
    const refused = (await admin.commands.call('ACL', 'LOG')) as string[][];
    assert.deepEqual(refused, []);
  });

  it('shows the operator names and sizes of all keys, who is connected, and what was refused', async () => {
    const big = (await operator('--bigkeys')).join('\n');
    for (const kind of ['string', 'hash', 'zset', 'stream']) assert.match(big, new RegExp(`Biggest +${kind} found`));
    assert.ok(Number(/Sampled (\d+) keys/.exec(big)![1]) > 20);
    assert.deepEqual(
      (await operator('--scan')).filter((key) => !key.startsWith('perch:')),
      ['other:key'],
    );
    assert.ok(Number((await operator("MEMORY USAGE 'perch:{accounts}'"))[0]) > 0);
    assert.ok((await operator('CLIENT LIST')).some((line) => line.includes(' user=admin ')));
    await operator('GET other:key');
    assert.ok((await operator('ACL LOG')).includes('get'));
  });

  it('refuses what the services send in words by which README.md of the runbooks is searched', async () => {
    const table = /^## By what the log says\n([\s\S]*?)^## /m.exec(textOf('runbooks/README.md'))![1]!;
    const words = [...table.matchAll(/`([A-Z]{3}[^`]+)`/g)].map(([, text]) => text!);
    const set = (...command: string[]): Promise<unknown> => admin.commands.call(command[0]!, ...command.slice(1));
    const refusals: [begins: string, work: (perch: Awaited<ReturnType<typeof connect>>) => Promise<unknown>][] = [
      ['READONLY', (perch) => set('REPLICAOF', '127.0.0.1', '1').then(() => perch.commands.set('perch:x', 'y'))],
      ['OOM', (perch) => set('CONFIG', 'SET', 'maxmemory', '1').then(() => perch.commands.set('perch:x', 'y'))],
      ['NOPERM', (perch) => perch.commands.set('other:x', 'y')],
      ['WRONGPASS', () => set('AUTH', 'perch', 'wrong')],
      // RESET ends the authentication of a connection.
      ['NOAUTH', (perch) => perch.commands.call('RESET').then(() => perch.commands.get('perch:x'))],
    ];
    for (const [begins, work] of refusals) {
      // A connection of its own: one that was told READONLY is closed and opened again.
      const perch = await connect({ url: urlOf('perch', passwords.perch) });
      try {
        const message = await work(perch).then(
          () => 'it was not refused',
          (error: Error) => error.message,
        );
        assert.ok(
          words.some((text) => text.startsWith(begins) && message.includes(text)),
          `${begins}: ${message}`,
        );
        await set('REPLICAOF', 'NO', 'ONE');
        await set('CONFIG', 'SET', 'maxmemory', '0');
      } finally {
        await perch.close();
      }
    }
  });

  it('lets the operator end a connection, and a script that keeps Redis busy', async () => {
    const stuck = await connect({ url: urlOf('admin', 'any') });
    try {
      const ended = stuck.commands.call('EVAL', 'while true do end', 0).then(
        () => 'it returned',
        (error: Error) => error.message,
      );
      await until(async () => (await operator('DBSIZE'))[0]!.startsWith('BUSY'));
      assert.deepEqual(await operator('SCRIPT KILL'), ['OK']);
      assert.match(await ended, /killed by user/i);
      const id = Number(await stuck.commands.call('CLIENT', 'ID'));
      assert.deepEqual(await operator(`CLIENT KILL ID ${id}`), ['1']);
    } finally {
      await stuck.close();
    }
  });

  it('lets the operator rewrite the append-only file', async () => {
    const rewrites = async (): Promise<number> => Number(/^aof_rewrites:(\d+)/m.exec(await admin.commands.info('persistence'))?.[1] ?? NaN);
    const before = await rewrites();
    assert.match((await operator('BGREWRITEAOF'))[0]!, /^Background append only file rewriting (?:started|scheduled)$/);
    await until(async () => (await rewrites()) > before);
  });

  it('refuses the operator every command of the server that reads or writes a value', async () => {
    const entries = (await admin.commands.call('COMMAND')) as CommandEntry[];
    const all = entries.flatMap((entry) => [entry, ...((entry[9] as CommandEntry[] | undefined) ?? [])]);
    const touching: string[] = [];
    const run: string[] = [];
    for (const [name, arity, flags, , , , , , specs, subcommands] of all) {
      if (flags.includes('no_auth') || (subcommands ?? []).length > 0) continue;
      const words = [...name.split('|'), ...Array<string>(Math.abs(arity)).fill('1')].slice(0, Math.abs(arity));
      const verdict = String(await admin.commands.call('ACL', 'DRYRUN', 'operator', ...words));
      if (!/no permissions to run/.test(verdict)) run.push(name);
      const forKeys = specs.flatMap((spec) => spec[spec.indexOf('flags') + 1] as string[]);
      if (forKeys.some((flag) => ['access', 'insert', 'update', 'delete'].includes(flag))) touching.push(name);
    }
    assert.ok(touching.length > 100, `${touching.length} commands`);
    const known = new Set(all.map(([name]) => name));
    assert.deepEqual(run.toSorted(), permitted.filter((name) => known.has(name)).toSorted());
    assert.deepEqual(
      run.filter((name) => touching.includes(name)),
      [],
    );
  });

  it('refuses the operator values, settings, users, scripts, copies and the end of the server', async () => {
    const redis = await connect({ url: urlOf('operator', passwords.operator) });
    const refused = [
      'GET perch:{data-version}; HGETALL perch:{accounts}; DUMP perch:{accounts}; GETRANGE perch:{accounts} 0 9; SET perch:x y; DEL perch:x',
      'EVAL x 0; FCALL f 0; SCRIPT LOAD x; SCRIPT FLUSH; FUNCTION LOAD x; MONITOR; SUBSCRIBE perch:x; PUBLISH perch:x y; CLIENT PAUSE 1',
      'SYNC; PSYNC ? -1; REPLICAOF 127.0.0.1 1; MIGRATE 127.0.0.1 1 k 0 9; FAILOVER; BGSAVE; FLUSHALL; SHUTDOWN',
      'CONFIG SET maxmemory 1; CONFIG GET masterauth; CONFIG REWRITE; ACL SETUSER operator +@all; ACL LIST; ACL GETUSER perch; ACL LOAD',
    ].flatMap((line) => line.split('; '));
    try {
      for (const command of refused) {
        const [name, ...args] = command.split(' ');
        await assert.rejects(redis.commands.call(name!, ...args), /^ReplyError: NOPERM/, command);
      }
    } finally {
      await redis.close();
    }
  });

  it('has no user operator without a password, and permits it what the server knows with one from a file', () => {
    const aclfile = join(folder, 'other.acl');
    writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: 'x' });
    assert.doesNotMatch(readFileSync(aclfile, 'utf8'), /operator|OPERATOR/);
    appendFileSync(join(folder, 'password'), `${passwords.operator}\n`);
    writeRedisUsers(aclfile, { PERCH_REDIS_PASSWORD: 'x', OPERATOR_PASSWORD_FILE: join(folder, 'password') });
    const line = (file: string): string | undefined => /^user operator .*$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[0];
    assert.notEqual(line('other.acl'), undefined);
    writeRedisUsers(join(folder, 'same.acl'), { PERCH_REDIS_PASSWORD: 'x', OPERATOR_PASSWORD: passwords.operator });
    assert.equal(line('other.acl'), line('same.acl'));
  });
});

/** Name, arity, flags, three positions, categories, tips, key specifications, subcommands. */
type CommandEntry = [string, number, string[], number, number, number, string[], string[], unknown[][], CommandEntry[]?];

/** Errors of commands for another kind of Redis, or with nothing to do. */
const expectedErrors: [command: string, error: RegExp][] = [
  ['CLUSTER', /^ERR This instance has cluster support disabled/],
  ['SCRIPT KILL', /^NOTBUSY /],
  ['CONFIG SET tls-cert-file', /^ERR /],
];
