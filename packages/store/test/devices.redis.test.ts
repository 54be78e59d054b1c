import assert from 'node:assert/strict';
import { redisAt, redisUrl } from '@perch/testkit';
import { deviceLifeMs, Devices } from '../src/auth/sessions.js';
import { newId, newSecret } from '../src/redis/ids.js';
import { accountKeys } from '../src/redis/keys.js';
import { connect, type Connections } from '../src/redis/connections.js';

describe('devices that signed in before', () => {
  let redis: Connections;
  let devices: Devices;

  before(async () => {
    redis = await connect(redisAt(await redisUrl()));
    devices = new Devices(redis);
  });
  after(() => redis.close());

  it('finds a device of the account among the secrets that a browser sends, and no device of another account', async () => {
    const [ann, bob] = [newId('a'), newId('a')];
    const [own, other] = [await devices.remember(ann, []), await devices.remember(bob, [])];
    assert.equal(await devices.find(ann, [newSecret('pd_'), other, own]), own);
    assert.equal(await devices.find(ann, [other]), null);
    assert.equal(await devices.find(null, [own]), null);
  });

  it('keeps the secret of a device when the browser signs in again, and stores only its hash', async () => {
    const account = newId('a');
    const secret = await devices.remember(account, []);
    assert.equal(await devices.remember(account, [secret]), secret);
    const kept = await redis.commands.zrange(accountKeys.devices(account), '0', '-1');
    assert.deepEqual([kept.length, kept.includes(secret)], [1, false]);
  });

  it('keeps the 20 most recent devices for 180 days', async () => {
    const account = newId('a');
    const first = await devices.remember(account, []);
    // The clock of Redis has a resolution of 1 ms: the first device must be older.
    await redis.commands.zincrby(accountKeys.devices(account), -1000, (await redis.commands.zrange(accountKeys.devices(account), '0', '-1'))[0]!);
    for (let i = 0; i < 20; i++) await devices.remember(account, []);
    assert.equal(await redis.commands.zcard(accountKeys.devices(account)), 20);
    assert.equal(await devices.find(account, [first]), null);
    assert.ok(Math.abs((await redis.commands.pttl(accountKeys.devices(account))) - deviceLifeMs) < 60_000);
  });

  it('does not find an expired device', async () => {
    const account = newId('a');
    const secret = await devices.remember(account, []);
    const [hash] = await redis.commands.zrange(accountKeys.devices(account), '0', '-1');
    await redis.commands.zadd(accountKeys.devices(account), 1, hash!);
    assert.equal(await devices.find(account, [secret]), null);
  });

  it('revokes all devices except the given one', async () => {
    const account = newId('a');
    const [stays, goes] = [await devices.remember(account, []), await devices.remember(account, [])];
    await devices.revokeAll(account, [stays]);
    assert.deepEqual([await devices.find(account, [stays]), await devices.find(account, [goes])], [stays, null]);
    await devices.revokeAll(account);
    assert.equal(await devices.find(account, [stays]), null);
  });
});
