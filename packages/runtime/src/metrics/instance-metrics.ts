import { release } from '@perch/schema';
import { phases, type Health } from '../service/health.js';
import type { Metrics } from './metrics.js';
import { metricTable, type LabelsOf } from './table.js';

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

export interface InstanceMetricsOptions {
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
