/** The instances under test: two of each service on one Redis, gateways and robot-links behind HAProxy. */
import type { ServiceName } from '@perch/launcher';
import { requireRedisServer, startRedisProcess, type LocalRedis } from '@perch/local-redis';
import type { SourceTree } from '@perch/testkit';
import { Balancer, type BalancedServer, type Pool, type Servers } from './balancer.js';
import { Place } from './place.js';
import { quietPorts } from './quiet-port.js';

export interface FleetOptions {
  /** Version that every instance starts with. */
  tree: SourceTree;
  env: NodeJS.ProcessEnv;
  /** Receives each line that a service logs. */
  log: (line: string, place: string) => void;
}

const services: readonly ServiceName[] = ['gateway', 'robot-link', 'renderer', 'webhooks'];
const instancesEach = 2;

export class Fleet {
  readonly redis: LocalRedis;
  readonly balancer: Balancer;
  /** What went wrong with instances since the last look. */
  readonly trouble: string[];
  readonly #places: readonly Place[];

  private constructor(redis: LocalRedis, balancer: Balancer, places: readonly Place[], trouble: string[]) {
    this.redis = redis;
    this.balancer = balancer;
    this.#places = places;
    this.trouble = trouble;
  }

  /** Resolves when every instance is ready and HAProxy sends traffic to it. @throws when something does not start; nothing is left running then */
  static async start({ tree, env, log }: FleetOptions): Promise<Fleet> {
    const redis = await startRedisProcess({ binary: requireRedisServer(env), appendOnly: true });
    const trouble: string[] = [];
    redis.onCrash((how) => trouble.push(how));
    const ports = await quietPorts(services.length * instancesEach * 4);
    const server = (name: string): BalancedServer => ({ name, port: ports.pop()!, adminPort: ports.pop()! });
    const places = services.flatMap((service) =>
      // Their names are those of the configuration file; a successor beside them runs as an added one.
      Array.from({ length: instancesEach }, (_, i) => {
        const name = `${service}-${i + 1}`;
        const servers = [server(name), server(`${name}-next`)] as const;
        return new Place(name, { service, redisUrl: redis.url, servers, env, log, onTrouble: (what) => trouble.push(what) });
      }),
    );
    const serversOf = (service: ServiceName): Servers[Pool] => {
      const [one, two] = places.filter((place) => place.service === service).map(({ servers }) => servers);
      return { fixed: [one![0], two![0]], added: [one![1], two![1]] };
    };
    let balancer: Balancer | null = null;
    try {
      await Promise.all(places.map((place) => place.start(tree)));
      balancer = await Balancer.start({ gateways: serversOf('gateway'), robot_links: serversOf('robot-link') });
      for (const place of places) await place.agrees(balancer);
      return new Fleet(redis, balancer, places, trouble);
    } catch (error) {
      await Promise.all(places.map((place) => place.stop()));
      await balancer?.stop();
      await redis.stop();
      throw error;
    }
  }

  /** Returns the places of a service, in the order in which they are replaced. */
  of(service: ServiceName): readonly Place[] {
    return this.#places.filter((place) => place.service === service);
  }

  /** Returns how many robots each robot-link holds. */
  async sessions(): Promise<number[]> {
    return Promise.all(this.of('robot-link').map(({ admin }) => gauge(admin, 'perch_link_sessions')));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.stop()));
    await this.balancer.stop();
    await this.redis.stop();
  }
}

async function gauge(admin: string, wanted: string): Promise<number> {
  const response = await fetch(`${admin}/metrics`, { headers: { accept: 'application/json' } });
  const metrics = (await response.json()) as { name: string; values: { value: number }[] }[];
  return metrics.find(({ name }) => name === wanted)?.values[0]?.value ?? 0;
}
