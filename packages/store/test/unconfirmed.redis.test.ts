/**
 * A new secret that nobody is shown must not exist: a creation that Redis does not confirm is taken back, and one that Redis executes late does nothing.
 * Reports of the same faults from users of others: redis/ioredis#1423, redis/node-redis#1598 (idle connections that are forgotten),
 * redisson/redisson#1129, redis/lettuce#1426 (executed minutes after the time-out), redis/redis#6062 (writes that a failover loses).
 */
import assert from 'node:assert/strict';
import { embeddedRedis, needsRedisServer, redisProcess, TcpProxy, until, type LocalRedis } from '@perch/testkit';
import { newId, newSecret, sha256Short } from '../src/redis/ids.js';
import { openStore, StoreError, UncertainWrite, type Store } from '../src/index.js';
import { accountKeys, robotKeys } from '../src/redis/keys.js';
import { KeyRotation } from '../src/keys/key-rotation.js';
import type { ScriptName } from '../src/redis/scripts.js';

interface Kind {
  what: string;
  /** The script that makes the secret valid. */
  last: ScriptName;
  /** Makes what the creation needs. */
  prepared(
    store: Store,
    account: string,
  ): Promise<{
    create: () => Promise<unknown>;
    /** What may not change. */
    state: () => Promise<unknown>;
  }>;
}

const client = 'c-0000000000';
const redirectUri = 'http://127.0.0.1:33418/callback';
const resource = 'http://127.0.0.1:8080/mcp';

const kinds: Kind[] = [
  {
    what: 'an API key',
    last: 'keyMake',
    // Its entry in the list may stay for a minute, without a key.
    prepared: async ({ apiKeys }, account) => ({ create: () => apiKeys.create({ account, max: 1 }), state: () => apiKeys.list(account) }),
  },
  {
    what: 'the next secret of a key',
    last: 'recordKeep',
    prepared: async ({ apiKeys, webhooks, connections }, account) => {
      // An unconfirmed secret expires after the script that would confirm it may be late.
      const rotation = new KeyRotation(connections, webhooks, 5000);
      const { apiKey, id } = await apiKeys.create({ account });
      return {
        create: () => rotation.roll(account, id, 0),
        state: async () => {
          const listed = (await apiKeys.list(account)).map(({ lastUsed: _lastUsed, ...key }) => key);
          const record = await connections.commands.pttl(`perch:{${sha256Short(apiKey)}}`);
          return [listed, (await apiKeys.admit({ apiKey, cost: 0 })).ok, record, await connections.commands.hvals(accountKeys.apiKeys(account))];
        },
      };
    },
  },
  {
    what: 'a grant of an OAuth client',
    last: 'keyMake',
    prepared: async ({ apiKeys, grants }, account) => ({
      create: () =>
        grants.begin({
          account,
          name: 'Agent',
          robots: '*',
          scopes: ['read'],
          max: 100,
          client,
          address: 'this computer',
          redirectUri,
          challenge: sha256Short('verifier'),
          resource,
        }),
      state: () => apiKeys.list(account),
    }),
  },
  {
    what: 'a robot',
    last: 'robotBind',
    prepared: async ({ robots, connections }, account) => ({
      create: () => robots.create({ account, serial: 'SN1', max: 1 }),
      state: async () => [
        await robots.list(account),
        await robots.count(account),
        await connections.commands.hgetall(accountKeys.serials(account)),
        await connections.commands.hgetall(accountKeys.labels(account)),
      ],
    }),
  },
  {
    what: 'a webhook',
    last: 'webhookSave',
    prepared: async ({ webhooks }, account) => ({
      create: () => webhooks.create(account, { url: 'https://example.com/' }),
      state: () => webhooks.list(account),
    }),
  },
  {
    what: 'the next secret of a webhook',
    last: 'webhookSave',
    prepared: async ({ webhooks }, account) => {
      const { id } = await webhooks.create(account, { url: 'https://example.com/' });
      await webhooks.rollSecret(account, id, 3_600_000);
      return { create: () => webhooks.rollSecret(account, id, 3_600_000), state: () => webhooks.list(account) };
    },
  },
  {
    what: 'a share link',
    last: 'shareLinkMake',
    prepared: async ({ robots, guests, connections }, account) => {
      const { robot } = await robots.create({ account });
      return {
        create: () => guests.makeLink(account, robot, 'watch'),
        state: () => connections.commands.hgetall(robotKeys.shareLinks(robot)),
      };
    },
  },
];

/** What Redis has executed stays: the secrets before are used up. */
const exchanges: Kind[] = [
  {
    what: 'the next token of a robot',
    last: 'robotToken',
    prepared: async ({ robots }, account) => {
      const { robot, token } = await robots.create({ account });
      return { create: () => robots.renewToken(robot), state: async () => (await robots.byToken(token))?.tokenHash };
    },
  },
  {
    what: 'the tokens for an authorization code',
    last: 'grantStep',
    prepared: async ({ grants, connections }, account) => {
      const verifier = newSecret('');
      const grant = { account, name: 'Agent', robots: '*' as const, scopes: ['read' as const], max: 100, client, address: '', redirectUri, resource };
      const { code, id } = await grants.begin({ ...grant, challenge: sha256Short(verifier) });
      const entry = () => connections.commands.hget(accountKeys.apiKeys(account), id);
      const key = (await entry())!.split(' ')[0]!;
      return {
        create: () => grants.exchangeCode(code, { client, redirectUri, verifier, resource }),
        state: async () => [await entry(), await connections.commands.hget(`perch:{${key}}`, 'step')],
      };
    },
  },
];

describe('creations that Redis does not confirm', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function opened(url: string): Promise<Store> {
    const store = await openStore({ url, instance: `test-${newId('k')}` });
    ends.push(() => store.close());
    return store;
  }

  async function started(options: Parameters<typeof redisProcess>[0] = {}): Promise<LocalRedis> {
    const server = await redisProcess(options);
    ends.push(() => server.stop());
    return server;
  }

  async function prepared(store: Store, all: readonly Kind[]) {
    return Promise.all(
      all.map(async ({ what, last, prepared: prepare }) => {
        const { account } = await store.accounts.create({ email: `${newId('a')}@example.org` });
        const { create, state } = await prepare(store, account);
        return { what, last, account, create, state, before: await state() };
      }),
    );
  }

  it('creates once over a connection that a NAT gateway has forgotten', async () => {
    const server = await embeddedRedis();
    ends.push(() => server.stop());
    const proxy = await TcpProxy.open({ host: '127.0.0.1', port: server.port });
    ends.push(() => proxy.close());
    const store = await opened(`redis://127.0.0.1:${proxy.port}`);
    const before = proxy.connections;
    const { account } = await store.accounts.create({ email: 'ann@example.org' });
    const durable = proxy.connections.filter((connection) => !before.includes(connection));
    assert.equal(durable.length, 1);
    for (const connection of durable) connection.conditions = { drop: 'both' };
    const { apiKey } = await store.apiKeys.create({ account });
    assert.equal((await store.apiKeys.admit({ apiKey, cost: 0 })).ok, true);
    assert.equal((await store.apiKeys.list(account)).length, 1);
  });

  it('does nothing for a creation that Redis executes only after the answer', async () => {
    const server = await embeddedRedis();
    ends.push(() => server.stop());
    const proxy = await TcpProxy.open({ host: '127.0.0.1', port: server.port });
    ends.push(() => proxy.close());
    const store = await opened(`redis://127.0.0.1:${proxy.port}`);
    const all = await prepared(store, [...kinds, ...exchanges]);
    const { script, durably } = store.connections;
    // As if the process ended, too.
    const undo = () => Promise.reject(new Error('the process ended'));
    store.connections.durably = (keys, work) => durably(keys, work, undo);
    let waiting = 0;
    let release: () => void = () => {};
    const stopped = new Promise<void>((resolve) => (release = resolve));
    store.connections.script = async (name, keys, args) => {
      if (all.some(({ last }) => last === name)) {
        waiting += 1;
        await stopped;
      }
      return script(name, keys, args);
    };
    const outcomes = Promise.allSettled(all.map(({ create }) => create()));
    await until(() => waiting === all.length, { what: 'the last write of each creation' });
    proxy.conditions = { hold: 'both' };
    release();
    const settled = await outcomes;
    store.connections.script = script;
    proxy.conditions = {};
    for (const [i, { what, state, before }] of all.entries()) {
      const outcome = settled[i]!;
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof UncertainWrite, what);
      await until(() => state().then(isLike(before), () => false), { what: `${what} to be as before`, timeoutMs: 15_000 });
    }
    for (const { what, state, before } of all) assert.deepEqual(await state(), before, what);
  });

  it('takes back what no replica has confirmed, and answers that it was not made', async function () {
    needsRedisServer(this);
    const [server, replica] = await Promise.all([started(), started()]);
    await replica.ask(['REPLICAOF', '127.0.0.1', String(server.port)]);
    await until(async () => (await server.ask(['INFO', 'replication'])).includes('state=online'), { what: 'the replica to be connected' });
    const store = await opened(server.url);
    const all = await prepared(store, kinds);
    const used = await prepared(store, exchanges);
    await replica.kill('SIGSTOP');
    ends.push(() => replica.kill('SIGCONT'));
    const outcomes = await Promise.allSettled([...all, ...used].map(({ create }) => create()));
    for (const [i, { what, state, before }] of all.entries()) {
      const outcome = outcomes[i]!;
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof StoreError, what);
      assert.ok(!(outcome.reason instanceof UncertainWrite), `${what}: ${outcome.reason.message}`);
      assert.deepEqual(await state(), before, what);
    }
    for (const outcome of outcomes.slice(all.length))
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof UncertainWrite, 'an end is not taken back');
    await replica.kill('SIGCONT');
    for (const { what, create } of all) assert.ok(await create(), what);
  });
});

function isLike(expected: unknown): (value: unknown) => boolean {
  return (value) => {
    try {
      assert.deepEqual(value, expected);
      return true;
    } catch {
      return false;
    }
  };
}
