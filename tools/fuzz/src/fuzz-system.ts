/** Perch as shipped, on its own Redis, with an attacker (robots, thousands of keys) and another account that must not be affected. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { micropythonInPlaceOf, LaunchedSystem, type TestRobot } from '@perch/launcher';
import { freePort, requireRedisServer, startRedisProcess } from '@perch/local-redis';
import type { Micropython } from '@perch/micropython-robot';
import { HostileProvider } from './console/auth/hostile-provider.js';

export interface FuzzSystemOptions {
  env: NodeJS.ProcessEnv;
  keys: number;
  robots: number;
  /** The last of the attacker's robots is the robot program in it. */
  micropython?: Micropython | null;
}

/** Text in everything of the other account that a client could possibly read. */
export const secret = 'not-yours-4f1c';

const portion = 100;
const revokedKeys = 8;
const otherKeys = 100;

export class FuzzSystem extends LaunchedSystem {
  readonly provider: HostileProvider;
  account = '';
  keys: readonly string[] = [];
  revoked: readonly string[] = [];
  robots: readonly TestRobot[] = [];
  /** The one of `robots` that is the robot program in MicroPython. */
  program: TestRobot['robot'] | null = null;
  others: { account: string; keys: readonly string[]; robots: readonly TestRobot[] } = { account: '', keys: [], robots: [] };
  #nextKey = 0;
  readonly #delay = monitorEventLoopDelay();

  private constructor(provider: HostileProvider) {
    super();
    this.provider = provider;
    this.keep({ stop: () => provider.close() });
    this.#delay.enable();
  }

  /** @throws if there is no redis-server, or something does not start; nothing is left then */
  static async open({ env, keys, robots, micropython = null }: FuzzSystemOptions): Promise<FuzzSystem> {
    const binary = requireRedisServer(env);
    const provider = await HostileProvider.open();
    const system = new FuzzSystem(provider);
    try {
      const port = await freePort();
      await system.launch({
        ports: { gateway: port },
        redis: await startRedisProcess({ binary }),
        webhooks: 1,
        drainMs: 1000,
        // Console requests come from different addresses, unless rate limits are tested.
        env: {
          ...env,
          PERCH_LOG_LEVEL: 'warn',
          PERCH_TRUST_PROXY: '1',
          PERCH_OIDC_ISSUER: provider.issuer,
          PERCH_OIDC_CLIENT_ID: 'perch',
          // No server is there: e-mails are composed, and fail.
          PERCH_SMTP_URL: 'smtp://127.0.0.1:9',
          PERCH_MAIL_FROM: 'perch@example.org',
          PERCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
        },
      });
      await system.#seed(keys, robots, micropython);
      return system;
    } catch (error) {
      await system.close();
      throw error;
    }
  }

  /** The longest time for which this process, in which the virtual robots live, did nothing. */
  stalledMs(): number {
    return this.#delay.max / 1e6;
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

  async #robotProgram(micropython: Micropython): Promise<TestRobot> {
    const { robot: id, token } = await this.store.robots.create({ account: this.account });
    const robot = micropythonInPlaceOf(micropython, { url: this.link(), token }, {});
    this.keep(robot);
    this.program = robot;
    return { id, token, robot };
  }

  async #seed(keys: number, robots: number, micropython: Micropython | null): Promise<void> {
    const account = await this.newAccount('attacker@localhost');
    const other = await this.newAccount('other@localhost');
    this.account = account;
    this.revoked = await inPortions(revokedKeys, async () => {
      const { key, id } = await this.newKey(account);
      await this.store.apiKeys.revoke(account, id);
      return key;
    });
    this.keys = await inPortions(keys, async () => (await this.newKey(account)).key);
    this.robots = await inPortions(robots - (micropython === null ? 0 : 1), () => this.newRobot(account));
    if (micropython !== null) this.robots = [...this.robots, await this.#robotProgram(micropython)];
    this.others = {
      account: other,
      keys: await inPortions(otherKeys, async () => (await this.newKey(other, secret)).key),
      robots: await inPortions(3, () => this.newRobot(other, { model: secret, firmware: secret })),
    };
    await Promise.all([...this.robots, ...this.others.robots].map(({ robot }) => robot.start()));
  }
}

/** Too many at once would delay Redis' replies. */
async function inPortions<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(portion, count - made.length) }, make))));
  }
  return made;
}
