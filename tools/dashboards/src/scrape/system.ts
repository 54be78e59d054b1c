/** Two instances of each service, some robots with a simulated person each, a receiver of webhooks, and a Prometheus that scrapes the instances. */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LaunchedSystem, type ServiceProcess, type TestRobot } from '@perch/launcher';
import { findHaproxy, redisProcess, startLoadBalancer, startPrometheus, type PrometheusServer, type ScrapeJob } from '@perch/testkit';
import { Person } from '@perch/virtual-robot';

export interface SystemOptions {
  robots: number;
  intervalS: number;
  /** Its PATH has redis-server and prometheus. */
  env: NodeJS.ProcessEnv;
}

export interface System {
  prometheus: PrometheusServer;
  /** What Prometheus scrapes. */
  jobs: readonly ScrapeJob[];
  /** HAProxy if it is installed, else each gateway. */
  gateways: readonly string[];
  links: readonly string[];
  robots: readonly TestRobot[];
  absentRobot: string;
  newKey(): Promise<string>;
  stop(): Promise<void>;
}

const rulesFolder = fileURLToPath(new URL('../../../../deploy/prometheus/rules', import.meta.url));
/** Redis reports its memory use as a share only if it has a limit. */
const redisMemory = '256mb';

/** @throws if something does not start; what was started is stopped then */
export async function startSystem({ robots: count, intervalS, env }: SystemOptions): Promise<System> {
  const ends: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const settings = { PERCH_METRICS_ROBOTS: 'true', PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_LOG_LEVEL: 'error' };
    const redis = await redisProcess({ settings: { maxmemory: redisMemory } });
    ends.push(() => redis.stop());
    const system = await LaunchedSystem.start({
      redis: redis.url,
      gateways: 2,
      links: 2,
      renderers: 2,
      webhooks: 2,
      env: { ...env, ...settings },
    });
    ends.push(() => system.close());
    const jobs = jobsOf(system);
    let gateways = system.cluster.gateways.map(({ address }) => address);
    if (findHaproxy(env) !== null) {
      const { gateways: servers, links } = system.cluster;
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
    const receiver = await startReceiver();
    ends.push(() => receiver.close());

    const { store } = system;
    const account = await system.newAccount('dashboards@example.com');
    await store.webhooks.create(account, { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` });
    const { robot: absentRobot } = await store.robots.create({ account });
    const robots = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const made = await system.newRobot(account, { firmware: index % 4 === 0 ? '1.1.0' : '1.0.0' }, index);
        await made.robot.start();
        const person = new Person(made.robot, { thinkMs: 700 });
        ends.push(() => person.stop());
        return made;
      }),
    );
    return {
      prometheus,
      jobs,
      gateways,
      links: system.cluster.links.map(({ address }) => address),
      robots,
      absentRobot,
      newKey: async () => (await system.newKey(account, 'dashboards')).key,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As in deploy/prometheus/prometheus.yml. */
function jobsOf({ services, cluster }: LaunchedSystem): ScrapeJob[] {
  const targets = (of: readonly ServiceProcess[]): ScrapeJob['targets'] =>
    of.map(({ admin, service }) => ({ url: admin, labels: { component: service } }));
  return [
    { name: 'perch', targets: targets(services) },
    { name: 'perch-robots', path: '/metrics/robots', targets: targets(cluster.links) },
  ];
}

/** The evaluation interval of one minute becomes the scrape interval. */
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
