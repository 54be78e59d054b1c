import assert from 'node:assert/strict';
import { redisAt, redisUrl } from '@perch/testkit';
import { OneTimeTokens } from '../src/auth/one-time-tokens.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { keysOf } from './fixtures.js';

describe('one-time tokens', () => {
  let redis: Connections;
  let links: OneTimeTokens;

  before(async () => {
    redis = await connect(redisAt(await redisUrl()));
    links = new OneTimeTokens(redis, 'link');
  });
  after(() => redis.close());

  it('returns the value of a token to one of ten concurrent callers', async () => {
    const secret = await links.make('a-somebody', 60_000);
    assert.match(secret, /^pl_[\w-]{43}$/);
    const got = await Promise.all(Array.from({ length: 10 }, () => links.take(secret)));
    assert.deepEqual(
      got.filter((one) => one !== null),
      ['a-somebody'],
    );
    assert.equal(await links.lifeMs(secret), null);
  });

  it('accepts a token only for the kind it was made for, until it expires', async () => {
    const secret = await links.make('a-somebody', 60_000);
    assert.equal(await new OneTimeTokens(redis, 'invitation').take(secret), null);
    assert.equal(await new OneTimeTokens(redis, 'reset').find(secret), null);
    assert.equal(await links.find(secret), 'a-somebody');
    const left = await links.lifeMs(secret);
    assert.ok(left !== null && left > 30_000 && left <= 60_000, String(left));
    assert.equal((await keysOf(redis, `*${secret}*`)).length, 0);
  });

  it('stores the use of a token durably before it answers, except for OpenID Connect and passkeys, and does not wait for unknown tokens', async () => {
    const waited: string[][] = [];
    const watched: Connections = {
      ...redis,
      durably: async (keys, work) => {
        const result = await work();
        waited.push([...keys]);
        return result;
      },
    };
    for (const [kind, waits] of [
      ['link', 1],
      ['invitation', 1],
      ['reset', 1],
      ['verification', 1],
      ['oidc', 0],
      ['challenge', 0],
    ] as const) {
      const secrets = new OneTimeTokens(watched, kind);
      const secret = await secrets.make('x', 60_000);
      waited.length = 0;
      assert.equal(await secrets.take(secret), 'x');
      assert.equal(waited.length, waits, kind);
      assert.equal(await secrets.take(secret), null);
      assert.equal(waited.length, waits, kind);
    }
  });

  it('revokes all tokens of one kind together', async () => {
    const invitations = new OneTimeTokens(redis, 'invitation');
    const made = await Promise.all(Array.from({ length: 30 }, () => invitations.make('', 60_000)));
    const link = await links.make('a-somebody', 60_000);
    assert.ok((await invitations.endAll()) >= made.length);
    assert.deepEqual(new Set(await Promise.all(made.map((one) => invitations.take(one)))), new Set([null]));
    assert.equal(await links.take(link), 'a-somebody');
    assert.equal(await invitations.endAll(), 0);
  });

  it('accepts a token again after it was given back', async () => {
    const secret = await links.make('', 60_000);
    assert.equal(await links.take(secret), '');
    await links.giveBack(secret, '', 30_000);
    assert.equal(await links.take(secret), '');
    assert.equal(await links.take(secret), null);
  });
});
