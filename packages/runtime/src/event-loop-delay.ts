/** How late the event loop runs: `perch_event_loop_delay_seconds`, by quantile, over the last ten seconds or so. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

const resolutionMs = 10;
const windowMs = 10_000;

/**
 * Node's histogram holds the whole distance between two ticks of its timer; the timer's own interval is taken off, so that an idle process reads about 0.
 * The window belongs to the clock and not to the scrape: two readers do not empty each other's histogram.
 */
export function measureEventLoopDelay(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();

  const read = (percentile: number): number => {
    const nanoseconds = histogram.count === 0 ? 0 : percentile === 100 ? histogram.max : histogram.percentile(percentile);
    return Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  };
  const quantiles = [
    { quantile: '0.5', percentile: 50, lastWindow: 0 },
    { quantile: '0.99', percentile: 99, lastWindow: 0 },
    { quantile: '1', percentile: 100, lastWindow: 0 },
  ];

  setInterval(() => {
    for (const each of quantiles) each.lastWindow = read(each.percentile);
    histogram.reset();
  }, windowMs).unref();

  const gauge = new Gauge({
    name: 'perch_event_loop_delay_seconds',
    help: 'How late the event loop runs, by quantile, the worse of the last full window of 10 s and the one under way.',
    labelNames: ['quantile'],
    registers: [],
    collect() {
      for (const each of quantiles) this.set({ quantile: each.quantile }, Math.max(each.lastWindow, read(each.percentile)));
    },
  });
  registry.registerMetric(gauge);
}
