/**
 * Table of all metrics of Perch: name, type, labels with their values, help. `Metrics` creates metrics only from it, docs/reference/metrics.md
 * is generated from it, and tests compare it with what running instances expose. Names end in their unit; counters end in `_total`.
 */
import { processMetrics, redisMetrics } from './common-metrics.js';
import { gatewayMetrics } from './gateway-metrics.js';
import { linkMetrics, robotMetrics } from './link-metrics.js';
import { components, redisComponents, type Component, type MetricRow, type MetricRows } from './metric-row.js';
import { mqttMetrics } from './mqtt-metrics.js';
import { probeMetrics } from './probe-metrics.js';
import { rendererMetrics } from './renderer-metrics.js';
import { webhookMetrics } from './webhook-metrics.js';

export interface MetricGroup {
  title: string;
  components: readonly Component[];
  path: '/metrics' | '/metrics/robots';
  metrics: MetricRows;
}

export const metricGroups: readonly MetricGroup[] = [
  { title: 'Every instance', components, path: '/metrics', metrics: processMetrics },
  { title: 'Every instance that uses Redis', components: redisComponents, path: '/metrics', metrics: redisMetrics },
  { title: 'Gateway', components: ['gateway'], path: '/metrics', metrics: gatewayMetrics },
  { title: 'Robot-link', components: ['robot-link'], path: '/metrics', metrics: linkMetrics },
  { title: 'Renderer', components: ['renderer'], path: '/metrics', metrics: rendererMetrics },
  { title: 'Webhooks', components: ['webhooks'], path: '/metrics', metrics: webhookMetrics },
  { title: 'MQTT bridge', components: ['mqtt-bridge'], path: '/metrics', metrics: mqttMetrics },
  { title: 'Probe', components: ['probe'], path: '/metrics', metrics: probeMetrics },
  { title: 'Each robot', components: ['robot-link'], path: '/metrics/robots', metrics: robotMetrics },
];

export const metricTable = {
  ...processMetrics,
  ...redisMetrics,
  ...gatewayMetrics,
  ...linkMetrics,
  ...rendererMetrics,
  ...webhookMetrics,
  ...mqttMetrics,
  ...probeMetrics,
  ...robotMetrics,
} as const;

export type MetricName = keyof typeof metricTable;
export type NamesOf<T extends MetricRow['type']> = { [N in MetricName]: (typeof metricTable)[N]['type'] extends T ? N : never }[MetricName];

export type LabelsOf<N extends MetricName> = {
  [L in keyof (typeof metricTable)[N]['labels']]: (typeof metricTable)[N]['labels'][L] extends readonly (infer V)[] ? V : string;
};
