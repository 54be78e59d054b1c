import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@perch/store';
import { needsRedisServer, redisProcess, redisUrl } from '@perch/testkit';
import { runPerch, runPerchJson } from './run-perch.js';

interface Imported {
  robot: string;
  name: string;
  serial: string;
  labels: Record<string, string>;
  robot_token: string | null;
}

describe('perch robot import and export', () => {
  let environment: Record<string, string>;
  let store: Store;
  let folder: string;
  let account: string;
  before(async () => {
    const url = await redisUrl();
    environment = { PERCH_REDIS_URL: url };
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
    folder = await mkdtemp(join(tmpdir(), 'perch-import-'));
  });
  beforeEach(async () => {
    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
  });
  after(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function fileOf(text: string | Uint8Array): Promise<string> {
    const path = join(folder, `${randomUUID()}.csv`);
    await writeFile(path, text);
    return path;
  }

  async function importOf(text: string, ...flags: string[]): Promise<Imported[]> {
    const args = ['robot', 'import', '--account', account, '--file', await fileOf(text), ...flags];
    return (await runPerchJson<{ robots: Imported[] }>(environment, args)).robots;
  }

  async function refused(
    text: string | Uint8Array,
    ...flags: string[]
  ): Promise<{ error: string; problems: { line: number; column: string; reason: string }[]; wrong_lines: number }> {
    const args = ['robot', 'import', '--account', account, '--file', await fileOf(text), ...flags];
    return runPerchJson(environment, args, 1);
  }

  const exported = async (...flags: string[]): Promise<string> =>
    (await runPerch(environment, ['robot', 'export', '--account', account, ...flags])).out;

  it('creates each robot with token, name, serial and labels, in the order of the file, which may begin with a byte order mark', async () => {
    const robots = await importOf('\ufeffname,serial,labels\r\nDesk,SN-1,room=r1;floor=2\r\n,SN-2,\r\n');
    assert.deepEqual(
      robots.map(({ name, serial, labels }) => ({ name, serial, labels })),
      [
        { name: 'Desk', serial: 'SN-1', labels: { room: 'r1', floor: '2' } },
        { name: robots[1]!.robot, serial: 'SN-2', labels: {} },
      ],
    );
    for (const { robot, robot_token, serial } of robots) {
      const record = await store.robots.byToken(robot_token!);
      assert.deepEqual([record?.id, record?.account, record?.serial], [robot, account, serial]);
    }
    assert.deepEqual(await store.robotLabels.of(account, robots[0]!.robot), { floor: '2', room: 'r1' });
  });

  it('creates nothing if one line is wrong, and lists each wrong line with column and reason', async () => {
    const { robot: known } = await store.robots.create({ account, serial: 'SN-9' });
    const { error, problems, wrong_lines } = await refused('name,serial,labels\nDesk,SN-1,\nDesk,SN-1,\nDesk,SN-9,\nDesk,SN-2,room\n');
    assert.match(error, /: 3 lines are wrong; nothing was imported$/);
    assert.equal(wrong_lines, 3);
    assert.deepEqual(
      problems.map(({ line, column }) => [line, column]),
      [
        [3, 'serial'],
        [4, 'serial'],
        [5, 'labels'],
      ],
    );
    assert.match(problems[0]!.reason, /"SN-1" is on line 2, too/);
    assert.match(problems[1]!.reason, new RegExp(`robot ${known} of the account already has it; --update`));
    assert.equal(await store.robots.count(account), 1);
    const { err } = await runPerch(environment, ['robot', 'import', '--account', account, '--file', await fileOf('serial\nA\n\u0007\n')]);
    assert.match(err, /^perch: \S+: 1 line is wrong; nothing was imported\nline 3, serial: must not contain/);
  });

  it('lists 50 wrong lines and counts the others', async () => {
    const { problems, wrong_lines } = await refused(`serial,labels\n${Array.from({ length: 300 }, (_, i) => `S${i},x`).join('\n')}`);
    assert.deepEqual([problems.length, wrong_lines], [50, 300]);
  });

  it('updates name and labels of known robots with --update, keeps their tokens, and creates the others', async () => {
    const [one] = await importOf('name,serial,labels\nDesk,SN-1,room=r1;floor=2\n');
    const robots = await importOf('name,serial,labels\nWindow,SN-1,room=r3\nDoor,SN-2,\n', '--update');
    assert.deepEqual(robots[0], { robot: one!.robot, name: 'Window', serial: 'SN-1', labels: { room: 'r3' }, robot_token: null });
    assert.ok(robots[1]!.robot_token);
    assert.equal((await store.robots.byToken(one!.robot_token!))?.name, 'Window');
    assert.deepEqual(await store.robotLabels.of(account, one!.robot), { room: 'r3' });
    // A column that the file does not have is unchanged.
    const [again] = await importOf('serial,labels\nSN-1,\n', '--update');
    assert.deepEqual([again!.name, again!.labels], ['Window', {}]);
    assert.equal(await store.robots.count(account), 2);
  });

  it('imports an export into the same account with --update, and into another account as new robots', async () => {
    await importOf('name,serial,labels\n"Desk, ""left""",SN-1,room=r1\nDoor,SN-2,\n');
    const { robot } = await store.robots.create({ account, name: 'No serial' });
    const csv = await exported();
    assert.match(csv, /^id,name,serial,labels\n(r-.*\n){3}$/);
    assert.equal((await importOf(csv, '--update')).length, 3);
    assert.equal(await exported(), csv);
    const path = join(folder, `${randomUUID()}.csv`);
    assert.equal(await exported('--file', path), '');
    assert.equal(await readFile(path, 'utf8'), csv);
    assert.match((await runPerch(environment, ['robot', 'export', '--account', account, '--file', path])).err, /cannot be written: EEXIST/);

    const { robots } = await runPerchJson<{ robots: Omit<Imported, 'robot_token'>[] }>(environment, ['robot', 'export', '--account', account]);
    assert.deepEqual(
      robots.find(({ serial }) => serial === 'SN-1'),
      { robot: robots.find(({ serial }) => serial === 'SN-1')!.robot, name: 'Desk, "left"', serial: 'SN-1', labels: { room: 'r1' } },
    );

    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
    const { problems } = await refused(csv);
    assert.deepEqual([problems.length, problems[0]!.reason], [1, `is missing, and the account has no robot ${robot}`]);
    const withSerials = csv
      .split('\n')
      .filter((line) => !line.startsWith(robot))
      .join('\n');
    assert.equal((await importOf(withSerials)).length, 2);
  });

  it('rejects an id and a serial of two different robots, and a robot on two lines', async () => {
    const [one, two] = await importOf('serial\nSN-1\nSN-2\n');
    const { problems } = await refused(`id,serial\n${one!.robot},SN-2\n${two!.robot},\n,SN-2\n${two!.robot},SN-3\n`, '--update');
    assert.deepEqual(
      problems.map(({ line, reason }) => [line, reason]),
      [
        [2, `"SN-2" is not the serial of robot ${one!.robot}; a serial cannot be changed`],
        [4, `"SN-2" is on line 2, too`],
        [5, `"SN-3" is not the serial of robot ${two!.robot}; a serial cannot be changed`],
      ],
    );
  });

  it('creates nothing if the account would exceed its limit of robots', async () => {
    await store.accountLimits.set(account, { robots: 2 });
    assert.match((await refused('serial\nA\nB\nC\n')).error, /limited to 2 robots: it has 0, and the file would add 3; nothing was imported/);
    assert.equal(await store.robots.count(account), 0);
    assert.equal((await importOf('serial\nA\nB\n')).length, 2);
  });

  it('rejects a file that is missing, a folder, binary, not UTF-8 or too large, and an unknown account', async () => {
    const large = await fileOf('serial\n');
    await truncate(large, 100 * 2 ** 20);
    for (const [path, reason] of [
      [join(folder, 'none.csv'), /cannot be read: ENOENT/],
      [folder, /cannot be read: EISDIR/],
      [await fileOf(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2)), /is not a text file in UTF-8/],
      [await fileOf('serial\nA\0\n'), /is not a text file in UTF-8/],
      [await fileOf(Buffer.from('serial\nGer\xe4t\n', 'latin1')), /is not a text file in UTF-8/],
      [large, /is larger than 64 MB/],
    ] as const) {
      const { code, err } = await runPerch(environment, ['robot', 'import', '--account', account, '--file', path]);
      assert.equal(code, 1);
      assert.match(err, reason);
    }
    const file = await fileOf('serial\nA\n');
    assert.match(
      (await runPerch(environment, ['robot', 'import', '--account', 'a-0000000000', '--file', file])).err,
      /there is no account a-0000000000/,
    );
    assert.equal((await runPerch(environment, ['robot', 'import', '--file', file])).code, 64);
  });

  it('prints the created robots with their tokens when Redis rejects the others, and creates those with --update later', async function () {
    needsRedisServer(this);
    const redis = await redisProcess();
    const own = await openStore({ url: redis.url, instance: 'test-full' });
    try {
      const { commands } = own.connections;
      const { account: full } = await own.accounts.create({ email: `${randomUUID()}@example.org` });
      const labels = Array.from({ length: 16 }, (_, i) => `k${i}=${'v'.repeat(64)}`).join(';');
      const file = await fileOf(`serial,labels\n${Array.from({ length: 3000 }, (_, i) => `S${i},${labels}`).join('\n')}\n`);
      const args = ['robot', 'import', '--account', full, '--file', file];
      const used = Number(/used_memory:(\d+)/.exec(await commands.info('memory'))![1]);
      await commands.config('SET', 'maxmemory', String(used + 2 * 2 ** 20));
      const failed = await runPerchJson<{ ok: boolean; error: string; robots: Imported[] }>({ PERCH_REDIS_URL: redis.url }, args, 1);
      assert.match(failed.error, /OOM.*\. \d+ of 3000 robots were imported; import the file again with --update for the others$/);
      assert.ok(failed.robots.length > 0 && failed.robots.length < 3000, String(failed.robots.length));
      for (const { robot, robot_token } of failed.robots) assert.equal((await own.robots.byToken(robot_token!))?.id, robot);
      await commands.config('SET', 'maxmemory', '0');
      const { robots } = await runPerchJson<{ robots: Imported[] }>({ PERCH_REDIS_URL: redis.url }, [...args, '--update']);
      assert.deepEqual([robots.length, await own.robots.count(full)], [3000, 3000]);
    } finally {
      await own.close();
      await redis.stop();
    }
  });

  it('creates 1,200 robots in one command', async () => {
    const robots = await importOf(`serial,labels\n${Array.from({ length: 1200 }, (_, i) => `SN-${i},room=r${i % 10}`).join('\n')}\n`);
    assert.equal(new Set(robots.map(({ robot }) => robot)).size, 1200);
    assert.equal(robots[1199]!.serial, 'SN-1199');
    assert.equal(await store.robots.count(account), 1200);
    const { robots: inRoom } = await runPerchJson<{ robots: { robot: string }[] }>(environment, [
      'robot',
      'list',
      '--account',
      account,
      '--label',
      'room=r7',
    ]);
    assert.deepEqual(
      inRoom.map(({ robot }) => robot),
      robots
        .filter((_, i) => i % 10 === 7)
        .map(({ robot }) => robot)
        .toSorted(),
    );
  });
});
