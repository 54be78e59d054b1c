import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createLogger, openTracing, type Tracing } from '../../src/index.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

interface Sent {
  name: string;
  traceId: string;
  parentSpanId?: string;
  spanId: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}

describe('traces over OTLP', () => {
  let collector: Server;
  let url = '';
  const sent: Sent[] = [];
  let answers: 'ok' | 'refuses' | 'hangs' = 'ok';
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', service: 'test', instance: 'test-1' }, { write: (line) => void lines.push(line) });

  before(async () => {
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (answers === 'hangs') return;
        if (answers === 'refuses') return void response.writeHead(400).end('the answer of the collector');
        // oxlint-disable-next-line no-explicit-any
        const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as any;
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) sent.push(...(spans as Sent[]));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    answers = 'ok';
    sent.length = 0;
    lines.length = 0;
  });
  after(async () => {
    collector.close();
    collector.closeAllConnections();
    await once(collector, 'close');
  });

  const open = async (tracesSample: number, requestedPerS = 0): Promise<Tracing> => {
    const config = { tracesEndpoint: url, tracesSample, tracesHeaders: null };
    const tracing = await openTracing({ config, requestedPerS, service: 'test', instance: 'test-1', log });
    assert.ok(tracing !== null);
    return tracing;
  };

  it('does not load OpenTelemetry when no endpoint is set', async () => {
    const program = fileURLToPath(new URL('../programs/without-traces.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, program]);
    assert.deepEqual(JSON.parse(stdout), { tracing: null, loaded: [] });
  });

  it('continues the trace of a sampled caller, and that of a message, as children of their spans', async () => {
    const tracing = await open(0, 10);
    const call = tracing.sample('call', `00-${traceId}-${spanId}-01`, { kind: 'server', attributes: { 'perch.action': 'face' } });
    assert.ok(call !== null);
    const resumed = tracing.resume('command', call.carried);
    resumed?.child('queued').end();
    resumed?.fail('no_ack');
    resumed?.end();
    // Ends twice, like a call that is answered and then loses its connection.
    resumed?.end();
    call.end();
    await tracing.close();
    assert.deepEqual(
      sent.map(({ name }) => name),
      ['queued', 'command', 'call'],
    );
    const [queued, command, root] = sent as [Sent, Sent, Sent];
    assert.ok(sent.every((span) => span.traceId === traceId));
    assert.deepEqual([queued.parentSpanId, command.parentSpanId, root.parentSpanId], [command.spanId, root.spanId, spanId]);
    assert.deepEqual([command.status.code, command.status.message], [2, 'no_ack']);
  });

  it('samples at the ratio when the caller does not record its trace, and continues that trace', async () => {
    const tracing = await open(1);
    tracing.sample('call', `00-${traceId}-${spanId}-00`)?.end();
    tracing.sample('call', 'no traceparent')?.end();
    tracing.sample('call', undefined)?.end();
    await tracing.close();
    const [continued, ...others] = sent;
    assert.deepEqual([continued?.traceId, continued?.parentSpanId], [traceId, spanId]);
    assert.equal(others.length, 2);
    for (const other of others) assert.ok(other.traceId !== traceId && (other.parentSpanId ?? '') === '');
  });

  it('starts no span for a message without a context or with an invalid one', async () => {
    const tracing = await open(1);
    for (const wrong of [undefined, 'nonsense', 7, `00-${traceId}-${spanId}-01`]) assert.equal(tracing.resume('command', wrong), null);
    await tracing.close();
  });

  it('drops ended spans beyond the limit of the queue while the collector hangs', async () => {
    answers = 'hangs';
    const tracing = await open(1);
    for (let i = 0; i < 10_000; i++) tracing.sample('call', undefined)?.end();
    const began = performance.now();
    await tracing.close();
    assert.ok(performance.now() - began < 15_000, 'the close is bounded');
    collector.closeAllConnections();
    answers = 'ok';
    assert.ok(sent.length <= 2048);
  });

  it('logs an export that the collector refuses, without its answer', async () => {
    answers = 'refuses';
    const tracing = await open(1);
    tracing.sample('call', undefined)?.end();
    await tracing.close();
    // `close` ignores the failure of its own export; the SDK reports those before.
    for (const line of lines) assert.doesNotMatch(line, /the answer of the collector/);
  });
});
