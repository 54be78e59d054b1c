import assert from 'node:assert/strict';
import { needsRedisServer, privateRedis, redisProcess, skipTest, TcpProxy, until, type LocalRedis } from '@perch/testkit';
import { Redis } from 'ioredis';
import { Accounts } from '../src/accounts/accounts.js';
import { Durable } from '../src/redis/durable.js';
import { newId } from '../src/redis/ids.js';
import { openStore } from '../src/index.js';
import { connect } from '../src/redis/connections.js';
import { Sessions } from '../src/auth/sessions.js';

describe('durable writes on a real Redis', () => {
  const ends: (() => unknown)[] = [];
  let server: LocalRedis | null = null;

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
    await server?.stop();
    server = null;
  });

  async function connected(url: string, onError: (error: Error) => void = () => {}) {
    const redis = await connect({ url, onError });
    ends.push(() => redis.close());
    return redis;
  }

  async function connectionTo(url: string): Promise<Redis> {
    const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: () => 20 });
    redis.on('error', () => {});
    await redis.connect();
    return redis;
  }

  it('completes without waiting if there is no append-only file, and reports that once', async function () {
    needsRedisServer(this);
    server = await redisProcess({ appendOnly: false });
    const errors: string[] = [];
    const redis = await connected(server.url, (error) => errors.push(error.message));
    const [accounts, sessions] = [new Accounts(redis), new Sessions(redis)];
    const { account } = await accounts.create({ email: 'ann@example.org' });
    const { keyHash } = await sessions.begin(account);
    await Promise.all([sessions.end(account, keyHash), accounts.create({ email: 'ben@example.org' })]);
    assert.equal(errors.length, 1, errors.join('\n'));
    assert.match(errors[0]!, /no append-only file/);
  });

  it('rejects with outcome unknown when the connection was lost during the write, because another Redis may have taken over', async () => {
    server = await privateRedis();
    const proxy = await TcpProxy.open({ host: '127.0.0.1', port: server.port });
    ends.push(() => proxy.close());
    const durable = new Durable(
      () => connectionTo(`redis://127.0.0.1:${proxy.port}`),
      () => {},
    );
    ends.push(() => durable.close());
    let done = false;
    const doubtful = durable.run([newId('a')], async () => {
      proxy.cut();
      await until(() => proxy.connections.length === 0);
      await until(() => proxy.connections.length > 0, { what: 'the connection to be established again' });
      done = true;
    });
    await assert.rejects(doubtful, { name: 'StoreError', kind: 'unavailable' });
    assert.equal(done, true);
  });

  it('creates as a user who may not run WAITAOF, as in a users file that Redis 7.0 wrote, and reports that once', async function () {
    needsRedisServer(this);
    server = await redisProcess({ appendOnly: true });
    const user = ['app', 'on', '>secret', '~*', '&*', '+@all', '-waitaof'];
    if ((await server.ask(['ACL', 'SETUSER', ...user]).catch(String)) !== 'OK') return skipTest(this, 'WAITAOF comes with Redis 7.2');
    const errors: string[] = [];
    const redis = await connected(`redis://app:secret@127.0.0.1:${server.port}`, (error) => errors.push(error.message));
    const accounts = new Accounts(redis);
    for (let i = 0; i < 2; i++) await accounts.create({ email: `ann${i}@example.org` });
    const about = errors.filter((message) => message.includes('waitaof'));
    assert.equal(about.length, 1, errors.join('\n'));
    assert.match(about[0]!, /Write its users file anew/);
  });

  it('keeps its connection in use while nothing is written, so that no NAT gateway forgets it', async function () {
    needsRedisServer(this);
    server = await redisProcess();
    const running = server;
    const durable = new Durable(
      () => connectionTo(running.url),
      () => {},
    );
    ends.push(() => durable.close());
    await durable.run([newId('a')], async () => {});
    const pings = async (): Promise<number> => Number(/cmdstat_ping:calls=(\d+)/.exec(await running.ask(['INFO', 'commandstats']))?.[1] ?? 0);
    const before = await pings();
    await until(async () => (await pings()) > before, { what: 'a PING' });
  });

  it('keeps confirmed changes of accounts, passwords, sessions, keys, robots and sign-in links when Redis is killed', async function () {
    needsRedisServer(this);
    server = await redisProcess({ appendOnly: true });
    const before = await openStore({ url: server.url, instance: 'test-before' });
    const { account } = await before.accounts.create({ email: 'ann@example.org', password: await before.passwords.hash('correct horse') });
    const [kept, ended] = [await before.sessions.begin(account), await before.sessions.begin(account)];
    const [key, revoked] = [await before.apiKeys.create({ account }), await before.apiKeys.create({ account })];
    const [robot, removed] = [await before.robots.create({ account }), await before.robots.create({ account })];
    const [link, used] = [await before.signInTokens.make(account, 60_000), await before.signInTokens.make(account, 60_000)];
    await Promise.all([
      before.sessions.end(account, ended.keyHash),
      before.apiKeys.revoke(account, revoked.id),
      before.robots.remove(account, removed.robot),
      before.signInTokens.take(used),
    ]);
    await server.kill('SIGKILL');
    await before.close();
    await server.restart();

    const store = await openStore({ url: server.url, instance: 'test-after' });
    ends.push(() => store.close());
    assert.equal((await store.passwords.check('ann@example.org', 'correct horse'))?.account, account);
    const works = async (apiKey: string) => (await store.apiKeys.admit({ apiKey, cost: 0 })).ok;
    assert.deepEqual(await Promise.all([kept.secret, ended.secret, key.apiKey, revoked.apiKey].map(works)), [true, false, true, false]);
    assert.deepEqual([(await store.robots.byToken(robot.token))?.id, await store.robots.byToken(removed.token)], [robot.robot, null]);
    assert.deepEqual([await store.signInTokens.take(link), await store.signInTokens.take(used)], [account, null]);
  });

  it('does not begin a write when the connection for the confirmation is missing', async () => {
    const durable = new Durable(
      () => Promise.reject(new Error('nobody there')),
      () => {},
    );
    let begun = false;
    await assert.rejects(
      durable.run(['perch:{x}'], async () => void (begun = true)),
      { kind: 'unavailable' },
    );
    assert.equal(begun, false);
  });

  it('waits for the disk once for many concurrent writes, and rejects if the disk does not confirm', async function () {
    needsRedisServer(this);
    server = await redisProcess({ appendOnly: true });
    const errors: string[] = [];
    const redis = await connected(server.url, ({ message }) => errors.push(message));
    const version = /redis_version:(\d+)\.(\d+)/.exec(await redis.commands.info('server'))!;
    if (Number(version[1]) * 100 + Number(version[2]) < 702) return skipTest(this, 'WAITAOF comes with Redis 7.2');
    const accounts = new Accounts(redis);
    await Promise.all(Array.from({ length: 50 }, (_, i) => accounts.create({ email: `ann${i}@example.org` })));
    const local = redis.commands as Redis;
    assert.ok(Number(/aof_pending_bio_fsync:(\d+)/.exec(await local.info('persistence'))?.[1]) === 0);

    await local.config('SET', 'appendfsync', 'no');
    await assert.rejects(accounts.create({ email: 'ben@example.org' }), { name: 'StoreError', kind: 'unavailable' });
    await local.config('SET', 'appendfsync', 'always');
    await accounts.create({ email: 'cem@example.org' });
    assert.deepEqual(errors, []);
  });
});
