/** Trace contexts on the wire: `traceparent` of W3C Trace Context Level 1 from clients, and the shorter form in messages and jobs. */

/** Ids of a span in another process. Lower-case hex, 32 and 16 digits. */
export interface TraceContext {
  traceId: string;
  spanId: string;
}

export interface Traceparent extends TraceContext {
  sampled: boolean;
}

const traceparentShape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const carriedShape = /^([0-9a-f]{32})-([0-9a-f]{16})$/;
const zeros = /^0+$/;
const sampledFlag = 1;

/** Null where the standard requires it: another form, version ff, ids of zeros, more than four fields in version 00. Later versions may have more. */
export function parseTraceparent(header: string | readonly string[] | undefined): Traceparent | null {
  // Version 00 has 55 characters. The bound for later versions limits the time that a header can cost.
  if (typeof header !== 'string' || header.length < 55 || header.length > 512) return null;
  const [, version, traceId, spanId, flags, further] = traceparentShape.exec(header.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && further !== undefined)) return null;
  if (zeros.test(traceId) || zeros.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/** Returns the form used in messages and jobs, which carry a context only if it is sampled. */
export function carriedContext({ traceId, spanId }: TraceContext): string {
  return `${traceId}-${spanId}`;
}

/** Parses the form of `carriedContext`. Returns null for anything else: a wrong context must not make a message unreadable. */
export function parseCarriedContext(text: unknown): TraceContext | null {
  if (typeof text !== 'string') return null;
  const [, traceId, spanId] = carriedShape.exec(text) ?? [];
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId };
}
