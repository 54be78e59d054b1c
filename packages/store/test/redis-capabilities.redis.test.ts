import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartRefused } from '@perch/schema';
import { embeddedRedis, needsRedisServer, redisCluster, redisProcess, testRedisUsers, until, type LocalRedis } from '@perch/testkit';
import { Cluster, Redis } from 'ioredis';
import { Accounts } from '../src/accounts/accounts.js';
import { memoryOfMasters, openStore, openStoreWhenUp, type Store, type StoreOptions } from '../src/index.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { Capabilities } from '../src/redis/redis-capabilities.js';
import { mastersOf } from './fixtures.js';

type Finding = [level: string, text: string];

describe('the capabilities of Redis by its replies', () => {
  const info = 'role:master\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\nconnected_clients:80\r\nmaxclients:100\r\n';

  /** A connection that answers with scripted replies, for servers that cannot be had. */
  class ScriptedNode extends Redis {
    readonly #info: string | Error;
    readonly #waitaof: [number, number] | Error;

    constructor(reply: string | Error, waitaof: [number, number] | Error = [0, 0]) {
      super({ lazyConnect: true });
      this.#info = reply;
      this.#waitaof = waitaof;
    }

    override info(): Promise<string> {
      return this.#info instanceof Error ? Promise.reject(this.#info) : Promise.resolve(this.#info);
    }

    override call(): Promise<unknown> {
      return this.#waitaof instanceof Error ? Promise.reject(this.#waitaof) : Promise.resolve(this.#waitaof);
    }
  }

  class ScriptedCluster extends Cluster {
    readonly #nodes: ScriptedNode[];

    constructor(nodes: ScriptedNode[]) {
      super([], { lazyConnect: true });
      this.#nodes = nodes;
    }

    override nodes(): Redis[] {
      return this.#nodes;
    }
  }

  async function read(connection: Redis | Cluster): Promise<{ known: object; policy: string | null; findings: Finding[] }> {
    const findings: Finding[] = [];
    const capabilities = new Capabilities(connection, (...finding) => findings.push(finding));
    await capabilities.watch();
    return { known: Object.fromEntries(capabilities.known), policy: capabilities.evictionPolicy, findings };
  }
  const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

  it('are all there on a master with an append-only file that evicts nothing and has room for clients', async () => {
    assert.deepEqual(await read(new ScriptedNode(info)), {
      known: { master: true, noeviction: true, aof: true, waitaof: true, commands: true, maxclients: true },
      policy: null,
      findings: [],
    });
  });

  it('are unknown where Redis refuses INFO, or reports a field without a value, as Redis Enterprise does', async () => {
    for (const reply of [refusal("NOPERM this user has no permissions to run the 'info' command"), '', info.replaceAll(/:.*/g, ':')])
      assert.deepEqual(await read(new ScriptedNode(reply, new Error('Command timed out'))), {
        known: { commands: true },
        policy: null,
        findings: [],
      });
  });

  it('lack waitaof if the server does not know WAITAOF, or the user may not run it, which is a warning', async () => {
    for (const [message, level] of [
      ["ERR unknown command 'WAITAOF', with args beginning with: '0' '0' '0' ", 'info'],
      ["NOPERM this user has no permissions to run the 'waitaof' command", 'warn'],
    ] as const) {
      const { known, findings } = await read(new ScriptedNode(info, refusal(message)));
      assert.equal((known as { waitaof?: boolean }).waitaof, false);
      assert.deepEqual([findings.length, findings[0]![0], findings[0]![1].includes(message)], [1, level, true]);
    }
    const { known } = await read(new ScriptedNode(info, refusal('ERR WAITAOF cannot be used with replica instances.')));
    assert.equal('waitaof' in known, false, 'a replica says nothing about the server');
  });

  it('are those of the worst of several masters, and unknown if one of them does not say', async () => {
    const evicting = info.replace('noeviction', 'volatile-lru');
    const { known, policy } = await read(
      new ScriptedCluster([info, evicting, info.replace('role:master', '')].map((each) => new ScriptedNode(each))),
    );
    assert.deepEqual([known, policy], [{ noeviction: false, aof: true, waitaof: true, commands: true, maxclients: true }, 'volatile-lru']);
  });

  it('lack maxclients beyond 80 % of them, with the connections between the nodes of a Cluster', async () => {
    const { known, findings } = await read(new ScriptedNode(`${info}cluster_connections:1\r\n`));
    assert.equal((known as { maxclients?: boolean }).maxclients, false);
    assert.deepEqual(
      findings.map(([level]) => level),
      ['warn'],
    );
  });
});

describe('the capabilities of a real Redis', () => {
  const ends: (() => unknown)[] = [];
  let server: LocalRedis;

  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });

  async function connected(url: string, findings: Finding[] = []): Promise<Connections> {
    const redis = await connect({ url, onFinding: (...finding) => findings.push(finding) });
    ends.push(() => redis.close());
    return redis;
  }

  async function opened(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
    const store = await openStore({ url, instance: 'test-capable', ...options });
    ends.push(() => store.close());
    return store;
  }

  it('are unknown on the embedded Redis as far as it does not report them, and a new installation starts there', async () => {
    server = await embeddedRedis();
    ends.push(() => server.stop());
    const { connections } = await opened(server.url);
    assert.deepEqual([connections.capabilities.get('noeviction'), connections.capabilities.evictionPolicy], [null, null]);
  });

  it('are read without CONFIG, ROLE and ACL: with the shipped users file as it is written for Redis 7.0, and again after a reconnection', async function () {
    needsRedisServer(this);
    const folder = mkdtempSync(join(tmpdir(), 'perch-capabilities-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const { admin, settings, credentials } = testRedisUsers(folder);
    writeFileSync(settings['aclfile']!, readFileSync(settings['aclfile']!, 'utf8').replaceAll(/ \+waitaof| \+config\|get/g, ''));
    server = await redisProcess({ appendOnly: true, admin, settings });
    ends.push(() => server.stop());
    const findings: Finding[] = [];
    const redis = await connected(server.url.replace('redis://', `redis://${credentials}`), findings);
    const { capabilities, commands } = redis;
    assert.deepEqual(Object.fromEntries(capabilities.known), {
      master: true,
      noeviction: true,
      aof: true,
      waitaof: false,
      commands: true,
      maxclients: true,
    });
    assert.equal(findings.length, 1, JSON.stringify(findings));
    assert.match(findings[0]![1], /cannot tell when a write is on disk/);

    // Without WAITAOF there is nothing to wait for.
    await new Accounts(redis).create({ email: 'ann@example.org' });

    await assert.rejects(commands.keys('*'), /NOPERM/);
    assert.equal(capabilities.get('commands'), false);
    const others = Array.from({ length: 8 }, () => new Redis(server.port, { username: admin, password: 'any' }));
    ends.push(() => others.forEach((other) => other.disconnect()));
    await Promise.all(others.map((other) => other.ping()));
    await others[0]!.config('SET', 'maxmemory-policy', 'allkeys-lru', 'maxclients', '11');
    await others[0]!.call('CLIENT', 'KILL', 'USER', 'perch', 'TYPE', 'normal');
    await until(() => capabilities.get('noeviction') === false && capabilities.get('maxclients') === false);
    assert.deepEqual([capabilities.get('commands'), capabilities.evictionPolicy], [true, 'allkeys-lru']);
    assert.deepEqual(
      findings.slice(1).map(([level]) => level),
      ['error', 'warn'],
    );
  });

  it('lack master on a replica', async function () {
    needsRedisServer(this);
    server = await redisProcess();
    ends.push(() => server.stop());
    await server.ask(['REPLICAOF', '127.0.0.1', '1']);
    const findings: Finding[] = [];
    const { capabilities } = await connected(server.url, findings);
    assert.equal(capabilities.get('master'), false);
    assert.match(findings.find(([level]) => level === 'error')![1], /is a replica/);
  });

  for (const [name, start] of Object.entries({ 'one Redis': redisProcess, 'a Redis Cluster': redisCluster })) {
    it(`let a new installation begin on ${name} that evicts keys only if its operator allows it, and one with data start`, async function () {
      needsRedisServer(this);
      const redis = await start();
      const { url } = redis;
      ends.push(() => redis.stop());
      const admin = await connected(url);
      const setPolicy = (policy: string) => mastersOf(admin).at(-1)!.config('SET', 'maxmemory-policy', policy);
      await setPolicy('volatile-lru');
      const refused = (error: unknown): boolean =>
        error instanceof StartRefused && /maxmemory-policy is volatile-lru\..*PERCH_REDIS_ALLOW_EVICTION=true/.test(error.message);
      const [said, errors]: [Finding[], Error[]] = [[], []];
      const callbacks = { onFinding: (...finding: Finding) => said.push(finding), onError: (error: Error) => errors.push(error) };
      await assert.rejects(openStoreWhenUp({ url, instance: 'test-refused', ...callbacks }, AbortSignal.timeout(10_000)), refused);
      assert.deepEqual([said, errors], [[], []], 'the refusal says it');
      const allowed = await opened(url, { allowEviction: true });
      await allowed.accounts.create({ email: 'ann@example.org' });

      const findings: Finding[] = [];
      const store = await opened(url, { onFinding: (...finding) => findings.push(finding) });
      assert.equal(store.connections.capabilities.get('noeviction'), false);
      assert.ok(findings.some(([level, text]) => level === 'error' && text.includes('maxmemory-policy is volatile-lru')));
      await setPolicy('noeviction');
    });
  }

  it('show an evicting policy, and the keys that the master evicted are counted', async function () {
    needsRedisServer(this);
    server = await redisProcess({ settings: { 'maxmemory-policy': 'allkeys-random' } });
    ends.push(() => server.stop());
    const redis = await connected(server.url);
    assert.equal(redis.capabilities.evictionPolicy, 'allkeys-random');
    const evicted = async () => (await memoryOfMasters(redis))[0]!.evictedKeys;
    assert.equal(await evicted(), 0);
    await server.ask(['SET', 'key', 'x']);
    await server.ask(['CONFIG', 'SET', 'maxmemory', '1']);
    await until(async () => (await evicted()) === 1);
  });
});
