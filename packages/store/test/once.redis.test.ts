import assert from 'node:assert/strict';
import { redisUrl } from '@perch/testkit';
import { OnceSecrets } from '../src/once.js';
import { connect, type Connections } from '../src/redis.js';

describe('secrets that work once', () => {
  let redis: Connections;
  let links: OnceSecrets;

  before(async () => {
    redis = await connect({ url: await redisUrl() });
    links = new OnceSecrets(redis, 'link');
  });
  after(() => redis.close());

  it('give what they stand for to one of ten that use them at once', async () => {
    const secret = await links.make('a-somebody', 60_000);
    assert.match(secret, /^pl_[\w-]{43}$/);
    const got = await Promise.all(Array.from({ length: 10 }, () => links.take(secret)));
    assert.deepEqual(
      got.filter((one) => one !== null),
      ['a-somebody'],
    );
    assert.equal(await links.lifeMs(secret), null);
  });

  it('open only the door they were made for, and end by themselves', async () => {
    const secret = await links.make('a-somebody', 60_000);
    assert.equal(await new OnceSecrets(redis, 'invitation').take(secret), null);
    const left = await links.lifeMs(secret);
    assert.ok(left !== null && left > 30_000 && left <= 60_000, String(left));
    assert.equal((await redis.commands.keys(`*${secret}*`)).length, 0);
  });

  it('work again where they were taken in vain', async () => {
    const secret = await links.make('', 60_000);
    assert.equal(await links.take(secret), '');
    await links.giveBack(secret, '', 30_000);
    assert.equal(await links.take(secret), '');
    assert.equal(await links.take(secret), null);
  });
});
