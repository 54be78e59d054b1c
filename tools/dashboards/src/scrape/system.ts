/**
 * A small Perch with a Prometheus that scrapes it: two instances of each service, some robots with a simulated person each, and a receiver of
 * webhooks.
 */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCluster, type Cluster, type ServiceProcess } from '@perch/launcher';
import { openStore } from '@perch/store';
import { findHaproxy, redisProcess, startLoadBalancer, startPrometheus, type PrometheusServer, type ScrapeJob } from '@perch/testkit';
import { Person, VirtualRobot } from '@perch/virtual-robot';

export interface SystemOptions {
  robots: number;
  /** Interval of scrapes, s. */
  intervalS: number;
  /** Environment that the services inherit; its PATH has redis-server and prometheus. */
  env: NodeJS.ProcessEnv;
}

export interface ConnectedRobot {
  id: string;
  robot: VirtualRobot;
}

export interface System {
  prometheus: PrometheusServer;
  /** URLs for programs: HAProxy if it is installed, else each gateway. */
  gateways: readonly string[];
  links: readonly string[];
  robots: readonly ConnectedRobot[];
  /** Id of a robot that never connects. */
  absentRobot: string;
  newKey(): Promise<string>;
  stop(): Promise<void>;
}

const rulesFolder = fileURLToPath(new URL('../../../../deploy/prometheus/rules', import.meta.url));
/** Redis reports its memory use as a share only if it has a limit. */
const redisMemory = '256mb';

/** Resolves when the robots are connected. @throws if something does not start; what was started is stopped then */
export async function startSystem({ robots: count, intervalS, env }: SystemOptions): Promise<System> {
  const ends: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const redis = await redisProcess({ settings: { maxmemory: redisMemory } });
    ends.push(() => redis.stop());
    const settings = { PERCH_METRICS_ROBOTS: 'true', PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_LOG_LEVEL: 'error' };
    const cluster = await startCluster({ redisUrl: redis.url, gateways: 2, links: 2, renderers: 2, webhooks: 2, env: { ...env, ...settings } });
    ends.push(() => cluster.stop());
    const jobs = jobsOf(cluster);
    let gateways = cluster.gateways.map(({ address }) => address);
    if (findHaproxy(env) !== null) {
      const { gateways: servers, links } = cluster;
      const balancer = await startLoadBalancer({ gateways: [servers[0]!, servers[1]!], links: [links[0]!, links[1]!] });
      ends.push(() => balancer.stop());
      await balancer.untilUp('gateways', 2);
      jobs.push({ name: 'haproxy', targets: [{ url: balancer.metrics }] });
      gateways = [balancer.programs];
    }
    const rules = quickRules(intervalS);
    ends.push(() => rmSync(rules, { recursive: true }));
    const prometheus = await startPrometheus({ jobs, rules: [join(rules, '*.yml')], intervalS });
    ends.push(() => prometheus.stop());
    const store = await openStore({ url: redis.url, instance: 'dashboards' });
    ends.push(() => store.close());
    const receiver = await startReceiver();
    ends.push(() => receiver.close());

    const { account } = await store.accounts.create({ email: 'dashboards@example.com' });
    await store.webhooks.create(account, { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
    const { robot: absentRobot } = await store.robots.create({ account });
    const links = cluster.links.map(({ address }) => address);
    const robots = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const { robot: id, token } = await store.robots.create({ account });
        const firmware = index % 4 === 0 ? '1.1.0' : '1.0.0';
        const robot = new VirtualRobot({ url: links[index % links.length]!, token, firmware });
        ends.push(() => robot.stop());
        await robot.start();
        const person = new Person(robot, { thinkMs: 700 });
        ends.push(() => person.stop());
        return { id, robot };
      }),
    );
    return {
      prometheus,
      gateways,
      links,
      robots,
      absentRobot,
      newKey: async () => (await store.apiKeys.create({ account, name: 'dashboards' })).apiKey,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the scrape jobs of deploy/prometheus/prometheus.yml, with this cluster's instances. */
function jobsOf({ gateways, links, renderers, webhooks }: Cluster): ScrapeJob[] {
  const targets = (services: readonly ServiceProcess[]): ScrapeJob['targets'] =>
    services.map(({ admin, service }) => ({ url: admin, labels: { component: service } }));
  return [
    { name: 'perch', targets: targets([...gateways, ...links, ...renderers, ...webhooks]) },
    { name: 'perch-robots', path: '/metrics/robots', targets: targets(links) },
  ];
}

/** Copies the rules into a temporary folder and replaces their evaluation interval of one minute by the scrape interval. */
function quickRules(intervalS: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'perch-rules-'));
  for (const name of readdirSync(rulesFolder)) {
    const text = readFileSync(join(rulesFolder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/^ {4}interval: \w+$/gm, `    interval: ${intervalS}s`));
  }
  return folder;
}

async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
