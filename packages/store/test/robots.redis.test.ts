import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { newId } from '../src/redis/ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/redis/keys.js';
import type { Connections } from '../src/redis/connections.js';
import { Robots } from '../src/robots/robots.js';
import { testConnections } from './checked-scripts.js';

describe('robots', () => {
  let redis: Connections;
  let robots: Robots;

  before(async () => {
    redis = await testConnections();
    robots = new Robots(redis);
  });
  after(() => redis.close());

  const hold = (robot: string) => redis.commands.hset(robotKeys.lease(robot), { state: 'held', instance: 'link-1', session: 's-1', since: 1 });

  it('finds a robot by its token and its account', async () => {
    const account = newId('a');
    const { robot, token, holder } = await robots.create({ account, name: 'Pip', serial: 'SN1' });
    assert.match(robot, /^r-[0-9a-z]{10}$/);
    assert.match(token, /^rt_[\w-]{43}$/);
    assert.equal(holder, null);
    const record = await robots.get(robot);
    assert.deepEqual([record?.account, record?.name, record?.serial, record?.model], [account, 'Pip', 'SN1', null]);
    assert.deepEqual(record?.hello, { features: [], commands: [], screen: null, audio: null, boot: null });
    assert.deepEqual(await robots.byToken(token), record);
    assert.deepEqual(await robots.list(account), [record]);
    assert.equal(await robots.byToken('rt_nothing'), null);
  });

  it('returns the data of the last hello', async () => {
    const { robot } = await robots.create({ account: newId('a') });
    const hello = {
      features: ['screen'],
      commands: [{ name: 'sticker', class: 'program' }],
      screen: { w: 320, h: 240, formats: ['jpeg'], max_bytes: 9 },
    };
    await redis.commands.hset(robotKeys.record(robot), { model: 'k151', firmware: '1', hello: JSON.stringify(hello) });
    const record = await robots.get(robot);
    assert.deepEqual([record?.model, record?.firmware, record?.hello], ['k151', '1', { ...hello, audio: null, boot: null }]);
  });

  it('changes settings of a robot one by one, names its session, and keeps settings that were not changed', async () => {
    const account = newId('a');
    const { robot } = await robots.create({ account, name: 'Pip' });
    const unset = { timeZone: 'UTC', volumeMax: null, quietHours: null };
    assert.deepEqual(await robots.chosenOf(robot), { name: 'Pip', settings: unset, update: null });
    const chosen = { timeZone: 'Asia/Kolkata', volumeMax: 0, quietHours: { from: '22:00', to: '07:00' } };
    assert.equal(await robots.change(account, robot, { ...chosen, name: 'Pop' }), null);
    assert.deepEqual(await robots.chosenOf(robot), { name: 'Pop', settings: chosen, update: null });
    assert.deepEqual((await robots.get(robot))?.settings, chosen);
    await hold(robot);
    assert.deepEqual(await robots.change(account, robot, { volumeMax: null }), { instance: 'link-1', session: 's-1' });
    assert.deepEqual((await robots.chosenOf(robot)).settings, { ...chosen, volumeMax: null });
    await robots.change(account, robot, { quietHours: null });
    assert.deepEqual((await robots.chosenOf(robot)).settings, { ...unset, timeZone: 'Asia/Kolkata' });
    assert.equal(await robots.change(newId('a'), robot, { volumeMax: 1 }), 'unknown');
    await robots.remove(account, robot);
    assert.equal(await robots.change(account, robot, { volumeMax: 1 }), 'unknown');
    assert.equal(await redis.commands.exists(robotKeys.record(robot)), 0);
    assert.deepEqual(await robots.chosenOf(robot), { name: '', settings: unset, update: null });
  });

  it('counts stored settings that it cannot read as not set', async () => {
    const { robot } = await robots.create({ account: newId('a') });
    await redis.commands.hset(robotKeys.record(robot), { time_zone: '', volume_max: 'loud', quiet_hours: 'always' });
    assert.deepEqual((await robots.chosenOf(robot)).settings, { timeZone: 'UTC', volumeMax: null, quietHours: null });
  });

  it('renames a robot only for its account, and does not recreate a removed one', async () => {
    const account = newId('a');
    const { robot } = await robots.create({ account, name: 'Pip' });
    assert.equal(await robots.rename(account, robot, 'Pop'), true);
    assert.equal(await robots.rename(newId('a'), robot, 'Mine'), false);
    assert.equal((await robots.get(robot))?.name, 'Pop');
    assert.equal(await robots.count(account), 1);
    await robots.remove(account, robot);
    assert.equal(await robots.rename(account, robot, 'Again'), false);
    assert.deepEqual([await robots.get(robot), await robots.count(account)], [null, 0]);
  });

  it('stores that a robot is virtual', async () => {
    const account = newId('a');
    const { robot } = await robots.create({ account, virtual: true });
    const { robot: body } = await robots.create({ account });
    assert.deepEqual([(await robots.get(robot))?.virtual, (await robots.get(body))?.virtual], [true, false]);
  });

  it('revokes the old token of a robot with a new one, and returns the holder of the robot', async () => {
    const { robot, token } = await robots.create({ account: newId('a') });
    await hold(robot);
    const renewed = await robots.renewToken(robot);
    assert.deepEqual(renewed?.holder, { instance: 'link-1', session: 's-1' });
    assert.equal(await robots.byToken(token), null);
    assert.equal((await robots.byToken(renewed!.token))?.id, robot);
    assert.equal(await robots.renewToken('r-nothing'), null);
  });

  it('accepts only one of many tokens created concurrently', async () => {
    const { robot } = await robots.create({ account: newId('a') });
    const tokens = await Promise.all(Array.from({ length: 10 }, () => robots.renewToken(robot)));
    const open = await Promise.all(tokens.map((one) => robots.byToken(one!.token)));
    assert.equal(open.filter((record) => record !== null).length, 1);
  });

  it('refuses a token that is in the index but not in the record', async () => {
    const { robot, token } = await robots.create({ account: newId('a') });
    await redis.commands.hset(robotKeys.record(robot), 'token_hash', 'another');
    assert.equal(await robots.byToken(token), null);
  });

  it('stores no token in plain text in Redis', async () => {
    const { robot, token } = await robots.create({ account: newId('a') });
    assert.ok(!JSON.stringify(await redis.commands.hgetall(robotKeys.record(robot))).includes(token.slice(3)));
  });

  it('creates one robot for one serial of an account, also concurrently', async () => {
    const account = newId('a');
    const made = await Promise.all(Array.from({ length: 10 }, () => robots.ensure({ account, serial: 'SN1' })));
    assert.equal(new Set(made).size, 1);
    assert.deepEqual(
      (await robots.list(account)).map(({ id }) => id),
      [made[0]],
    );
    const other = await robots.ensure({ account: newId('a'), serial: 'SN1' });
    assert.notEqual(other, made[0]);
    const again = await robots.create({ account, serial: 'SN1' });
    assert.equal(again.robot, made[0]);
  });

  it('creates a new robot every time without a serial', async () => {
    const account = newId('a');
    assert.notEqual(await robots.ensure({ account }), await robots.ensure({ account }));
    assert.equal((await robots.list(account)).length, 2);
  });

  it('removes everything of a robot except the outcome of its open wait', async () => {
    const account = newId('a');
    const { robot, token } = await robots.create({ account, serial: 'SN1' });
    await hold(robot);
    await redis.commands.hset(robotKeys.log(robot), 'seq', 5);
    await redis.commands.xadd(robotKeys.events(robot), '5-0', 'n', 'tap');
    await redis.commands.hset(robotKeys.waitHead(robot), { given: 3, opened: 3, open: 3 });
    await redis.commands.hset(robotKeys.wait(robot, 3), 'record', '{}');
    let woken: string | null | undefined;
    const stop = await redis.subscriber.subscribe(robotKeys.waitsChannel(robot), (message) => (woken = message));

    assert.deepEqual(await robots.remove(account, robot), { holder: { instance: 'link-1', session: 's-1' } });
    assert.equal(await robots.get(robot), null);
    assert.equal(await robots.byToken(token), null);
    assert.deepEqual(await robots.list(account), []);
    assert.equal(await robots.renewToken(robot), null);
    assert.deepEqual((await namesOf(redis, robot)).toSorted(), [robotKeys.wait(robot, 3)]);
    assert.deepEqual(JSON.parse((await redis.commands.hget(robotKeys.wait(robot, 3), 'outcome'))!), {
      outcome: 'failed',
      code: 'unknown_robot',
      error: 'The robot was removed.',
    });
    await until(() => woken === '3');
    stop();
    assert.equal(await robots.remove(account, robot), 'unknown');
  });

  it('removes a robot only for its account', async () => {
    const { robot, token } = await robots.create({ account: newId('a') });
    assert.equal(await robots.remove(newId('a'), robot), 'unknown');
    assert.equal((await robots.byToken(token))?.id, robot);
  });

  it('treats an id of another kind as unknown, and does not change its data', async () => {
    const account = newId('a');
    const email = randomUUID();
    await redis.commands.set(sharedKeys.email(email), account);
    await redis.commands.hset(accountKeys.record(email), { account, name: 'a key' });
    for (const id of [`email:${email}`, email, '}', 'r-', `${newId('r')}\n`]) {
      assert.equal(await robots.get(id), null, id);
      assert.equal(await robots.rename(account, id, 'mine'), false, id);
      assert.equal(await robots.remove(account, id), 'unknown', id);
    }
    assert.equal(await redis.commands.get(sharedKeys.email(email)), account);
    assert.deepEqual(await redis.commands.hgetall(accountKeys.record(email)), { account, name: 'a key' });
    await redis.commands.del(accountKeys.record(email));
    await redis.commands.del(sharedKeys.email(email));
  });

  it('creates a robot with a new id when it is paired again after an interrupted removal', async () => {
    const account = newId('a');
    const robot = await robots.ensure({ account, serial: 'SN1' });
    await redis.commands.del(robotKeys.record(robot));
    assert.deepEqual(await robots.list(account), []);
    const again = await robots.ensure({ account, serial: 'SN1' });
    assert.notEqual(again, robot);
    assert.deepEqual(
      (await robots.list(account)).map(({ id }) => id),
      [again],
    );
  });
});

async function namesOf({ commands }: Connections, robot: string): Promise<string[]> {
  const names = Object.entries(robotKeys).map(([, key]) => (key as (robot: string, number: number) => string)(robot, 3));
  const there = await Promise.all(names.map((name) => commands.exists(name)));
  return names.filter((_, i) => there[i] === 1);
}
