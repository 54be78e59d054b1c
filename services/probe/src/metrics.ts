import { metricTable, type LabelsOf, type Metrics } from '@perch/runtime';

type Labels = LabelsOf<'perch_probe_checks_total'>;

export interface ProbeMetrics {
  ended(check: Labels['check'], outcome: Labels['outcome'], tookMs: number): void;
  skipped(check: Labels['check']): void;
}

export function createProbeMetrics(metrics: Metrics, isRobotOnline: () => boolean): ProbeMetrics {
  metrics.gauge('perch_probe_robot_connected', () => (isRobotOnline() ? 1 : 0));
  const checks = metrics.counter('perch_probe_checks_total');
  const skipped = metrics.counter('perch_probe_checks_skipped_total');
  const seconds = metrics.histogram('perch_probe_check_seconds');
  const last = metrics.gauge('perch_probe_last_check_timestamp_seconds');
  for (const check of metricTable.perch_probe_checks_total.labels.check) last.set({ check }, Date.now() / 1000);
  return {
    ended(check, outcome, tookMs) {
      checks.inc({ check, outcome });
      if (outcome === 'ok') seconds.observe({ check }, tookMs / 1000);
      last.set({ check }, Date.now() / 1000);
    },
    skipped: (check) => skipped.inc({ check }),
  };
}
