import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { redisAt, redisUrl } from '@perch/testkit';
import { AttemptCounter } from '../src/accounts/attempt-counter.js';
import { sha256Short } from '../src/redis/ids.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { keysOf } from './fixtures.js';

describe('attempts', () => {
  let redis: Connections;
  let [here, there]: AttemptCounter[] = [];

  before(async () => {
    redis = await connect(redisAt(await redisUrl()));
    [here, there] = [new AttemptCounter(redis), new AttemptCounter(redis)];
  });
  after(() => redis.close());

  const ann = () => `Ann.${randomUUID()}@Example.org`;

  it('allows ten attempts per account in a quarter of an hour over all instances, also concurrent ones', async () => {
    const who = ann();
    const waits = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? here : there)!.count('account', i % 3 ? who : who.toLowerCase())));
    assert.equal(waits.filter((wait) => wait === null).length, 10);
    for (const wait of waits) assert.ok(wait === null || (wait > 800 && wait <= 900), String(wait));
    assert.equal(await here!.count('account', ann()), null);
  });

  it('takes back single attempts or resets all of them', async () => {
    const who = ann();
    for (let i = 0; i < 10; i++) await here!.count('account', who);
    await there!.takeBack('account', who);
    assert.deepEqual([await here!.count('account', who), (await here!.count('account', who)) === null], [null, false]);
    await there!.forget('account', who);
    assert.equal(await here!.count('account', who), null);
  });

  it('stores no e-mail address or name in Redis, and gives every key a TTL', async () => {
    const who = ann();
    await here!.count('address', who);
    const [name = ''] = who.toLowerCase().split('@');
    assert.ok((await redis.commands.pttl(`perch:attempts:address:{${sha256Short(who.toLowerCase())}}`)) > 0);
    for (const key of await keysOf(redis, 'perch:attempts:*')) assert.ok(!key.includes('@') && !key.toLowerCase().includes(name), key);
  });
});
