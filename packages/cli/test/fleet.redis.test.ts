import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openStore, type Store } from '@perch/store';
import { redisUrl } from '@perch/testkit';
import type { FleetAnswer } from '../src/robots/fleet-command.js';
import { runPerch, runPerchJson, type Ran } from './run-perch.js';

describe('perch robot label', () => {
  let environment: Record<string, string>;
  let store: Store;
  let robot: string;
  before(async () => {
    const url = await redisUrl();
    environment = { PERCH_REDIS_URL: url };
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
    const { account } = await store.accounts.create({ email: `${randomUUID()}@example.org` });
    ({ robot } = await store.robots.create({ account }));
  });
  after(() => store?.close());

  const label = (...changes: string[]): Promise<Ran> => runPerch(environment, ['robot', 'label', robot, ...changes]);

  it('sets, changes and removes labels, and prints the labels of the robot', async () => {
    assert.equal((await label()).out, `${robot} has no labels\n`);
    assert.equal((await label('room=r1', 'note=a b=c')).out, `${robot} note=a b=c;room=r1\n`);
    const { labels } = await runPerchJson<{ labels: unknown }>(environment, ['robot', 'label', robot, 'room=r2', 'note-', 'k-=1']);
    assert.deepEqual(labels, { 'k-': '1', room: 'r2' });
    assert.equal((await label('k--', 'none-')).out, `${robot} room=r2\n`);
  });

  it('exits with 64 for an invalid change and with 1 for an unknown robot or a 17th label, and changes nothing', async () => {
    const before = (await label()).out;
    for (const wrong of [['room'], ['Room=1'], ['=1'], ['-'], ['a=1', 'a-'], ['a=1', 'a=2'], ['a=b;c'], ['a='.padEnd(67, 'x')]])
      assert.equal((await label('new=1', ...wrong)).code, 64, wrong.join());
    const { code, err } = await label(...Array.from({ length: 17 }, (_, i) => `k${i}=1`));
    assert.deepEqual([code, err], [1, 'perch: a robot has at most 16 labels: remove some first\n']);
    assert.match((await runPerch(environment, ['robot', 'label', 'r-0000000000', 'a=1'])).err, /there is no robot r-0000000000/);
    assert.equal((await label()).out, before);
  });
});

describe('perch fleet', () => {
  let environment: Record<string, string>;
  let store: Store;
  before(async () => {
    const url = await redisUrl();
    environment = { PERCH_REDIS_URL: url };
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
    await store.instances.announce();
  });
  after(() => store?.close());

  const account = async (): Promise<string> => (await store.accounts.create({ email: `${randomUUID()}@example.org` })).account;

  async function robotOf(
    of: string,
    { firmware, labels, away }: { firmware: string; labels?: Record<string, string>; away?: number },
  ): Promise<string> {
    const { robot } = await store.robots.create({ account: of });
    if (labels !== undefined) await store.robotLabels.change(of, robot, { set: labels });
    const { tokenHash } = (await store.robots.get(robot))!;
    const session = `s-${robot.slice(2)}`;
    await store.leases.take(robot, { session, bootId: 'b', dial: 1, tokenHash: tokenHash!, model: 'desk', firmware, hello: {} });
    if (away === undefined) return robot;
    await store.leases.release(robot, session, 'away');
    await store.connections.commands.hset(`perch:{${robot}}:lease`, 'since', away);
    return robot;
  }

  it('counts robots, online and away, by model and firmware, and lists the robots that are away, the longest first', async () => {
    const of = await account();
    const now = Math.floor(store.clock.now());
    await robotOf(of, { firmware: '1.0' });
    const hour = await robotOf(of, { firmware: '1.0', away: now - 3_600_000 });
    const day = await robotOf(of, { firmware: '2.0', away: now - 86_400_000 });
    const { robot: never } = await store.robots.create({ account: of, name: 'New' });
    const { list, ...counts } = await runPerchJson<FleetAnswer>(environment, ['fleet', '--account', of]);
    assert.deepEqual(counts, {
      accounts: 1,
      robots: 4,
      online: 1,
      away: 3,
      never_connected: 1,
      models: [
        { model: 'desk', robots: 3, online: 1, away: 2 },
        { model: '', robots: 1, online: 0, away: 1 },
      ],
      firmwares: [
        { firmware: '1.0', robots: 2, online: 1, away: 1 },
        { firmware: '', robots: 1, online: 0, away: 1 },
        { firmware: '2.0', robots: 1, online: 0, away: 1 },
      ],
    });
    assert.deepEqual(
      list.map(({ robot, away_since }) => [robot, away_since]),
      [
        [day, new Date(now - 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')],
        [hour, new Date(now - 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z')],
        [never, null],
      ],
    );
    const { out } = await runPerch(environment, ['fleet', '--account', of]);
    assert.match(out, /^4 robots of 1 account: 1 online, 3 away \(1 never connected\)\n\nMODEL/);
    assert.match(out, new RegExp(`${never} +${of} +New +away +never connected`));
  });

  it('lists only robots that are away for longer, have a firmware, or have a label', async () => {
    const of = await account();
    const now = Math.floor(store.clock.now());
    const [online, minutes, days] = [
      await robotOf(of, { firmware: '1.0', labels: { room: 'r1' } }),
      await robotOf(of, { firmware: '1.0', labels: { room: 'r2' }, away: now - 600_000 }),
      await robotOf(of, { firmware: '2.0', labels: { room: 'r1' }, away: now - 3 * 86_400_000 }),
    ];
    const listed = async (...flags: string[]): Promise<string[]> =>
      (await runPerchJson<FleetAnswer>(environment, ['fleet', '--account', of, ...flags])).list.map(({ robot }) => robot);
    assert.deepEqual(await listed('--away'), [days, minutes]);
    assert.deepEqual(await listed('--longer-than', '1h'), [days]);
    assert.deepEqual(await listed('--away', '--longer-than', '30s'), [days, minutes]);
    assert.deepEqual(await listed('--firmware', '1.0'), [minutes, online]);
    assert.deepEqual(await listed('--firmware', '1.0', '--away'), [minutes]);
    assert.deepEqual(await listed('--label', 'room=r1'), [days]);
    assert.deepEqual(await listed('--label', 'room=r9', '--away'), []);
    assert.equal((await runPerchJson<FleetAnswer>(environment, ['fleet', '--account', of, '--label', 'room=r1'])).robots, 2);
    assert.match((await runPerch(environment, ['fleet', '--account', of, '--firmware', '3.0'])).out, /No such robots\./);
  });

  it('counts the robots of all accounts, including accounts with more robots than a slice', async () => {
    const [one, other] = [await account(), await account()];
    const tag = randomUUID().slice(0, 8);
    await store.robots.createAll(
      one,
      Array.from({ length: 230 }, (_, i) => ({ account: one, serial: `S${i}`, labels: { tag } })),
      () => {},
    );
    await store.robots.createAll(other, [{ account: other, serial: 'S', labels: { tag } }], () => {});
    const { robots, accounts, list } = await runPerchJson<FleetAnswer>(environment, ['fleet', '--label', `tag=${tag}`]);
    assert.deepEqual([robots, list.length], [231, 231]);
    assert.ok(accounts >= 2);
    assert.match(
      (await runPerch(environment, ['fleet', '--label', `tag=${tag}`])).out,
      /and 211 more that are away: perch fleet --away lists all\n$/,
    );
  });

  it('shows since when a robot is away whose token was replaced while it was connected', async () => {
    const of = await account();
    const robot = await robotOf(of, { firmware: '1.0' });
    await store.connections.commands.hset(`perch:{${robot}}:lease`, 'since', 1);
    const before = store.clock.now() - 1000;
    await store.robots.renewToken(robot);
    const { list } = await runPerchJson<FleetAnswer>(environment, ['fleet', '--account', of]);
    assert.ok(Date.parse(list[0]!.away_since!) >= before - 1000, list[0]!.away_since!);
  });

  it('rejects an invalid time, an invalid label, and an unknown account', async () => {
    for (const wrong of [
      ['--longer-than', '1'],
      ['--longer-than', '1w'],
      ['--label', 'room'],
    ])
      assert.equal((await runPerch(environment, ['fleet', ...wrong])).code, 64, wrong.join());
    assert.match((await runPerch(environment, ['fleet', '--account', 'a-0000000000'])).err, /there is no account/);
  });
});
