/**
 * Traces over OTLP, with the SDK of OpenTelemetry. Loaded only when tracing is on.
 *
 * Nothing is registered globally except the SDK's own diagnostics: spans are started with an explicit parent, so that no asynchronous context
 * is tracked. Ended spans are queued up to a limit; spans beyond it, or that cannot be exported, are dropped.
 */
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as ApiSpan,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { release } from '@perch/schema';
import { withinMs } from '../concurrency.js';
import type { Logger } from '../log.js';
import { carriedContext, parseCarriedContext, parseTraceparent, type TraceContext } from './trace-context.js';
import { parseHeaders, tracesUrl } from './trace-settings.js';
import type { Span, SpanAttributes, SpanKindName, SpanOptions, Tracing, TracingOptions } from './tracing.js';

/** Maximum number of ended spans queued for export; about 2 MB. */
const queuedSpansMax = 2048;
const exportEveryMs = 2000;
const exportWithinMs = 5000;
const closeWithinMs = 2000;
/** Bounds the memory of one span. A span that never ends is not referenced anywhere and is garbage collected. */
const spanLimits = { attributeCountLimit: 32, attributeValueLengthLimit: 256, eventCountLimit: 64, linkCountLimit: 16 };

const kinds: Record<SpanKindName, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #sampler: TraceSampler;

  constructor({ config, requestedPerS = 0, service, instance, log }: TracingOptions, endpoint: string) {
    reportTrouble(log);
    const exporter = new OTLPTraceExporter({
      url: tracesUrl(endpoint),
      timeoutMillis: exportWithinMs,
      concurrencyLimit: 2,
      ...(config.tracesHeaders === null ? {} : { headers: parseHeaders(config.tracesHeaders) ?? {} }),
    });
    this.#provider = new TracerProvider({
      // TraceSampler decides before a span is created.
      sampler: new AlwaysOnSampler(),
      spanLimits,
      resource: resourceFromAttributes({
        'service.namespace': 'perch',
        'service.name': `perch-${service}`,
        'service.version': release,
        'service.instance.id': instance,
      }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter,
          maxQueueSize: queuedSpansMax,
          scheduledDelayMillis: exportEveryMs,
          exportTimeoutMillis: exportWithinMs,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer('perch', release);
    this.#sampler = new TraceSampler(config.tracesSample, requestedPerS);
  }

  sample(name: string, traceparent: string | readonly string[] | undefined, options: SpanOptions = {}): Span | null {
    const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
    return this.#sampler.decides(parent?.sampled === true) ? OtlpSpan.start(this.#tracer, name, remote(parent), options) : null;
  }

  resume(name: string, carried: unknown, options: SpanOptions = {}): Span | null {
    const parent = carried === undefined ? null : parseCarriedContext(carried);
    return parent === null ? null : OtlpSpan.start(this.#tracer, name, remote(parent), options);
  }

  async close(): Promise<void> {
    const shutdown = this.#provider.shutdown().catch(() => undefined);
    await withinMs(shutdown, closeWithinMs, () => undefined);
  }
}

function remote(parent: TraceContext | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

class OtlpSpan implements Span {
  readonly traceId: string;
  readonly carried: string;
  readonly #tracer: Tracer;
  readonly #span: ApiSpan;

  private constructor(tracer: Tracer, span: ApiSpan) {
    const context = span.spanContext();
    this.traceId = context.traceId;
    this.carried = carriedContext(context);
    this.#tracer = tracer;
    this.#span = span;
  }

  static start(tracer: Tracer, name: string, parent: Context, { kind = 'internal', attributes, startedAt }: SpanOptions): OtlpSpan {
    const options = {
      kind: kinds[kind],
      ...(attributes && { attributes }),
      ...(startedAt !== undefined && { startTime: performance.timeOrigin + startedAt }),
    };
    return new OtlpSpan(tracer, tracer.startSpan(name, options, parent));
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  event(name: string, attributes: SpanAttributes = {}): void {
    this.#span.addEvent(name, attributes);
  }

  link(carried: string): void {
    const context = parseCarriedContext(carried);
    if (context !== null) this.#span.addLink({ context: { ...context, traceFlags: TraceFlags.SAMPLED, isRemote: true } });
  }

  child(name: string, options: SpanOptions = {}): Span {
    return OtlpSpan.start(this.#tracer, name, trace.setSpan(ROOT_CONTEXT, this.#span), options);
  }

  fail(code: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    this.#span.setAttribute('error.type', code);
  }

  end(): void {
    // The SDK would log a warning for a second end.
    if (this.#span.isRecording()) this.#span.end();
  }
}

/** Logs failed exports; the limit of equal lines bounds them. They never affect calls. */
function reportTrouble(log: Logger): void {
  const report = (message: string): void => log.warn({ trouble: troubleOf(message) }, 'traces could not be sent or were dropped');
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Shortens an error of the SDK, which is JSON with the stack and the answer of the collector. */
function troubleOf(message: string): string {
  try {
    const { name, message: sentence, code } = JSON.parse(message) as Record<string, unknown>;
    const parts = [name, code, sentence].filter((part) => typeof part === 'string' || typeof part === 'number');
    return parts.join(' ').slice(0, 200);
  } catch {
    return message.slice(0, 200);
  }
}

/**
 * Decides which traces are recorded, at the service that receives the request.
 *
 * The decision never depends on the trace id, and the ratio applies whether or not the caller records its own trace: callers choose both, and
 * must be able neither to force traces nor to prevent them. A caller that records its trace gets one on demand, up to a rate limit for all callers.
 */
const burstS = 1;

export class TraceSampler {
  readonly #ratio: number;
  readonly #requestedPerS: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(ratio: number, requestedPerS: number) {
    this.#ratio = ratio;
    this.#requestedPerS = requestedPerS;
    this.#tokens = requestedPerS * burstS;
  }

  decides(requested: boolean): boolean {
    return (requested && this.#takeToken()) || (this.#ratio > 0 && Math.random() < this.#ratio);
  }

  #takeToken(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(this.#requestedPerS * burstS, this.#tokens + ((now - this.#filledAt) / 1000) * this.#requestedPerS);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
