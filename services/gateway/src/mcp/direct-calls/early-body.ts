/** Reads a small body, which has robot and cost of the call, before its key is admitted: the call then needs one admission, not two. */
import { withinMs } from '@perch/runtime';
import type { Exchange } from '../../http/exchange.js';
import type { JsonBodies } from '../../http/json-body.js';

const smallBytesMax = 65_536;
const earlyMs = 250;

export interface Body {
  body: unknown;
  error: Error | null;
}

export function settled(reading: Promise<unknown>): Promise<Body> {
  return reading.then(
    (body) => ({ body, error: null }),
    (error: Error) => ({ body: null, error }),
  );
}

/** Starts to read a small body and waits briefly for it. Returns whether it arrived completely in that time; null for a body to read after admission. */
export async function smallBody(exchange: Exchange, bodies: JsonBodies): Promise<{ arriving: Promise<Body>; early: boolean } | null> {
  const { request } = exchange;
  const { expect, 'content-length': length } = request.headers;
  if (expect !== undefined || length === undefined || Number(length) > smallBytesMax) return null;
  // After this, a body that arrived in one piece with its headers is readable.
  await Promise.resolve();
  const reading = bodies.readUnadmitted(exchange, Number(length));
  if (reading === null) return null;
  const arriving = settled(reading);
  if (request.complete) return { arriving, early: true };
  const first = await withinMs(arriving, earlyMs, () => null);
  return { arriving, early: first !== null };
}
