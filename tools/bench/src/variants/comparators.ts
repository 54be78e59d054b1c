/** Starts L, S+, A+ and M, each with its own robots, and its own Redis if it uses one. */
import { randomBytes } from 'node:crypto';
import { startRedisProcess, type LocalRedis, type RedisServerBinary } from '@perch/local-redis';
import type { MosquittoProgram } from '@perch/testkit';
import type { Targets } from '../load/load.js';
import { Fleet, type RobotKind } from '../robots/fleet.js';
import { Worker } from '../worker.js';
import type { Tenant } from './checks.js';
import type { MqttUser } from './mosquitto-main.js';
import type { Variant, VariantName } from './variant.js';

export interface VariantOptions {
  robotsWorker: Worker;
  redisBinary: RedisServerBinary;
  robots: number;
  keys: number;
  /** Options of Node.js. */
  execArgv?: string[];
}

export async function startLean({ robotsWorker, robots, keys }: VariantOptions): Promise<Comparator> {
  const tenant = newTenant(robots, keys);
  const server = new Worker('variants/lean-main');
  try {
    const address = await server.ask<string>('start', tenant);
    const where = { base: `http://${address}`, robotsUrl: `ws://${address}`, kind: 'frames' } as const;
    return new Comparator({ name: 'L', tenant, where, robotsWorker, workers: [server], redis: null });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export function startSocketIo(options: VariantOptions): Promise<Comparator> {
  return startPair(options, 'S+', 'socket.io', ['variants/socket-io-gateway-main', 'variants/socket-io-robots-main']);
}

export function startAedes(options: VariantOptions): Promise<Comparator> {
  return startPair(options, 'A+', 'mqtt', ['variants/aedes-gateway-main', 'variants/aedes-broker-main']);
}

async function startPair(
  { robotsWorker, redisBinary, robots, keys, execArgv }: VariantOptions,
  name: VariantName,
  kind: RobotKind,
  mains: readonly [string, string],
): Promise<Comparator> {
  const tenant = newTenant(robots, keys);
  const redis = await startRedisProcess({ binary: redisBinary });
  const workers = mains.map((main) => new Worker(main, undefined, execArgv));
  try {
    const [base, robotsUrl] = (await Promise.all(workers.map((worker) => worker.ask<string>('start', redis.url, tenant)))) as [string, string];
    return new Comparator({ name, tenant, where: { base, robotsUrl, kind }, robotsWorker, workers, redis });
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.stop()));
    await redis.stop();
    throw error;
  }
}

/** @param mosquitto of Debian, see provideMosquitto */
export async function startMosquitto({ robotsWorker, redisBinary, robots, keys }: VariantOptions, mosquitto: MosquittoProgram): Promise<Comparator> {
  const tenant = newTenant(robots, keys);
  const gateway: MqttUser = { name: 'gateway', password: randomBytes(16).toString('hex') };
  const users = [gateway, ...tenant.robots.map(({ id, token }): MqttUser => ({ name: id, password: token }))];
  const redis = await startRedisProcess({ binary: redisBinary });
  const workers = ['variants/mqtt-gateway-main', 'variants/mosquitto-main'].map((main) => new Worker(main)) as [Worker, Worker];
  try {
    const robotsUrl = await workers[1].ask<string>('start', mosquitto, users);
    const base = await workers[0].ask<string>('start', redis.url, tenant, robotsUrl, gateway);
    return new Comparator({ name: 'M', tenant, where: { base, robotsUrl, kind: 'mqtt' }, robotsWorker, workers, redis });
  } catch (error) {
    await Promise.all(workers.map((worker) => worker.stop()));
    await redis.stop();
    throw error;
  }
}

interface ComparatorOptions {
  name: VariantName;
  tenant: Tenant;
  where: { base: string; robotsUrl: string; kind: RobotKind };
  robotsWorker: Worker;
  workers: readonly Worker[];
  redis: LocalRedis | null;
}

export class Comparator implements Variant {
  readonly #options: ComparatorOptions;
  #fleet: Fleet | null = null;

  constructor(options: ComparatorOptions) {
    this.#options = options;
  }

  async connectRobots(count: number): Promise<void> {
    const { robotsWorker, where, tenant } = this.#options;
    const before = this.#fleet?.robots.length ?? 0;
    const more = await Fleet.connect(robotsWorker, where.kind, [where.robotsUrl], tenant.robots.slice(before, count));
    this.#fleet = this.#fleet === null ? more : await this.#fleet.joined(more);
  }

  get name(): VariantName {
    return this.#options.name;
  }

  get fleet(): Fleet {
    if (this.#fleet === null) throw new Error('no robot is connected');
    return this.#fleet;
  }

  get targets(): Targets {
    const { where, tenant } = this.#options;
    return { base: where.base, keys: tenant.keys, robots: tenant.robots.map(({ id }) => id) };
  }

  get pids(): number[] {
    const { workers, redis } = this.#options;
    return [...workers.map(({ pid }) => pid), ...(redis === null ? [] : [redis.pid])];
  }

  get robotsPid(): number {
    return this.#options.workers.at(-1)!.pid;
  }

  async stop(): Promise<void> {
    await this.#fleet?.disconnect();
    await Promise.all(this.#options.workers.map((worker) => worker.stop()));
    await this.#options.redis?.stop();
  }
}

function newTenant(robots: number, keys: number): Tenant {
  return {
    keys: Array.from({ length: keys }, () => `pk_${randomBytes(32).toString('base64url')}`),
    robots: Array.from({ length: robots }, () => ({
      id: `r-${randomBytes(5).toString('hex')}`,
      token: `rt_${randomBytes(32).toString('base64url')}`,
    })),
  };
}
