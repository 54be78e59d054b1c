/** The system under test: built services as processes behind proxies, on a Redis of its own. */
import { rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { until } from '@perch/testkit';
import type { Random } from '../random.js';
import type { Instance, Service } from './instance.js';
import { LeakWatch, type Leak } from './leaks.js';
import { ProxiedInstance } from './proxied-instance.js';
import { startSystemRedis, type RedisShape, type SystemRedis } from './redis.js';

export interface SystemOptions {
  redis: RedisShape;
  /** Default: two of each and one renderer. */
  counts?: Readonly<Record<Service, number>>;
  random: Random;
  env: NodeJS.ProcessEnv;
  /** Removed by `stop`. */
  dir: string;
  log?: (line: string, place: string) => void;
  /** A process ended, or did not end, unexpectedly: a violation. */
  onCrash?: (place: string, how: string) => void;
}

export interface System {
  readonly shape: RedisShape;
  readonly gateways: readonly Instance[];
  readonly links: readonly Instance[];
  readonly renderers: readonly Instance[];
  readonly senders: readonly Instance[];
  readonly instances: readonly Instance[];
  readonly redis: SystemRedis;
  /** Starts what is missing; resolves when every instance is ready and Redis serves. @throws after `withinMs`, naming the instance that is not */
  settled(withinMs: number): Promise<void>;
  /** Call once, when all robots are online and nothing is pending. */
  recordBaseline(): Promise<void>;
  /** Returns what did not return to the baseline; resolves early once all did. Call when nothing is pending. */
  leaks(withinMs: number): Promise<Leak[]>;
  /** Within 10 s. A second call returns the same promise. */
  stop(): Promise<void>;
}

const countsDefault = { gateway: 2, 'robot-link': 2, renderer: 1, webhooks: 2 };

/** @throws if something does not start; nothing is left running then */
export async function startSystem(options: SystemOptions): Promise<System> {
  await mkdir(options.dir, { recursive: true });
  const system = new LocalSystem(options);
  try {
    await system.start();
    return system;
  } catch (error) {
    await system.stop();
    throw error;
  }
}

class LocalSystem implements System {
  readonly shape: RedisShape;
  gateways: readonly ProxiedInstance[] = [];
  links: readonly ProxiedInstance[] = [];
  renderers: readonly ProxiedInstance[] = [];
  senders: readonly ProxiedInstance[] = [];
  readonly #options: SystemOptions;
  #redis: SystemRedis | null = null;
  #leaks: LeakWatch | null = null;
  #stopped: Promise<void> | null = null;
  /** Child processes end with this process; files do not. */
  readonly #removeFiles = (): void => rmSync(this.#options.dir, { recursive: true, force: true });

  constructor(options: SystemOptions) {
    this.#options = options;
    this.shape = options.redis;
    process.once('exit', this.#removeFiles);
  }

  get instances(): readonly ProxiedInstance[] {
    return [...this.gateways, ...this.links, ...this.renderers, ...this.senders];
  }

  get redis(): SystemRedis {
    if (this.#redis === null) throw new Error('the system was not started');
    return this.#redis;
  }

  async start(): Promise<void> {
    const redis = await startSystemRedis(this.shape, this.#options.dir, this.#options.env);
    this.#redis = redis;
    for (const node of redis.nodes) node.onCrash((how) => this.#options.onCrash?.('redis', how));
    const started = await Promise.allSettled(
      Object.entries(this.#options.counts ?? countsDefault).flatMap(([service, count]) =>
        Array.from({ length: count }, (_, index) =>
          ProxiedInstance.open({
            service: service as Service,
            index,
            redisUrl: redis.url,
            redisThroughProxy: this.shape === 'single',
            random: this.#options.random,
            env: this.#options.env,
            log: (line, place) => this.#options.log?.(line, place),
            onCrash: (place, how) => this.#options.onCrash?.(place, how),
          }),
        ),
      ),
    );
    const instances = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    this.gateways = instances.filter(({ service }) => service === 'gateway');
    this.links = instances.filter(({ service }) => service === 'robot-link');
    this.renderers = instances.filter(({ service }) => service === 'renderer');
    this.senders = instances.filter(({ service }) => service === 'webhooks');
    this.#leaks = new LeakWatch(instances, redis);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
  }

  async settled(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    await this.redis.serves(withinMs);
    await Promise.all(this.instances.map((instance) => instance.start()));
    await Promise.all(
      this.instances.map(async (instance) => {
        const timeoutMs = Math.max(0, deadline - performance.now());
        await until(async () => (await fetch(`${instance.admin}/readyz`, { signal: AbortSignal.timeout(2000) })).ok, {
          timeoutMs,
          everyMs: 50,
          what: `${instance.place} to be ready`,
        });
      }),
    );
  }

  recordBaseline(): Promise<void> {
    return this.#leaks!.recordBaseline();
  }

  leaks(withinMs: number): Promise<Leak[]> {
    return this.#leaks!.leaks(withinMs);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const ends = await Promise.allSettled(this.instances.map((instance) => instance.close()));
    await this.#redis?.stop();
    await rm(this.#options.dir, { recursive: true, force: true });
    process.off('exit', this.#removeFiles);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

export type { Instance, Leak, RedisShape };
