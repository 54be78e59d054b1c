/** Resources of the processes and Redis at a moment: memory, open files, calls, robots and keys. Linux only: it reads /proc. */
import { askRedis } from '@perch/local-redis';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '@perch/launcher';
import type { FuzzSystem } from './fuzz-system.js';

export interface Snapshot {
  /** Resident memory in MB by service, child processes included. */
  rssMb: Record<string, number>;
  files: Record<string, number>;
  /** Held calls, awaited replies, watched robots, sessions: gauges that must return to their values. */
  gauges: Record<string, number>;
  /** 99th percentile of each event loop's delay over about ten seconds, ms. */
  loopDelayMs: Record<string, number>;
  /** Keys without expiry, keys with expiry, and MB. */
  redis: { lasting: number; passing: number; usedMb: number };
  internalErrors: number;
}

const gaugeNames: Record<string, readonly string[]> = {
  gateway: [
    'perch_gateway_held_calls',
    'perch_gateway_awaited_replies',
    'perch_gateway_watched_robots',
    'perch_gateway_body_bytes',
    'perch_gateway_waiting_bodies',
  ],
  'robot-link': ['perch_link_sessions'],
  webhooks: ['perch_webhook_open_attempts'],
};

export async function takeSnapshot({ services, redis }: FuzzSystem): Promise<Snapshot> {
  const snapshot: Snapshot = {
    rssMb: {},
    files: {},
    gauges: {},
    loopDelayMs: {},
    redis: await redisHolds(redis!.port),
    internalErrors: 0,
  };
  const rss = await Promise.all(services.map(({ pid }) => leastRssBytes(pid)));
  for (const [i, service] of services.entries()) {
    const name = named(services, i);
    const metrics = await metricsOf(service);
    snapshot.rssMb[name] = Math.round(rss[i]! / 1e6);
    snapshot.files[name] = readdirSync(`/proc/${service.pid}/fd`).length;
    for (const gauge of gaugeNames[service.service] ?? []) snapshot.gauges[gauge] = (snapshot.gauges[gauge] ?? 0) + metrics(gauge);
    snapshot.loopDelayMs[name] = Math.round(metrics('perch_event_loop_delay_seconds', 'quantile="0.99"') * 1000);
    if (service.service === 'gateway') snapshot.internalErrors += metrics('perch_gateway_requests_total', 'code="internal"');
  }
  return snapshot;
}

/** The second service of a kind gets a number. */
function named(services: readonly ServiceProcess[], at: number): string {
  const { service } = services[at]!;
  const before = services.slice(0, at).filter((each) => each.service === service).length;
  return before === 0 ? service : `${service} ${before + 1}`;
}

async function redisHolds(port: number): Promise<Snapshot['redis']> {
  const counts = /keys=(\d+),expires=(\d+)/.exec(await askRedis(port, ['INFO', 'keyspace']));
  const used = /^used_memory:(\d+)/m.exec(await askRedis(port, ['INFO', 'memory']));
  const [keys, passing] = [Number(counts?.[1] ?? 0), Number(counts?.[2] ?? 0)];
  return { lasting: keys - passing, passing, usedMb: Math.round(Number(used?.[1]) / 1e5) / 10 };
}

async function metricsOf({ admin }: ServiceProcess): Promise<(name: string, labels?: string) => number> {
  const lines = (await (await fetch(`${admin}/metrics`)).text()).split('\n');
  return (name, labels = '') =>
    lines
      .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

const samples = 6;
const sampleEveryMs = 250;

/** So that uncollected garbage does not count. */
async function leastRssBytes(pid: number): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < samples; i++) {
    least = Math.min(least, rssBytes(pid));
    await pause(sampleEveryMs);
  }
  return least;
}

function rssBytes(pid: number): number {
  try {
    const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    return children.reduce((sum, child) => sum + rssBytes(child), own);
  } catch {
    // The child process ended meanwhile.
    return 0;
  }
}
