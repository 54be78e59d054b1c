import { readdirSync, readFileSync } from 'node:fs';
import type { Instance } from './instance.js';
import { socketsOf } from './sockets.js';

const quietGauges = {
  gateway: [
    'perch_gateway_held_calls',
    'perch_gateway_awaited_replies',
    'perch_gateway_watched_robots',
    'perch_gateway_lookups',
    'perch_gateway_awaited_renders',
    'perch_gateway_body_bytes',
    'perch_gateway_waiting_bodies',
  ],
  'robot-link': ['perch_link_greetings', 'perch_link_farewells', 'perch_link_open_commands', 'perch_link_open_waits'],
  renderer: ['perch_render_open_jobs'],
  webhooks: ['perch_webhook_open_attempts'],
} as const;

const keptGauges = { gateway: 'perch_gateway_subscriptions', 'robot-link': 'perch_link_subscriptions', renderer: null, webhooks: null } as const;

export interface Resources {
  sessions: number;
  quiet: Record<string, number>;
  kept: Record<'listeners' | 'redis_connections' | 'redis_connections_to_one_port' | 'child_processes' | 'subscriptions', number>;
  /** Grow a little with caches and learned state. */
  coarse: Record<'timers' | 'resident_bytes', number>;
}

/** @param redisPorts ports of Redis and its proxies @throws if the instance does not run or does not answer */
export async function readResources(instance: Instance, redisPorts: ReadonlySet<number>): Promise<Resources> {
  const { pid, service, admin } = instance;
  const metrics = parse(await (await fetch(`${admin}/metrics`, { signal: AbortSignal.timeout(5000) })).text());
  const sockets = socketsOf(pid);
  const listening = new Set(sockets.filter(({ state }) => state === 'listening').map(({ localPort }) => localPort));
  const established = sockets.filter(({ state }) => state === 'established');
  const served = established.filter(({ localPort }) => listening.has(localPort) && localPort !== Number(new URL(admin).port));
  const strange = established.filter(({ localPort, remotePort }) => !listening.has(localPort) && !redisPorts.has(remotePort));
  const subscribes = keptGauges[service];
  const toRedis = established.map(({ remotePort }) => remotePort).filter((port) => redisPorts.has(port));
  return {
    sessions: service === 'robot-link' ? sum(metrics, 'perch_link_sessions') : 0,
    quiet: {
      ...Object.fromEntries(quietGauges[service].map((name) => [name, sum(metrics, name)])),
      closing_connections: sockets.filter(({ state }) => state === 'closing').length,
      connections_to_nowhere: strange.length,
      connections_without_client: Math.max(0, served.length - (instance.clients?.connections.length ?? 0)),
    },
    kept: {
      listeners: listening.size,
      redis_connections: toRedis.length,
      redis_connections_to_one_port: mostOfOne(toRedis),
      child_processes: childrenOf(pid),
      subscriptions: subscribes === null ? 0 : sum(metrics, subscribes),
    },
    coarse: {
      timers: sum(metrics, 'nodejs_active_resources', 'type="Timeout"'),
      resident_bytes: sum(metrics, 'process_resident_memory_bytes'),
    },
  };
}

function mostOfOne(values: readonly number[]): number {
  return Math.max(0, ...values.map((value) => values.filter((each) => each === value).length));
}

function childrenOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').length - 1)
    .reduce((a, b) => a + b, 0);
}

interface Sample {
  name: string;
  labels: string;
  value: number;
}

function parse(text: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{([^}]*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => ({ name: name!, labels, value: Number(value) }));
}

/** @throws if the metric does not exist: a check of a renamed gauge would always pass */
function sum(samples: readonly Sample[], name: string, labels = ''): number {
  const named = samples.filter((sample) => sample.name === name);
  if (named.length === 0) throw new Error(`no metric ${name}`);
  return named.filter((sample) => sample.labels.includes(labels)).reduce((total, { value }) => total + value, 0);
}
