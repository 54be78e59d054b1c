import type { Tracing, TracingOptions } from './tracing.js';

/** Returns null if tracing is off; OpenTelemetry is not loaded in that case. */
export async function openTracing(options: TracingOptions): Promise<Tracing | null> {
  if (options.config.tracesEndpoint === null) return null;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(options, options.config.tracesEndpoint);
}
