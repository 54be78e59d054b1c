import { collectDefaultMetrics } from 'prom-client';
import type { Component } from './metric-row.js';
import { Metrics } from './metrics.js';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { release } from '@perch/schema';
import { phases, type Health } from '../health.js';
import { metricTable, type LabelsOf } from './table.js';

/** Not exposed: deprecated by prom-client, and gauges with the name of a counter. */
const withheld = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(component: Component): Metrics {
  const metrics = new Metrics(component);
  collectDefaultMetrics({ register: metrics.registry });
  for (const name of withheld) metrics.registry.removeSingleMetric(name);
  measureEventLoopDelay(metrics);
  return metrics;
}

/** Measures the delay of the event loop: `perch_event_loop_delay_seconds`, by quantile, over about the last ten seconds. */
const resolutionMs = 10;
const windowMs = 10_000;

/**
 * Node's histogram contains the whole time between two ticks of its timer; the interval of the timer is subtracted, so that an idle process reads about 0.
 * The window is reset by a timer and not by a scrape, so that two scrapers do not empty each other's histogram.
 */
function measureEventLoopDelay(metrics: Metrics): void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();

  const read = (percentile: number): number => {
    const nanoseconds = histogram.count === 0 ? 0 : percentile === 100 ? histogram.max : histogram.percentile(percentile);
    return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  };
  const quantiles: { readonly quantile: '0.5' | '0.99' | '1'; readonly percentile: number; lastWindow: number }[] = [
    { quantile: '0.5', percentile: 50, lastWindow: 0 },
    { quantile: '0.99', percentile: 99, lastWindow: 0 },
    { quantile: '1', percentile: 100, lastWindow: 0 },
  ];

  setInterval(() => {
    for (const each of quantiles) each.lastWindow = read(each.percentile);
    histogram.reset();
  }, windowMs).unref();

  metrics.summary('perch_event_loop_delay_seconds', () =>
    quantiles.map(({ quantile, percentile, lastWindow }) => [{ quantile }, Math.max(lastWindow, read(percentile))]),
  );
}

export interface MeasuredRefusals {
  /** Returns for each reason whether Redis refused something for it in the last minute. */
  list(): readonly (readonly [LabelsOf<'perch_redis_refused'>['reason'], boolean])[];
}

export interface MeasuredStore {
  readonly connections: {
    readonly forms: { readonly unreadable: Iterable<readonly [format: string, count: number]> };
    readonly capabilities: { readonly known: Iterable<readonly [LabelsOf<'perch_redis_capability'>['name'], boolean]> };
    readonly vitals: {
      readonly isUp: boolean;
      readonly reconnects: Readonly<Record<LabelsOf<'perch_redis_reconnects_total'>['connection'], number>>;
      readonly lateHeartbeats: number;
      readonly lostWrites: number;
      certificateExpiries(): readonly (readonly [LabelsOf<'perch_certificate_expiry_timestamp_seconds'>['certificate'], expiresAt: number])[];
    };
  };
}

interface InstanceMetricsOptions {
  health: Pick<Health, 'phase'>;
  wireVersion: number;
  refusals: MeasuredRefusals;
  store: () => MeasuredStore | undefined;
}

export function measureProcess(metrics: Metrics, health: Pick<Health, 'phase'>, wire: string): void {
  metrics.gauge('perch_build_info').set({ component: metrics.component, version: release, wire }, 1);
  metrics.gauge('perch_instance_phase', () => phases.map((phase) => [{ phase }, health.phase === phase ? 1 : 0] as const));
}

/** @returns the callback to which the store passes the duration of each measured round trip */
export function measureInstance(
  metrics: Metrics,
  { health, wireVersion, refusals, store }: InstanceMetricsOptions,
): { onRoundTrip(this: void, tookMs: number): void } {
  const vitals = (): MeasuredStore['connections']['vitals'] | undefined => store()?.connections.vitals;
  measureProcess(metrics, health, String(wireVersion));
  metrics.gauge('perch_redis_up', () => (vitals()?.isUp === true ? 1 : 0));
  metrics.counter('perch_redis_reconnects_total', () =>
    metricTable.perch_redis_reconnects_total.labels.connection.map((connection) => [{ connection }, vitals()?.reconnects[connection] ?? 0] as const),
  );
  metrics.gauge('perch_redis_refused', () => refusals.list().map(([reason, isRefused]) => [{ reason }, isRefused ? 1 : 0] as const));
  metrics.gauge('perch_redis_lost_writes', () => vitals()?.lostWrites ?? 0);
  metrics.gauge('perch_redis_capability', () =>
    [...(store()?.connections.capabilities.known ?? [])].map(([name, has]) => [{ name }, has ? 1 : 0] as const),
  );
  metrics.counter('perch_heartbeats_late_total', () => vitals()?.lateHeartbeats ?? 0);
  metrics.gauge('perch_certificate_expiry_timestamp_seconds', () =>
    (vitals()?.certificateExpiries() ?? []).map(([certificate, expiresAt]) => [{ certificate }, expiresAt / 1000] as const),
  );
  metrics.counter('perch_unreadable_records_total', () =>
    [...(store()?.connections.forms.unreadable ?? [])].map(([format, count]) => [{ format }, count] as const),
  );
  const roundTrips = metrics.histogram('perch_redis_round_trip_seconds');
  return { onRoundTrip: (tookMs) => roundTrips.observe(tookMs / 1000) };
}
