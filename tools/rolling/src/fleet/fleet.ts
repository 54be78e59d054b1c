/** The instances under test: two of each service on one Redis, gateways and robot-links behind HAProxy. */
import { RunQueue } from '@perch/chaos';
import type { ServiceName } from '@perch/launcher';
import { requireRedisServer, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import type { SourceTree } from '@perch/testkit';
import { Balancer, type BalancedServer, type Pool, type Servers } from './balancer.js';
import { InstanceSlot } from './instance-slot.js';
import { freePorts } from './free-ports.js';

export interface FleetOptions {
  tree: SourceTree;
  env: NodeJS.ProcessEnv;
  log: (line: string, instance: string) => void;
}

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];
const instancesEach = 2;
/** What a call passes on its way to the robot. */
const onTheWay = ['gateway', 'robot-link'] as const;

export class Fleet {
  readonly redis: LocalRedis;
  readonly balancer: Balancer;
  /** Since it was last read. */
  readonly trouble: string[];
  readonly #slots: readonly InstanceSlot[];
  readonly #runQueue: RunQueue;

  private constructor(redis: LocalRedis, balancer: Balancer, slots: readonly InstanceSlot[], trouble: string[]) {
    this.redis = redis;
    this.balancer = balancer;
    this.#slots = slots;
    this.trouble = trouble;
    this.#runQueue = new RunQueue(() => [...slots.flatMap(({ processes }) => processes), { place: 'redis', pid: redis.pid }]);
  }

  /** Resolves when every instance is ready and HAProxy sends traffic to it. @throws if something does not start; nothing is left running then */
  static async start({ tree, env, log }: FleetOptions): Promise<Fleet> {
    const redis = await startRedisProcess({ binary: requireRedisServer(env), appendOnly: true });
    const trouble: string[] = [];
    redis.onCrash((how) => trouble.push(how));
    const ports = await freePorts(services.length * instancesEach * 4);
    const server = (name: string): BalancedServer => ({ name, port: ports.pop()!, adminPort: ports.pop()! });
    const slots = services.flatMap((service) =>
      // Named as in the configuration file; a successor runs as an added server.
      Array.from({ length: instancesEach }, (_, i) => {
        const name = `${service}-${i + 1}`;
        const servers = [server(name), server(`${name}-next`)] as const;
        return new InstanceSlot(name, { service, redisUrl: redis.url, servers, env, log, onTrouble: (what) => trouble.push(what) });
      }),
    );
    const serversOf = (service: ServiceName): Servers[Pool] => {
      const [one, two] = slots.filter((slot) => slot.service === service).map(({ servers }) => servers);
      return { fixed: [one![0], two![0]], added: [one![1], two![1]] };
    };
    let balancer: Balancer | null = null;
    try {
      await Promise.all(slots.map((slot) => slot.start(tree)));
      balancer = await Balancer.start({ gateways: serversOf('gateway'), robot_links: serversOf('robot-link') });
      for (const slot of slots) await slot.agrees(balancer);
      return new Fleet(redis, balancer, slots, trouble);
    } catch (error) {
      await Promise.all(slots.map((slot) => slot.stop()));
      await balancer?.stop();
      await redis.stop();
      throw error;
    }
  }

  /** In the order of replacement. */
  of(service: ServiceName): readonly InstanceSlot[] {
    return this.#slots.filter((slot) => slot.service === service);
  }

  /** Time in which a call waited for a processor at most, whichever instances it passed, ms. */
  queuedMs(from: number, to: number): number {
    const waited = (places: readonly string[]): number => Math.max(...places.map((place) => this.#runQueue.waitedMs(place, from, to)));
    const instances = onTheWay.map((service) => waited(this.of(service).flatMap(({ servers }) => servers.map(({ name }) => name))));
    return [...instances, waited(['redis'])].reduce((sum, ms) => sum + ms, 0);
  }

  async sessions(): Promise<number[]> {
    return Promise.all(this.of('robot-link').map(({ admin }) => gauge(admin, 'perch_link_sessions')));
  }

  async stop(): Promise<void> {
    this.#runQueue.stop();
    await Promise.all(this.#slots.map((slot) => slot.stop()));
    await this.balancer.stop();
    await this.redis.stop();
  }
}

async function gauge(admin: string, wanted: string): Promise<number> {
  const response = await fetch(`${admin}/metrics`, { headers: { accept: 'application/json' } });
  const metrics = (await response.json()) as { name: string; values: { value: number }[] }[];
  return metrics.find(({ name }) => name === wanted)?.values[0]?.value ?? 0;
}
