import assert from 'node:assert/strict';
import { redisAt, redisUrl } from '@perch/testkit';
import { ApiKeys } from '../src/keys/api-keys.js';
import { newId } from '../src/redis/ids.js';
import { accountKeys, apiKeyRecord } from '../src/redis/keys.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { redisTimeMs } from '../src/redis/in-time.js';
import { sessionLifeMs, Sessions } from '../src/auth/sessions.js';

describe('sessions', () => {
  let redis: Connections;
  let sessions: Sessions;
  let keys: ApiKeys;

  before(async () => {
    redis = await connect(redisAt(await redisUrl()));
    sessions = new Sessions(redis);
    keys = new ApiKeys(redis);
  });
  after(() => redis.close());

  const works = async (secret: string) => (await keys.admit({ apiKey: secret, cost: 1 })).ok;

  it('admits a session like a key for all robots of its account, without listing it as a key', async () => {
    const account = newId('a');
    const { secret, keyHash } = await sessions.begin(account);
    assert.match(secret, /^ps_[\w-]{43}$/);
    const admitted = await keys.admit({ apiKey: secret, cost: 1, robot: { id: newId('r'), account } });
    assert.ok(admitted.ok);
    assert.equal(admitted.keyHash, keyHash);
    assert.deepEqual(await keys.admit({ apiKey: secret, cost: 1, robot: { id: newId('r'), account: newId('a') } }).then((one) => one.ok), false);
    assert.deepEqual(await keys.list(account), []);
  });

  it('takes the actions of all sessions of an account from one bucket, which leaves nothing behind once it is full again', async () => {
    const [account, other] = [newId('a'), newId('a')];
    assert.deepEqual(await sessions.take(account, 0), { remaining: 30, resetS: 0, retryAfterS: 0 });
    assert.equal(await redis.commands.exists(accountKeys.pageBucket(account)), 0);
    // A call that costs more than the bucket holds needs a full one, and the next waits until it is paid for.
    assert.deepEqual(await sessions.take(account, 10_000), { remaining: 0, resetS: 1000, retryAfterS: 0 });
    const { remaining, retryAfterS } = await sessions.take(account, 1);
    assert.equal(remaining, 0);
    assert.ok(retryAfterS > 900 && retryAfterS <= 998, String(retryAfterS));
    const ttl = await redis.commands.pttl(accountKeys.pageBucket(account));
    assert.ok(ttl > 900_000 && ttl <= 1_000_000, String(ttl));
    assert.equal((await sessions.take(other, 1)).retryAfterS, 0);
  });

  it('keeps the content of the bucket when the clock of Redis steps back', async () => {
    const account = newId('a');
    const ahead = (await redisTimeMs(redis)) * 1000 + 3_600_000_000;
    await redis.commands.set(accountKeys.pageBucket(account), `900000000 ${ahead}`);
    assert.equal((await sessions.take(account, 1)).retryAfterS, 898);
    const [level, at] = (await redis.commands.get(accountKeys.pageBucket(account)))!.split(' ').map(Number);
    assert.equal(level, 900_000_000);
    assert.ok(at! < ahead);
  });

  it('expires sessions after 30 days', async () => {
    const { keyHash } = await sessions.begin(newId('a'));
    const ttl = await redis.commands.pttl(apiKeyRecord(keyHash));
    assert.ok(ttl > sessionLifeMs - 60_000 && ttl <= sessionLifeMs, String(ttl));
  });

  it('ends a session at once, also for open calls', async () => {
    const account = newId('a');
    const [one, other] = [await sessions.begin(account), await sessions.begin(account)];
    await sessions.end(account, one.keyHash);
    assert.deepEqual([await works(one.secret), await works(other.secret)], [false, true]);
    assert.deepEqual(await keys.stillValid([one.keyHash, other.keyHash]), [false, true]);
  });

  it('ends all sessions of an account except one, and none of other accounts', async () => {
    const account = newId('a');
    const [first, kept, third] = await Promise.all([1, 2, 3].map(() => sessions.begin(account)));
    const stranger = await sessions.begin(newId('a'));
    await sessions.endAll(account, kept!.keyHash);
    const alive = await Promise.all([first, kept, third, stranger].map((one) => works(one!.secret)));
    assert.deepEqual(alive, [false, true, false, true]);
    await sessions.endAll(account);
    assert.equal(await works(kept!.secret), false);
  });

  it('lists the working sessions of one account with the user agent of their browser, cut to 300 characters, latest sign-in first', async () => {
    const account = newId('a');
    const first = await sessions.begin(account, 'x'.repeat(400));
    const second = await sessions.begin(account);
    const ended = await sessions.begin(account);
    await sessions.begin(newId('a'));
    await sessions.end(account, ended.keyHash);
    // Sessions that began in the same ms are listed by id.
    await redis.commands.hset(apiKeyRecord(first.keyHash), 'created_at', 1000);
    await works(second.secret);
    const listed = await sessions.list(account);
    assert.deepEqual(
      listed.map(({ keyHash, userAgent }) => [keyHash, userAgent]),
      [
        [second.keyHash, ''],
        [first.keyHash, 'x'.repeat(300)],
      ],
    );
    const [used, unused] = listed;
    assert.equal(unused?.lastUsed, null);
    assert.ok(used!.lastUsed! >= used!.createdAt - 1 && used!.expiresAt - used!.createdAt === sessionLifeMs, JSON.stringify(used));
    assert.match(used!.id, /^s-[\w-]{16}$/);
    assert.notEqual(used!.id, unused?.id);
    for (const { id } of listed) for (const { keyHash } of [first, second]) assert.equal(keyHash.includes(id.slice(2)), false);
  });

  it('keeps at most a hundred sessions, and removes the one that would expire first', async () => {
    const account = newId('a');
    const [oldest] = [await sessions.begin(account)];
    // Moves the expiry before that of sessions that are created in the same ms.
    await redis.commands.zadd(`perch:{${account}}:sessions`, 'XX', Date.now() + 3_600_000, oldest.keyHash);
    for (let i = 0; i < 99; i++) await sessions.begin(account);
    assert.equal(await works(oldest.secret), true);
    await sessions.begin(account);
    assert.equal(await works(oldest.secret), false);
    assert.equal(await redis.commands.zcard(`perch:{${account}}:sessions`), 100);
  });
});
