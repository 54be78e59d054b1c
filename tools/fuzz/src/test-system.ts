/**
 * Perch as shipped, on its own Redis, with an attacker (an account with robots and thousands of keys) and another account with robots that must not
 * be affected. `close` ends everything.
 */
import { startCluster, type Cluster, type ServiceProcess } from '@perch/launcher';
import { requireRedisServer, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import { openStore, type Store } from '@perch/store';
import { VirtualRobot } from '@perch/virtual-robot';
import { HostileProvider } from './console/auth/hostile-provider.js';

export interface TestSystemOptions {
  env: NodeJS.ProcessEnv;
  keys: number;
  robots: number;
}

export interface SeededRobot {
  id: string;
  token: string;
  robot: VirtualRobot;
}

/** Text in everything of the other account that a client could possibly read. */
export const secret = 'not-yours-4f1c';

const portion = 100;
const revokedKeys = 8;

export class TestSystem {
  readonly redis: LocalRedis;
  readonly cluster: Cluster;
  readonly store: Store;
  /** The OpenID Connect provider for signing in. */
  readonly provider: HostileProvider;
  readonly account: string;
  readonly keys: readonly string[];
  readonly revoked: readonly string[];
  readonly robots: readonly SeededRobot[];
  /** The other account, whose robots must not be affected. */
  readonly others: { account: string; keys: readonly string[]; robots: readonly SeededRobot[] };
  /** Errors logged by the services, and processes that ended. */
  readonly errors: string[];
  #nextKey = 0;

  private constructor({ redis, cluster, store, provider, seeds, errors }: Parts) {
    this.redis = redis;
    this.cluster = cluster;
    this.store = store;
    this.provider = provider;
    this.account = seeds.account;
    this.keys = seeds.keys;
    this.revoked = seeds.revoked;
    this.robots = seeds.robots;
    this.others = seeds.others;
    this.errors = errors;
  }

  /** @throws if there is no redis-server, or something does not start; nothing is left then */
  static async open({ env, keys, robots }: TestSystemOptions): Promise<TestSystem> {
    const redis = await startRedisProcess({ binary: requireRedisServer(env) });
    const opened: (() => Promise<void>)[] = [() => redis.stop()];
    try {
      const errors: string[] = [];
      redis.onCrash((how) => errors.push(how));
      const provider = await HostileProvider.open();
      opened.unshift(() => provider.close());
      const cluster = await startCluster({
        redisUrl: redis.url,
        webhooks: 1,
        drainMs: 1000,
        // Console requests come from different addresses, unless rate limits are tested.
        env: { ...env, PERCH_LOG_LEVEL: 'warn', PERCH_TRUST_PROXY: '1', PERCH_OIDC_ISSUER: provider.issuer, PERCH_OIDC_CLIENT_ID: 'perch' },
        log: (line, service) => {
          if (/"level":"(?:error|fatal)"/.test(line) || !line.startsWith('{')) errors.push(`${service}: ${line.slice(0, 2000)}`);
        },
        onCrash: ({ service }, { code, signal }) => errors.push(`${service} ended with ${signal ?? `code ${code}`}`),
      });
      opened.unshift(() => cluster.stop());
      const store = await openStore({ url: redis.url, instance: 'fuzz' });
      opened.unshift(() => store.close());
      const seeds = await seed(store, cluster.links[0]!.address, keys, robots);
      const system = new TestSystem({ redis, cluster, store, provider, seeds, errors });
      opened.unshift(() => system.#stopRobots());
      await Promise.all([...system.robots, ...system.others.robots].map(({ robot }) => robot.start()));
      return system;
    } catch (error) {
      for (const close of opened) await close();
      throw error;
    }
  }

  get gateway(): ServiceProcess {
    return this.cluster.gateways[0]!;
  }

  get link(): ServiceProcess {
    return this.cluster.links[0]!;
  }

  get services(): ServiceProcess[] {
    const { gateways, links, renderers, webhooks } = this.cluster;
    return [...gateways, ...links, ...renderers, ...webhooks];
  }

  nextKey(): string {
    return this.keys[this.#nextKey++ % this.keys.length]!;
  }

  async moreRobots(count: number): Promise<{ id: string; token: string }[]> {
    return inPortions(count, async () => {
      const { robot: id, token } = await this.store.robots.create({ account: this.account });
      return { id, token };
    });
  }

  async close(): Promise<void> {
    await this.#stopRobots();
    await this.store.close();
    await this.cluster.stop();
    await this.provider.close();
    await this.redis.stop();
  }

  async #stopRobots(): Promise<void> {
    await Promise.all([...this.robots, ...this.others.robots].map(({ robot }) => robot.stop()));
  }
}

interface Parts {
  redis: LocalRedis;
  cluster: Cluster;
  store: Store;
  provider: HostileProvider;
  seeds: Seeds;
  errors: string[];
}

interface Seeds {
  account: string;
  keys: string[];
  revoked: string[];
  robots: SeededRobot[];
  others: { account: string; keys: string[]; robots: SeededRobot[] };
}

async function seed(store: Store, url: string, keyCount: number, robotCount: number): Promise<Seeds> {
  const { account } = await store.accounts.create({ email: 'attacker@localhost' });
  const { account: other } = await store.accounts.create({ email: 'other@localhost' });
  const newRobot = async (owner: string, more: { model?: string; firmware?: string }): Promise<SeededRobot> => {
    const { robot: id, token } = await store.robots.create({ account: owner });
    return { id, token, robot: new VirtualRobot({ url, token, ...more }) };
  };
  const revoked = await Promise.all(
    Array.from({ length: revokedKeys }, async () => {
      const { apiKey, id } = await store.apiKeys.create({ account });
      await store.apiKeys.revoke(account, id);
      return apiKey;
    }),
  );
  return {
    account,
    keys: await inPortions(keyCount, async () => (await store.apiKeys.create({ account })).apiKey),
    revoked,
    robots: await inPortions(robotCount, () => newRobot(account, {})),
    others: {
      account: other,
      // Used during the whole run.
      keys: await inPortions(100, async () => (await store.apiKeys.create({ account: other, name: secret })).apiKey),
      robots: await inPortions(3, () => newRobot(other, { model: secret, firmware: secret })),
    },
  };
}

/** Creates in portions, since too many at once would delay Redis' replies. */
async function inPortions<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(portion, count - made.length) }, make))));
  }
  return made;
}
