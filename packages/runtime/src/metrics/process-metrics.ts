import { collectDefaultMetrics } from 'prom-client';
import type { Component } from './metric-row.js';
import { Metrics } from './metrics.js';
import { monitorEventLoopDelay } from 'node:perf_hooks';

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
