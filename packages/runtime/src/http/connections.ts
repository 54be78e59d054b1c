import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { ConnectionGuard, type CloseReason } from './connection-guard.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics/metrics.js';

export interface GuardConnectionsOptions {
  server: Server;
  connectionsMax: number | null;
  log: Pick<Logger, 'warn'>;
  metrics: Metrics;
  prefix: 'perch_gateway' | 'perch_link';
}

/** Assumed limit on open files if it cannot be read. */
const handlesAssumed = 4096;
/** Share of the file handles that is kept free for Redis, the files of the page and the admin server. */
const reserve = { part: 0.25, min: 128 };
/** In containers the limit on open files is often a million; memory would run out before the handles. */
const connectionsMaxDefault = 100_000;
const connectionsMin = 16;
const logEveryMs = 10_000;

export function guardConnections({ server, connectionsMax, log, metrics, prefix }: GuardConnectionsOptions): void {
  const max = connectionsMax ?? defaultConnectionsMax(openFilesMax());
  const closed = metrics.counter(`${prefix}_connections_closed_total`);
  let unreported: Partial<Record<CloseReason, number>> = {};
  let loggedAt = -Infinity;
  const guard = new ConnectionGuard({
    server,
    connectionsMax: max,
    onClosed(reason, network) {
      closed.inc({ reason });
      unreported[reason] = (unreported[reason] ?? 0) + 1;
      const now = performance.now();
      if (now - loggedAt < logEveryMs) return;
      loggedAt = now;
      log.warn({ connections_max: max, network, closed: unreported }, 'too many connections: closing idle ones, then refusing new ones');
      unreported = {};
    },
  });
  metrics.gauge(`${prefix}_connections`, () => guard.size);
  metrics.gauge(`${prefix}_connections_max`).set(max);
}

export function defaultConnectionsMax(handles: number): number {
  const left = handles - Math.max(Math.ceil(handles * reserve.part), reserve.min);
  return Math.max(connectionsMin, Math.min(connectionsMaxDefault, left));
}

function openFilesMax(): number {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft ?? handlesAssumed);
  } catch {
    return handlesAssumed;
  }
}

export function connectionsSetting<const Env extends `PERCH_${string}`>(env: Env) {
  return {
    env,
    type: 'int',
    min: 1,
    max: 10_000_000,
    default: null,
    description:
      'Maximum number of open connections. If unset: the limit on open files less a quarter (at least 128), at most 100000. Beyond it idle connections are closed, those of the network with the most connections first; if none is idle, new ones are refused.',
  } as const;
}

/** @param defaultMs how long without the setting */
export function keepAliveSetting<const Env extends `PERCH_${string}`>(env: Env, defaultMs: number) {
  return {
    env,
    type: 'int',
    unit: 'ms',
    min: 1_000,
    max: 86_400_000,
    default: defaultMs,
    description:
      'How long a connection stays open between two requests. Must be longer than a load balancer keeps its idle connections to the service: otherwise it sends requests on connections that are closing.',
  } as const;
}
