import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { probeAccount, type MadeMedia } from '@perch/store';
import { createLogger, Metrics, openTracing, type Tracing } from '@perch/runtime';
import { BadPicture } from '@perch/schema';
import { renderHandlers, type RenderHandlersOptions } from '../src/handlers.js';
import { createRenderMetrics } from '../src/metrics.js';
import { card } from './jobs.js';

const made: MadeMedia = { kind: 'picture', format: 'png', w: 320, h: 240, data: Buffer.alloc(5000) };

const idle = [{ size: 0 }];
type Pools = RenderHandlersOptions['pools'];
const both = (pool: Pools['scenes']): Pools => ({ scenes: pool, uploads: pool });
const speech = { engine: new ApiError('not_offered', 'none'), stopping: new AbortController().signal, onError: () => undefined };
const wanted = new AbortController().signal;

async function counted(render: () => Promise<MadeMedia>, signal = wanted): Promise<Record<string, number>> {
  const metrics = new Metrics('renderer');
  const handlers = renderHandlers({ pools: both({ render }), speech, metrics: createRenderMetrics(metrics, idle) });
  await handlers.draw(card, new Map(), signal).catch(() => undefined);
  if (signal.aborted) handlers.dropped?.(card);
  const [jobs, duration, bytes] = await metrics.registry.getMetricsAsJSON();
  const count = { durations: 0, sizes: 0 } as Record<string, number>;
  for (const value of jobs?.values ?? []) if (value.labels['kind'] === 'draw') count[String(value.labels['outcome'])] = value.value;
  for (const value of duration?.values ?? [])
    if ('metricName' in value && value.metricName === 'perch_render_duration_seconds_count') count['durations'] = value.value;
  for (const value of bytes?.values ?? []) if ('metricName' in value && value.metricName === 'perch_render_bytes_sum') count['sizes'] = value.value;
  return count;
}

describe('renderHandlers', () => {
  it('observes how long a job was queued until a worker took it', async () => {
    const metrics = new Metrics('renderer');
    renderHandlers({ pools: both({ render: () => Promise.resolve(made) }), speech, metrics: createRenderMetrics(metrics, idle) }).taken?.(
      card,
      400,
      'direct',
    );
    const text = await metrics.registry.metrics();
    assert.match(text, /^perch_render_wait_seconds_sum\{kind="draw"\} 0\.4$/m);
    assert.match(text, /^perch_render_wait_seconds_bucket\{le="0\.5",kind="draw"\} 1$/m);
    assert.match(text, /^perch_render_wait_seconds_bucket\{le="0\.25",kind="draw"\} 0$/m);
    assert.match(text, /^perch_render_taken_total\{kind="draw",way="direct"\} 1$/m);
  });

  it('counts rendered media with their size', async () => {
    assert.deepEqual(await counted(() => Promise.resolve(made)), { made: 1, bad_picture: 0, failed: 0, dropped: 0, durations: 1, sizes: 5000 });
  });

  it('does not count the renders of probes', async () => {
    const metrics = new Metrics('renderer');
    const render = (): Promise<MadeMedia> => Promise.resolve(made);
    const handlers = renderHandlers({ pools: both({ render }), speech, metrics: createRenderMetrics(metrics, idle) });
    const before = await metrics.registry.metrics();
    const job = { ...card, account: probeAccount.id };
    handlers.taken?.(job, 400, 'direct');
    assert.equal(await handlers.draw(job, new Map(), wanted), made);
    handlers.dropped?.(job);
    assert.equal(await metrics.registry.metrics(), before);
    await handlers.draw(card, new Map(), wanted);
    assert.notEqual(await metrics.registry.metrics(), before);
  });

  it('counts undecodable pictures of users separately from failures of the renderer', async () => {
    assert.deepEqual(await counted(() => Promise.reject(new BadPicture('x', 'no'))), {
      made: 0,
      bad_picture: 1,
      failed: 0,
      dropped: 0,
      durations: 1,
      sizes: 0,
    });
    assert.deepEqual(await counted(() => Promise.reject(new ApiError('render_failed', 'no'))), {
      made: 0,
      bad_picture: 0,
      failed: 1,
      dropped: 0,
      durations: 1,
      sizes: 0,
    });
    assert.deepEqual(await counted(() => Promise.reject(new Error('no'))), {
      made: 0,
      bad_picture: 0,
      failed: 1,
      dropped: 0,
      durations: 1,
      sizes: 0,
    });
  });

  it('counts a dropped job only as dropped, without a duration', async () => {
    const gone = new Error('no caller waits');
    assert.deepEqual(await counted(() => Promise.reject(gone), AbortSignal.abort(gone)), {
      made: 0,
      bad_picture: 0,
      failed: 0,
      dropped: 1,
      durations: 0,
      sizes: 0,
    });
  });

  it('renders uploads in the processes for uploads, and scenes and sounds in the others', async () => {
    const used: string[] = [];
    const pool = (name: string) => ({ render: () => (used.push(name), Promise.resolve(made)) });
    const handlers = renderHandlers({
      pools: { scenes: pool('scenes'), uploads: pool('uploads') },
      speech,
      metrics: createRenderMetrics(new Metrics('renderer'), idle),
    });
    await handlers.draw(card, new Map(), wanted);
    await handlers.draw(card, new Map([['sha', Buffer.alloc(1)]]), wanted);
    await handlers.sound({ kind: 'sound', account: 'a', hash: 'h', spec: { chime: 'done' }, rate: 16_000 }, wanted);
    assert.deepEqual(used, ['scenes', 'uploads', 'scenes']);
  });

  it('passes errors on unchanged', async () => {
    const error = new BadPicture('x', 'no');
    const handlers = renderHandlers({
      pools: both({ render: () => Promise.reject(error) }),
      speech,
      metrics: createRenderMetrics(new Metrics('renderer'), idle),
    });
    await assert.rejects(handlers.draw(card, new Map(), wanted), error);
  });

  it('returns the span of the rendering if its job is traced and tracing is on', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    const log = createLogger({ level: 'silent', service: 'renderer', instance: 'rd-test' });
    // Nothing listens on this port.
    const config = { tracesEndpoint: 'http://127.0.0.1:9', tracesSample: 0, tracesHeaders: null };
    const tracing = await openTracing({ config, service: 'renderer', instance: 'rd-test', log });
    const pools = both({ render: () => Promise.resolve(made) });
    const drawnBy = async (on: Tracing | null, job: typeof card): Promise<MadeMedia> =>
      renderHandlers({ pools, speech, metrics: createRenderMetrics(new Metrics('renderer'), idle), tracing: on }).draw(job, new Map(), wanted);
    assert.match((await drawnBy(tracing, { ...card, trace })).trace ?? '', /^0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}$/);
    for (const [on, job] of [
      [null, { ...card, trace }],
      [tracing, card],
      [tracing, { ...card, trace: 'nonsense' }],
    ] as const)
      assert.equal((await drawnBy(on, job)).trace, undefined);
    await tracing?.close();
  });
});
