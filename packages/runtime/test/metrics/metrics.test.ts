import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { needsPromtool } from '@perch/testkit';
import type { MetricRow } from '../../src/metrics/metric-row.js';
import { Metrics } from '../../src/metrics/metrics.js';
import { createMetrics } from '../../src/metrics/process-metrics.js';
import { metricGroups, type NamesOf } from '../../src/metrics/table.js';

const lines = async (metrics: Metrics, name: string): Promise<string[]> =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));

describe('metrics', () => {
  it('starts counters at 0 for every combination of closed label values', async () => {
    const metrics = new Metrics('renderer');
    metrics.counter('perch_render_jobs_total').inc({ kind: 'sound', outcome: 'made' });
    const counted = await lines(metrics, 'perch_render_jobs_total');
    assert.equal(counted.length, 12);
    assert.equal(counted.filter((line) => line.endsWith(' 0')).length, 11);
    assert.ok(counted.includes('perch_render_jobs_total{kind="sound",outcome="made"} 1'));
  });

  it('starts the counter of requests at 0 only for combinations that occur', async () => {
    const metrics = new Metrics('gateway');
    metrics.counter('perch_gateway_requests_total');
    const series = await lines(metrics, 'perch_gateway_requests_total');
    assert.ok(series.includes('perch_gateway_requests_total{action="leds",code="robot_offline"} 0'));
    assert.ok(series.includes('perch_gateway_requests_total{action="console_session",code="wrong_credentials"} 0'));
    assert.ok(!series.some((line) => line.includes('action="leds",code="wrong_credentials"')));
    // Each gateway exposes them all at every scrape.
    assert.ok(series.length < 1300, `${series.length} series`);
  });

  it('exposes no label outside the table, such as service', async () => {
    assert.ok(!/\bservice="/.test(await createMetrics('gateway').registry.metrics()));
  });

  it('throws for a metric of another kind of process and for one that exists already', () => {
    const metrics = new Metrics('gateway');
    assert.throws(() => metrics.gauge('perch_link_sessions'), /perch_link_sessions is not a metric of a gateway/);
    metrics.gauge('perch_gateway_lookups');
    assert.throws(() => metrics.gauge('perch_gateway_lookups'), /already been registered/);
  });

  it('omits a value while it cannot be read', async () => {
    const metrics = new Metrics('renderer');
    let bytes: number | null | Error = 1;
    metrics.gauge('perch_media_bytes', () => {
      if (bytes instanceof Error) throw bytes;
      return bytes;
    });
    assert.deepEqual(await lines(metrics, 'perch_media_bytes'), ['perch_media_bytes 1']);
    for (const unknown of [null, new Error('Redis is away')]) {
      bytes = unknown;
      assert.deepEqual(await lines(metrics, 'perch_media_bytes'), []);
    }
    bytes = 2;
    assert.deepEqual(await lines(metrics, 'perch_media_bytes'), ['perch_media_bytes 2']);
  });

  it('removes label values that the last reading no longer contains', async () => {
    const metrics = new Metrics('renderer');
    let master = 'a:1';
    metrics.gauge('perch_redis_memory_bytes', () => [[{ master }, 5]]);
    assert.deepEqual(await lines(metrics, 'perch_redis_memory_bytes'), ['perch_redis_memory_bytes{master="a:1"} 5']);
    master = 'b:1';
    assert.deepEqual(await lines(metrics, 'perch_redis_memory_bytes'), ['perch_redis_memory_bytes{master="b:1"} 5']);
  });

  it('passes the checks of promtool for all metrics, those of Node included', async function () {
    needsPromtool(this);
    const texts = await Promise.all(
      metricGroups.flatMap(({ components, metrics: rows }) =>
        components.map(async (component) => {
          const metrics = createMetrics(component);
          for (const [name, row] of Object.entries(rows)) addSeries(metrics, name, row);
          return metrics.registry.metrics();
        }),
      ),
    );
    for (const input of texts) {
      const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
      assert.deepEqual([stdout, stderr, status], ['', '', 0]);
    }
  });
});

function addSeries(metrics: Metrics, name: string, { type, labels }: MetricRow): void {
  const values = Object.fromEntries(Object.entries(labels).map(([label, known]) => [label, known?.[0] ?? 'x']));
  if (type === 'counter') metrics.counter(name as 'perch_gateway_streams_ended_total').inc(values as { why: 'internal' });
  if (type === 'gauge') metrics.gauge(name as NamesOf<'gauge'> & 'perch_instance_phase', () => [[values as { phase: 'running' }, 1]]);
  if (type === 'histogram') metrics.histogram(name as 'perch_gateway_request_seconds').observe(values as { action: 'leds' }, 1);
}
