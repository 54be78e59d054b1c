/** A span is null with tracing off and for a call that is not sampled. `otlp-tracing.ts` is loaded only when an endpoint is set. */
import type { Logger } from '../log.js';
import type { ConfigOf } from '../config.js';
import type { traceSettings } from './trace-settings.js';

/** Attributes of spans. They never contain keys, tokens, pictures, tag data, or text written by users. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** `server` and `client` for requests and commands, `consumer` for jobs, `internal` for steps within a process. */
export type SpanKindName = 'server' | 'client' | 'consumer' | 'internal';

export interface SpanOptions {
  kind?: SpanKindName;
  attributes?: SpanAttributes;
  /** When the span began, on the monotonic clock, ms. Default: now. */
  startedAt?: number;
}

export interface Span {
  readonly traceId: string;
  /** The context for messages and jobs that continue the trace. */
  readonly carried: string;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  event(name: string, attributes?: SpanAttributes): void;
  /** Links the span to one of another trace, in the form of `carried`. Anything else is ignored. */
  link(carried: string): void;
  child(name: string, options?: SpanOptions): Span;
  /** Marks the span as failed. @param code a code of the error table, or another short name of the failure */
  fail(code: string): void;
  end(): void;
}

export interface Tracing {
  /** The first span of this service for a request from outside, if sampled. @param traceparent header as received, whose trace it continues */
  sample(name: string, traceparent: string | readonly string[] | undefined, options?: SpanOptions): Span | null;
  /** Continues the sampled trace of another instance; returns null if there is no valid context. @param carried as in a message or job */
  resume(name: string, carried: unknown, options?: SpanOptions): Span | null;
  /** Sends the queued spans, for at most 2 s, and stops. Never rejects. */
  close(): Promise<void>;
}

export interface TracingOptions {
  config: ConfigOf<typeof traceSettings>;
  /** Traces per second that callers may demand with a sampled `traceparent`. Default: 0. */
  requestedPerS?: number;
  service: string;
  instance: string;
  log: Logger;
}
