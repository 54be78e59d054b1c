import { collectDefaultMetrics } from 'prom-client';
import { measureEventLoopDelay } from './event-loop-delay.js';
import type { Component } from './metric-row.js';
import { Metrics } from './metrics.js';

/** Not exposed: deprecated by prom-client, and gauges with the name of a counter. */
const withheld = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(component: Component): Metrics {
  const metrics = new Metrics(component);
  collectDefaultMetrics({ register: metrics.registry });
  for (const name of withheld) metrics.registry.removeSingleMetric(name);
  measureEventLoopDelay(metrics);
  return metrics;
}
