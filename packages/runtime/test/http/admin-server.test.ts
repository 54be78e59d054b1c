import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { adminServer, createMetrics, Health, type AdminServer } from '../../src/index.js';

describe('the admin server', () => {
  const health = new Health();
  const metrics = createMetrics('gateway');
  let server: AdminServer;

  before(async () => {
    server = adminServer({ host: '127.0.0.1', port: 0, health, metrics });
    await server.start?.(new AbortController().signal);
  });
  after(() => server.stop?.(new AbortController().signal));

  async function get(path: string, init?: RequestInit): Promise<{ status: number; type: string | null; text: string; json: any }> {
    const response = await fetch(server.address + path, init);
    const text = await response.text();
    const type = response.headers.get('content-type');
    return { status: response.status, type, text, json: type?.includes('json') === true ? JSON.parse(text) : null };
  }

  it('answers 200 at /readyz only in the phase running, and at /healthz in every phase', async () => {
    for (const [phase, status] of [
      ['starting', 503],
      ['running', 200],
      ['draining', 503],
    ] as const) {
      health.phase = phase;
      const { status: got, json } = await get('/readyz');
      assert.equal(got, status);
      assert.deepEqual(json, { ok: status === 200, phase, problems: {} });
      assert.equal((await get('/healthz')).status, 200);
    }
  });

  it('answers 503 at /readyz and names the checks that fail, throw or hang', async () => {
    health.phase = 'running';
    let redis: string | null = 'gone';
    health.addCheck('redis', () => redis);
    health.addCheck('throws', () => {
      if (redis !== null) throw new Error('broken');
      return null;
    });
    health.addCheck('hangs', () => (redis === null ? null : new Promise<null>(() => undefined)));
    const bad = await get('/readyz');
    assert.equal(bad.status, 503);
    assert.deepEqual(bad.json.problems, { redis: 'gone', throws: 'broken', hangs: 'no answer within 1000 ms' });
    redis = null;
    assert.equal((await get('/readyz')).status, 200);
  });

  it('serves metrics as Prometheus text, and as JSON on request', async () => {
    const text = await get('/metrics');
    assert.match(text.type ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(text.text, /^process_cpu_user_seconds_total /m);
    assert.match(text.text, /^perch_event_loop_delay_seconds\{quantile="0\.99"\} /m);
    const json = await get('/metrics', { headers: { accept: 'application/json' } });
    assert.ok(json.json.some((metric: { name: string }) => metric.name === 'perch_event_loop_delay_seconds'));
  });

  it('answers unknown paths with 404 and other methods with 405, as JSON', async () => {
    assert.deepEqual([(await get('/')).status, (await get('/nope')).json.ok], [404, false]);
    assert.equal((await get('/metrics', { method: 'POST', body: 'x' })).status, 405);
  });

  it('rejects the start of the admin server when the port is in use', async () => {
    const second = adminServer({ host: '127.0.0.1', port: Number(new URL(server.address).port), health, metrics });
    await assert.rejects(async () => second.start?.(new AbortController().signal), /EADDRINUSE/);
  });
});

describe('the event loop delay', () => {
  async function delay(metrics: ReturnType<typeof createMetrics>, quantile: string): Promise<number> {
    const metric = await metrics.registry.getSingleMetric('perch_event_loop_delay_seconds')!.get();
    return metric.values.find((value) => value.labels['quantile'] === quantile)!.value;
  }

  it('reports the delay of a blocked event loop without the interval of its own timer', async () => {
    const metrics = createMetrics('gateway');
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    const end = performance.now() + 150;
    let held = 0;
    while (held < 0.1) {
      assert.ok(performance.now() < end + 5_000, 'the delay was never seen');
      const blockUntil = performance.now() + 150;
      while (performance.now() < blockUntil);
      await new Promise((resolve) => setTimeout(resolve, 20));
      held = await delay(metrics, '1');
    }
    assert.ok(held < 5);
    assert.ok((await delay(metrics, '0.5')) <= held);
  });
});
