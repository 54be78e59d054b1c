import assert from 'node:assert/strict';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import type { WaitRecord } from '@perch/schema';
import { needsRedisServer, redisProcess, until, type LocalRedis } from '@perch/testkit';
import { Redis } from 'ioredis';
import { newId } from '../src/redis/ids.js';
import { openStore, StoreError, type Ending, type Store } from '../src/index.js';
import { instanceKeys, sharedKeys } from '../src/redis/keys.js';
import { hello } from './fixtures.js';

describe('a full Redis', () => {
  let redis: LocalRedis;
  let operator: Redis;
  let store: Store;
  const told: string[] = [];
  before(async function () {
    needsRedisServer(this);
    redis = await redisProcess();
    store = await openStore({ url: redis.url, instance: 'gw-full', onError: ({ message }) => told.push(message) });
    operator = new Redis(redis.url);
  });
  beforeEach(() => operator.config('SET', 'maxmemory', '100kb'));
  after(async () => {
    operator?.disconnect();
    await store?.close();
    await redis?.stop();
  });

  const room = () => operator.config('SET', 'maxmemory', '0');
  const full = () => operator.config('SET', 'maxmemory', '100kb');
  const refusedForRoom = (error: unknown): boolean => error instanceof StoreError && error.kind === 'unavailable' && error.outOfMemory;

  const question = (number: number): WaitRecord => ({
    number,
    kind: 'ask',
    targets: [],
    picture: null,
    timeoutMs: 30_000,
    gateway: 'gw',
    call: 'c',
    requestId: 'q',
  });

  /** Creates an account with a key and a connected robot before Redis is full. */
  async function tenant() {
    await room();
    const { account } = await store.accounts.create({ email: `${newId('a')}@example.org` });
    const key = await store.apiKeys.create({ account });
    const { robot, token } = await store.robots.create({ account, serial: 'SN1' });
    const session = hello({ tokenHash: (await store.robots.byToken(token))!.tokenHash! });
    await store.leases.take(robot, session);
    return { account, key, robot, token, session };
  }

  it('lets the webhooks service start, which schedules its regular scan once memory is free', async () => {
    const errors: string[] = [];
    const sender = await openStore({ url: redis.url, instance: 'wh-full', onError: ({ message }) => errors.push(message) });
    const send = () => Promise.resolve({ status: 200, error: null });
    const worker = sender.deliver({ concurrency: 1, retriesMs: [], handlers: { send, ended: () => undefined, leftOut: () => undefined } });
    try {
      await worker.ready();
      await until(() => errors.some((message) => message.includes('OOM')), { what: 'the scan to be refused' });
      const scheduled = () => operator.zcard(`${sharedKeys.jobs(0)}:webhook-notices:repeat`);
      assert.equal(await scheduled(), 0);
      await room();
      await until(async () => (await scheduled()) === 1, { what: 'the scan to be scheduled' });
    } finally {
      await worker.close();
      await sender.close();
    }
  });

  it('accepts heartbeats, so that instances stay alive', async () => {
    await store.instances.announce();
    const [name, at] = [instanceKeys.beat('gw-full'), await operator.get(instanceKeys.beat('gw-full'))];
    await until(async () => Number(await operator.get(name)) > Number(at));
    const health = await store.instances.health(['gw-full', 'gw-dead']);
    assert.deepEqual(
      [...health],
      [
        ['gw-full', 'alive'],
        ['gw-dead', 'gone'],
      ],
      'a dead one is marked as such',
    );
  });

  it('revokes a key, which is then refused', async () => {
    const { account, key } = await tenant();
    await full();
    assert.equal(await store.apiKeys.revoke(account, key.id), true);
    assert.deepEqual(await store.apiKeys.admit({ apiKey: key.apiKey, cost: 0 }), { ok: false, reason: 'unauthorized' });
    assert.equal(await store.apiKeys.revoke(account, key.id), false);
  });

  it('ends what a key, a guest and the account asked, queued and made', async () => {
    const { account, robot, key } = await tenant();
    const visitor = await store.accounts.create({ email: `${newId('a')}@example.org` });
    const { token } = (await store.guests.makeLink(account, robot, 'use'))!;
    await store.guests.accept(token, { id: visitor.account, email: 'guest@example.org' });
    const { keyHash } = (await store.apiKeys.admit({ apiKey: key.apiKey, cost: 0 })) as { keyHash: string };
    await store.webhooks.create(account, { url: 'https://example.com/', keyHash });
    const asksAndQueues = async (owner: string): Promise<number> => {
      const number = (await store.waits.number(robot))!;
      await store.waits.open(robot, question(number));
      await store.waits.detach(robot, question(number), { account, choices: [], owner });
      const entry = {
        action: 'show',
        args: { text: 'next' },
        account,
        owner,
        keyHash,
        guest: null,
        requestId: 'q',
        via: 'http',
        holder: '',
      } as const;
      const later = (await store.waits.number(robot))!;
      await store.queue.add(robot, later, { entry: { ...entry, showMs: 60_000 }, priority: 5, expiresMs: 60_000, question: null });
      return number;
    };
    const endings: Ending[] = [
      { reason: 'key_revoked', account, key: key.id, removeWebhooks: true },
      { reason: 'sharing_ended', account, robot, guest: visitor.account },
      { reason: 'address_proven', account },
      { reason: 'account_removed', account },
    ];
    for (const ending of endings) {
      await room();
      const owner = { key_revoked: key.id, sharing_ended: visitor.account }[ending.reason as string] ?? account;
      const number = await asksAndQueues(owner);
      await full();
      const { counts } = await store.endings.end(ending);
      if (ending.reason === 'account_removed') continue;
      assert.equal((await store.waits.read(robot, number))?.outcome?.outcome, 'cancelled', ending.reason);
      assert.deepEqual([counts.detached_wait, counts.queue_entry, await store.queue.list(robot)], [1, 1, []], ending.reason);
    }
    assert.deepEqual([await store.webhooks.list(account), await store.apiKeys.list(account)], [[], []]);
  });

  it('removes a robot with an open question, and ends the question', async () => {
    const { account, robot, token } = await tenant();
    const number = (await store.waits.number(robot))!;
    await store.waits.open(robot, question(number));
    await full();
    assert.notEqual(await store.robots.remove(account, robot), 'unknown');
    assert.equal(await store.robots.byToken(token), null);
    assert.equal((await store.waits.read(robot, number))?.outcome?.outcome, 'failed');
    assert.deepEqual(await store.robots.list(account), []);
  });

  it('ends sessions and removes webhooks', async () => {
    const { account } = await tenant();
    const { secret, keyHash } = await store.sessions.begin(account);
    const { id } = await store.webhooks.create(account, { url: 'https://example.com/' });
    await full();
    await store.sessions.end(account, keyHash);
    assert.equal((await store.apiKeys.admit({ apiKey: secret, cost: 0 })).ok, false);
    assert.equal(await store.webhooks.remove(account, id), true);
    await store.sessions.endAll(account);
  });

  it('admits keys within the exact rate limit, and returns events and the last state', async () => {
    const { key, robot, session } = await tenant();
    await store.events.append(robot, { session: session.session, bootId: 'boot1', inSeq: 1, events: [{ name: 'pat', data: { ms: 100 } }] });
    await full();
    const admissions = await Promise.all(Array.from({ length: 35 }, () => store.apiKeys.admit({ apiKey: key.apiKey, cost: 1 })));
    const admitted = admissions.filter(({ ok }) => ok).length;
    assert.ok(admitted >= 30 && admitted < 35, `${admitted} admitted`);
    assert.deepEqual(
      (await store.events.read(robot, {})).events.map(({ name }) => name),
      ['pat'],
    );
    assert.equal((await store.leases.find(robot)).session, session.session);
  });

  it('stops a robot: its open question ends as replaced, and no question with an earlier number opens', async () => {
    const { robot } = await tenant();
    const number = (await store.waits.number(robot))!;
    await store.waits.open(robot, question(number));
    await full();
    const stopped = await store.waits.stop(robot);
    assert.ok(stopped?.ended && stopped.number > number);
    assert.equal((await store.waits.read(robot, number))?.outcome?.outcome, 'replaced');
  });

  it('accepts a reconnecting robot, releases it, and arms and settles an open wait', async () => {
    const { robot, session } = await tenant();
    const number = (await store.waits.number(robot))!;
    await store.waits.open(robot, question(number));
    await full();
    const again = { ...session, session: 's-again', dial: 2 };
    assert.ok('account' in (await store.leases.take(robot, again)));
    const armed = await store.waits.arm(robot, again.session, question(number), { bootId: 'boot1', ms: 1, seq: 0 });
    assert.ok(armed !== null && armed !== 'lost');
    assert.deepEqual(await store.waits.settle(robot, number, { outcome: 'cancelled' }, again.session), { settled: true });
    assert.equal(await store.leases.release(robot, again.session, 'away'), true);
  });

  it('refuses new keys, robots and webhooks with an error that names the memory', async () => {
    const { account } = await tenant();
    await full();
    await assert.rejects(store.apiKeys.create({ account }), refusedForRoom);
    await assert.rejects(store.robots.create({ account }), refusedForRoom);
    await assert.rejects(store.webhooks.create(account, { url: 'https://example.com/' }), refusedForRoom);
    await room();
    assert.equal((await store.apiKeys.list(account)).length, 1, 'nothing is left of the refused ones');
  });

  it('slows the webhook workers down instead of retrying hundreds of times a second, and sends the messages once memory is free', async () => {
    const { account, robot, session } = await tenant();
    await store.webhooks.create(account, { url: 'https://example.com/' });
    told.length = 0;
    const sent = new Set<string>();
    let refuses = false;
    const worker = store.deliver({
      concurrency: 20,
      retriesMs: [200, 200],
      handlers: {
        send: async (_webhook, { id }) => {
          if (!refuses) refuses = (await full()) === 'OK';
          sent.add(id);
          return { status: 200, error: null };
        },
        ended: () => {},
        leftOut: () => {},
      },
    });
    try {
      await worker.ready();
      const events = Array.from({ length: 20 }, () => ({ name: 'pat' as const, data: {} }));
      await store.events.append(robot, { session: session.session, bootId: 'boot1', inSeq: 1, events });
      await until(() => told.some((message) => message.includes('OOM')));
      await setTimeoutAsync(3000);
      assert.ok(told.length < 150, `${told.length} errors in 3 s`);
      await room();
      await until(() => sent.size === 20, { timeoutMs: 60_000, what: 'all messages to be sent' });
    } finally {
      await room();
      await worker.close();
    }
  });

  it('hands events to webhooks within seconds once memory is free, although the job for them was refused', async () => {
    const { robot } = await tenant();
    const jobs = `${sharedKeys.jobs(0)}:webhook-notices`;
    const noticed = async () => (await operator.exists(`${jobs}:de:${robot}`)) === 1;
    await full();
    told.length = 0;
    store.webhookJobs.notice(robot);
    await until(() => told.some((message) => message.includes('OOM')), { what: 'the job to be refused' });
    assert.equal(await noticed(), false);
    await room();
    await until(noticed, { what: 'the job to be added' });
  });

  it('lets an instance offer its address, which is found once memory is free', async () => {
    await store.instances.offer('page', 'http://full.example');
    assert.ok(
      told.some((message) => message.includes('OOM')),
      told.join('\n'),
    );
    assert.deepEqual(await store.instances.offered('page'), []);
    await operator.config('SET', 'maxmemory', '0');
    await until(async () => (await store.instances.offered('page')).includes('http://full.example'));
  });
});
