import assert from 'node:assert/strict';
import { redisUrl } from '@perch/testkit';
import { ApiKeys } from '../src/keys/api-keys.js';
import { newId } from '../src/ids.js';
import { apiKeyRecord } from '../src/keys.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { sessionLifeMs, Sessions } from '../src/auth/sessions.js';

describe('sessions', () => {
  let redis: Connections;
  let sessions: Sessions;
  let keys: ApiKeys;

  before(async () => {
    redis = await connect({ url: await redisUrl() });
    sessions = new Sessions(redis);
    keys = new ApiKeys(redis);
  });
  after(() => redis.close());

  const works = async (secret: string) => (await keys.admit({ apiKey: secret, cost: 1 })).ok;

  it('are admitted as keys that reach all robots of their account, and are none of its keys', async () => {
    const account = newId('a');
    const { secret, keyHash } = await sessions.begin(account);
    assert.match(secret, /^ps_[\w-]{43}$/);
    const admitted = await keys.admit({ apiKey: secret, cost: 1, robot: { id: newId('r'), account } });
    assert.ok(admitted.ok);
    assert.equal(admitted.keyHash, keyHash);
    assert.deepEqual(await keys.admit({ apiKey: secret, cost: 1, robot: { id: newId('r'), account: newId('a') } }).then((one) => one.ok), false);
    assert.deepEqual(await keys.list(account), []);
  });

  it('end by themselves after 30 days', async () => {
    const { keyHash } = await sessions.begin(newId('a'));
    const ttl = await redis.commands.pttl(apiKeyRecord(keyHash));
    assert.ok(ttl > sessionLifeMs - 60_000 && ttl <= sessionLifeMs, String(ttl));
  });

  it('end at once, for calls that are held too', async () => {
    const account = newId('a');
    const [one, other] = [await sessions.begin(account), await sessions.begin(account)];
    await sessions.end(account, one.keyHash);
    assert.deepEqual([await works(one.secret), await works(other.secret)], [false, true]);
    assert.deepEqual(await keys.stillValid([one.keyHash, other.keyHash]), [false, true]);
  });

  it('end all together but for one, and leave those of others', async () => {
    const account = newId('a');
    const [first, kept, third] = await Promise.all([1, 2, 3].map(() => sessions.begin(account)));
    const stranger = await sessions.begin(newId('a'));
    await sessions.endAll(account, kept!.keyHash);
    const alive = await Promise.all([first, kept, third, stranger].map((one) => works(one!.secret)));
    assert.deepEqual(alive, [false, true, false, true]);
    await sessions.endAll(account);
    assert.equal(await works(kept!.secret), false);
  });

  it('are a hundred at most: the one that would end first makes room', async () => {
    const account = newId('a');
    const [oldest] = [await sessions.begin(account)];
    // Its end is earlier than that of those that follow within the same ms.
    await redis.commands.zadd(`perch:{${account}}:sessions`, 'XX', Date.now() + 3_600_000, oldest.keyHash);
    for (let i = 0; i < 99; i++) await sessions.begin(account);
    assert.equal(await works(oldest.secret), true);
    await sessions.begin(account);
    assert.equal(await works(oldest.secret), false);
    assert.equal(await redis.commands.zcard(`perch:{${account}}:sessions`), 100);
  });
});
