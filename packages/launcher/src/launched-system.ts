/** The built services on one Redis, for tests and tools: a store, accounts with keys and virtual robots, and the errors of the services. */
import { randomUUID } from 'node:crypto';
import type { LocalRedis } from '@perch/local-redis';
import { openStore, type Store } from '@perch/store';
import { VirtualRobot } from '@perch/virtual-robot';
import { startCluster, type Cluster, type ClusterOptions } from './cluster.js';
import { redisAccessTo } from './open-redis.js';
import type { ServiceProcess } from './service-process.js';

export interface LaunchedSystemOptions extends Omit<ClusterOptions, 'redisUrl'> {
  /** URL of a running Redis, or a server that the system stops at its end. */
  redis: string | LocalRedis;
}

export interface Stoppable {
  stop(): Promise<unknown>;
}

export type RobotOptions = Omit<ConstructorParameters<typeof VirtualRobot>[0], 'url' | 'token'>;

export interface TestRobot {
  id: string;
  token: string;
  robot: VirtualRobot;
}

export class LaunchedSystem {
  /** Null: the Redis is not the system's own. */
  redis: LocalRedis | null = null;
  cluster!: Cluster;
  store!: Store;
  /** Errors that the services logged, output that is not a log line, and processes that ended unexpectedly. */
  readonly errors: string[] = [];
  readonly #kept: Stoppable[] = [];

  static async start(options: LaunchedSystemOptions): Promise<LaunchedSystem> {
    const system = new LaunchedSystem();
    await system.launch(options);
    return system;
  }

  /** @throws if something does not start; what was started is stopped then */
  async launch({ redis, log, onCrash, env, ...options }: LaunchedSystemOptions): Promise<void> {
    const { errors } = this;
    if (typeof redis !== 'string') this.redis = redis;
    this.redis?.onCrash((how) => errors.push(how));
    const redisUrl = typeof redis === 'string' ? redis : redis.url;
    try {
      this.cluster = await startCluster({
        ...options,
        redisUrl,
        env: { PERCH_LOG_LEVEL: 'warn', ...env },
        log: (line, service) => {
          if (/"level":"(?:error|fatal)"/.test(line) || !line.startsWith('{')) errors.push(`${service}: ${line.slice(0, 2000)}`);
          log?.(line, service);
        },
        onCrash: (service, ending) => {
          errors.push(`${service.service} ended with ${ending.signal ?? `code ${ending.code}`}`);
          onCrash?.(service, ending);
        },
      });
      const access = this.redis === null ? redisAccessTo(redisUrl, env) : { url: redisUrl };
      this.store = await openStore({ ...access, instance: `test-${randomUUID().slice(0, 8)}` });
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  get services(): ServiceProcess[] {
    const { gateways, links, renderers, webhooks } = this.cluster;
    return [...gateways, ...links, ...renderers, ...webhooks];
  }

  /** Returns the address of gateway i, modulo their number, so that a test written for two runs on one; `link` does the same. */
  gateway(i = 0): string {
    const { gateways } = this.cluster;
    return gateways[i % gateways.length]!.address;
  }

  link(i = 0): string {
    const { links } = this.cluster;
    return links[i % links.length]!.address;
  }

  async newAccount(email = `${randomUUID()}@example.com`): Promise<string> {
    return (await this.store.accounts.create({ email })).account;
  }

  async newKey(account: string, name = 'test'): Promise<{ key: string; id: string }> {
    const { apiKey: key, id } = await this.store.apiKeys.create({ account, name });
    return { key, id };
  }

  /** The virtual robot is not started. It stops with the system. */
  async newRobot(account: string, options: RobotOptions = {}, link = 0): Promise<TestRobot> {
    const { robot: id, token } = await this.store.robots.create({ account });
    return { id, token, robot: this.virtualRobot(token, options, link) };
  }

  /** Returns another virtual robot of the same identity, not started. It stops with the system. */
  virtualRobot(token: string, options: RobotOptions = {}, link = 0): VirtualRobot {
    const robot = new VirtualRobot({ url: this.link(link), token, ...options });
    this.keep(robot);
    return robot;
  }

  keep(part: Stoppable): void {
    this.#kept.push(part);
  }

  /** @throws the first failure, after all parts were stopped */
  async clear(): Promise<void> {
    const ends = await Promise.allSettled(this.#kept.splice(0).map(async (part) => part.stop()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** @throws the first failure, after everything was stopped: processes that are left would keep the test run from ending */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const stop of [() => this.clear(), () => this.cluster?.stop(), () => this.store?.close(), () => this.redis?.stop()]) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
